#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Debian's torch at its best on whole models, for ./run bench models. models_peer.py FOLDER NAME says
# "ready" and then answers lines: "values" the losses of the first steps, or outputs; "time N" seconds
# per step; "threads N". Models for inference are first written to FOLDER/NAME.onnx for the others to
# read. Weights of training and all data follow from names, so that both sides begin alike.
import math
import os
import sys
import time
import warnings

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from bench_clock import now

CHECKED = 5  # steps whose losses are compared


def uniform(name, shape):
    """Numbers in [0, 1) that depend on the name and the position alone; Values.hpp has the same."""
    seed = 2166136261
    for c in name.encode():
        seed = (seed ^ c) * 16777619 & 0xFFFFFFFF
    h = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2654435761) + np.uint32(seed)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return ((h >> np.uint32(8)).astype(np.float32) / np.float32(1 << 24)).reshape(shape)


def data(name, shape, classes=0):
    values = uniform(name, shape)
    return torch.from_numpy((values * classes).astype(np.int64) if classes else values)


def fill(model):
    """Matrices and filters between -1 and 1 over the root of the fan in, biases zero, scales one."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1:
                continue  # a norm's begin as ones and zeros
            shape = list(p.shape)
            linear = p.dim() == 2 and "embedding" not in name
            drawn = uniform(name, shape[::-1] if linear else shape) * 2 - 1
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            p.copy_(torch.from_numpy(drawn.T if linear else drawn) * bound)
        for module in model.modules():
            if isinstance(module, (nn.Linear, nn.Conv2d)) and module.bias is not None:
                module.bias.zero_()
    return model


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 5, 3), nn.Conv2d(5, 12, 5)
        self.norm = nn.GroupNorm(3, 12)
        self.fc1, self.fc2 = nn.Linear(972, 100), nn.Linear(100, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = torch.flatten(self.norm(F.relu(self.conv2(x))), 1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), 1)


class Cifar(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 32, 3)
        self.conv3, self.conv4 = nn.Conv2d(32, 64, 3, padding=1), nn.Conv2d(64, 32, 3)
        self.fc1, self.fc2 = nn.Linear(1152, 512), nn.Linear(512, 10)
        self.drop, self.more = nn.Dropout(dropout), nn.Dropout(2 * dropout)

    def forward(self, x):
        x = self.drop(F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2))
        x = self.drop(F.max_pool2d(F.relu(self.conv4(F.relu(self.conv3(x)))), 2))
        x = self.more(F.relu(self.fc1(torch.flatten(x, 1))))
        return F.log_softmax(self.fc2(x), 1)


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def split(self, t):
        return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        a = torch.matmul(q, k.transpose(-1, -2)) * (q.shape[-1] ** -0.5)
        a = torch.matmul(self.drop(F.softmax(a, -1)), v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.drop(self.out(a)))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Encoder(nn.Module):
    """The BERT form: embeddings, blocks with the norm behind, and a word classifier if asked for."""

    def __init__(self, layers, width, heads, words, sequence, dropout, head):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.position_embedding = nn.Parameter(torch.empty(sequence, width))
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)
        self.block = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.head = nn.Linear(width, words) if head else None

    def forward(self, x):
        h = self.drop(self.norm(self.embedding(x) + self.position_embedding))
        for block in self.block:
            h = block(h)
        return F.log_softmax(self.head(h).flatten(0, 1), 1) if self.head else h


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn1, self.bn2, self.bn3 = (nn.BatchNorm2d(c) for c in (width, width, 4 * width))
        self.project = None
        if stride != 1 or channels != 4 * width:
            self.project = nn.Conv2d(channels, 4 * width, 1, stride, bias=False)
            self.bnp = nn.BatchNorm2d(4 * width)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn3(self.conv3(F.relu(self.bn2(self.conv2(y)))))
        return F.relu(y + (self.bnp(self.project(x)) if self.project else x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn = nn.BatchNorm2d(64)
        self.block, channels = nn.ModuleList(), 64
        for stage, blocks in enumerate((3, 4, 6, 3)):
            for i in range(blocks):
                self.block.append(Bottleneck(channels, 64 << stage, 1 + (stage > 0 and i == 0)))
                channels = 256 << stage
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv(x))), 3, 2, 1)
        for block in self.block:
            x = block(x)
        return self.fc(x.mean((2, 3)))


def scores(model):
    """The same with the logarithm of its softmax, as a loss wants it."""
    return lambda x: F.log_softmax(model(x), 1)


class Training:
    """kind-train-BATCH-STEPS, the data of STEPS batches taken in turn."""

    def __init__(self, kind, batch, steps):
        self.kind, self.batch, self.count = kind, batch, steps
        self.start(True)

    def start(self, dropout):
        kind, batch, steps = self.kind, self.batch, self.count
        rate, momentum, shape, classes, labels = 0.001, 0.9, [3, 32, 32], 10, [steps, batch]
        if kind == "cnn":
            self.model, shape = fill(Cnn()), [1, 28, 28]
        elif kind == "cifar":
            self.model, rate, momentum = fill(Cifar(0.25 * dropout)), 0.016, 0
        elif kind == "encoder":
            self.model = fill(Encoder(4, 256, 4, 1000, 128, 0.1 * dropout, True))
            rate, shape, classes, labels = 0.01, [128], 1000, [steps, batch * 128]
        else:
            self.model, shape, classes = fill(ResNet50()), [3, 224, 224], 1000
        x = data("x", [steps, batch] + shape, 1000 if kind == "encoder" else 0)
        y = data("labels", labels, classes)
        self.net = scores(self.model) if kind == "resnet50" else self.model
        last = kind in ("cifar", "resnet50")
        if last:
            self.model.to(memory_format=torch.channels_last)
        self.xs = [t.contiguous(memory_format=torch.channels_last) if last else t for t in x]
        self.ys, self.at = list(y), 0
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=rate, momentum=momentum)

    def step(self):
        i = self.at % len(self.xs)
        self.at += 1
        self.optimizer.zero_grad(set_to_none=True)
        loss = F.nll_loss(self.net(self.xs[i]), self.ys[i])
        loss.backward()
        self.optimizer.step()
        return loss

    def values(self):
        """Before anything else, and without dropout, whose random numbers are each side's own."""
        random = self.kind in ("cifar", "encoder")
        if random:
            self.start(False)
        losses = [self.step().item() for _ in range(min(CHECKED, self.count))]
        if random:
            self.start(True)
        return losses


class Inference:
    """kind-infer-BATCH: frozen torch.jit, with or without channels last, whichever is faster."""

    def __init__(self, folder, name, kind, batch):
        torch.manual_seed(0)
        x = data("x", {"mlp": [batch, 784], "cnn": [batch, 1, 28, 28], "bert": [batch, 128],
                       "resnet50": [batch, 3, 224, 224]}[kind], 30522 if kind == "bert" else 0)
        model = self.make(kind)
        torch.set_grad_enabled(False)
        if kind == "resnet50":  # statistics that fit, or numbers grow from block to block
            for module in model.modules():
                if isinstance(module, nn.BatchNorm2d):
                    module.momentum = None
            model.train()(data("calibration", [2, 3, 224, 224]))
        file = os.path.join(folder, name + ".onnx")
        model.eval()
        if not os.path.exists(file):
            torch.onnx.export(model, x, file + ".part", opset_version=15, input_names=["x"],
                              output_names=["y"])
            os.rename(file + ".part", file)
        self.choose(model, x, [False, True] if kind in ("cnn", "resnet50") else [False])

    def make(self, kind):
        if kind == "mlp":
            return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                                 nn.Linear(512, 10))
        if kind == "bert":
            return fill(Encoder(12, 768, 12, 30522, 128, 0.1, False))
        return Cnn() if kind == "cnn" else ResNet50()

    def choose(self, model, x, layouts):
        best = float("inf")
        for last in layouts:
            layout = torch.channels_last if last else torch.contiguous_format
            m = model.to(memory_format=layout) if len(layouts) > 1 else model
            given = x.contiguous(memory_format=layout) if len(layouts) > 1 else x
            frozen = torch.jit.freeze(torch.jit.trace(m, given, check_trace=False))
            for _ in range(3):
                frozen(given)
            start = time.perf_counter()
            for calls in range(1, 100):
                frozen(given)
                if time.perf_counter() - start > 0.3:
                    break
            each = (time.perf_counter() - start) / calls
            if each < best:
                best, self.step = each, lambda f=frozen, g=given: f(g)

    def values(self):
        y = self.step().flatten()
        return y[:: max(1, len(y) // 1000)].tolist()


def answer(subject):
    """Lines with lines, until there are no more."""
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "values":
            print(*subject.values(), flush=True)
        elif command == "threads":
            torch.set_num_threads(int(rest[0]))
            print("ok", flush=True)
        else:
            calls = int(rest[0])
            subject.step()
            start = now()
            for _ in range(calls):
                subject.step()
            print((now() - start) / calls, flush=True)


def main():
    warnings.simplefilter("ignore")
    folder, name = sys.argv[1:]
    kind, what, *numbers = name.split("-")
    numbers = [int(n) for n in numbers]
    torch.set_num_threads(2)
    subject = Training(kind, *numbers) if what == "train" else Inference(folder, name, kind, *numbers)
    print("ready", flush=True)
    answer(subject)


if __name__ == "__main__":
    main()
