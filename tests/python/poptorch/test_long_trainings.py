# SPDX-License-Identifier: MIT
"""Trainings of 200 steps: losses follow torch's as near as torch's own in float32 follow those in float64, however the model
is spread, recomputed or stored."""
import pytest
import torch

import poptorch
from poptorch import TensorLocationSettings

STEPS = 200


class Cnn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(4, 8, 3, stride=2), torch.nn.GELU(), torch.nn.Flatten(), torch.nn.Linear(8, 5))

    def forward(self, x, y):
        return torch.nn.functional.cross_entropy(self.net(x), y)


class Lstm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(11, 8)
        self.lstm = torch.nn.LSTM(8, 12, batch_first=True)
        self.out = torch.nn.Linear(12, 11)

    def forward(self, x, y):
        out, _ = self.lstm(self.embedding(x))
        return torch.nn.functional.cross_entropy(self.out(out).flatten(0, 1), y.flatten())


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.place = torch.nn.Embedding(11, 8), torch.nn.Parameter(0.1 * torch.randn(6, 8))
        self.queries, self.out = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)
        self.first, self.second = torch.nn.LayerNorm(8), torch.nn.LayerNorm(8)
        self.wide, self.narrow, self.head = torch.nn.Linear(8, 32), torch.nn.Linear(32, 8), torch.nn.Linear(8, 11)

    def forward(self, x, y):
        x = self.embedding(x) + self.place
        n, t, _ = x.shape
        q, k, v = (part.reshape(n, t, 2, 4).transpose(1, 2) for part in self.queries(self.first(x)).chunk(3, dim=-1))
        scores = (q @ k.transpose(-1, -2)) / 2 + torch.triu(torch.full((t, t), -1e4), 1)
        x = x + self.out((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(n, t, 8))
        x = x + self.narrow(torch.nn.functional.gelu(self.wide(self.second(x))))
        return torch.nn.functional.cross_entropy(self.head(x).flatten(0, 1), y.flatten())


# ---- how a model runs: options, micro-batches of a step, the first module of a second IPU

def plain(o):
    return 1


def accumulated(o):
    o.Training.gradientAccumulation(4)
    return 4


def pipelined(o):
    return accumulated(o)


def replicated(o):
    o.replicationFactor(2).Training.gradientAccumulation(2)
    return 4


def recomputed(o):
    o._Popart.set("autoRecomputation", 1)
    return 1


def off_chip(o):
    o.TensorLocations.setOptimizerLocation(TensorLocationSettings().useOnChipStorage(False).minElementsForOffChip(1))
    return 1


MODELS = {
    "cnn": (Cnn, lambda: (torch.randn(16, 1, 6, 6), torch.randint(5, (16,))), lambda net: net.net[4], 0.02),
    "lstm": (Lstm, lambda: (torch.randint(11, (8, 6)), torch.randint(11, (8, 6))), lambda net: net.out, 0.1),
    "transformer": (Transformer, lambda: (torch.randint(11, (8, 6)), torch.randint(11, (8, 6))), lambda net: net.second, 0.03),
}
# Rates of SGD are such that a training in float32 stays near that in float64.
OPTIMIZERS = {"SGD": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9),
              "AdamW": lambda p, lr: torch.optim.AdamW(p, lr=0.01)}


def losses_on_ipus(net, make, how, batches):
    options = poptorch.Options().outputMode(poptorch.OutputMode.All)
    how(options)
    model = poptorch.trainingModel(net, options, make(net.parameters()))
    return torch.stack([model(*batches[step % len(batches)]).mean() for step in range(STEPS)]).double()


def losses_of_torch(net, make, parts, batches):
    optimizer, losses = make(net.parameters()), []
    for step in range(STEPS):
        optimizer.zero_grad()
        pieces = zip(*(t.chunk(parts) for t in batches[step % len(batches)]))
        loss = sum(net(*(t.to(net.dtype) if t.is_floating_point() else t for t in piece)) for piece in pieces) / parts
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().double())
    return torch.stack(losses)


def made(kind, dtype):
    torch.manual_seed(12)
    net = kind().to(dtype)
    net.dtype = dtype
    return net


def differences(name, optimizer, how):
    """Of losses to those in float64, relative: ours, and torch's in float32."""
    kind, inputs, second, lr = MODELS[name]
    make = lambda parameters: OPTIMIZERS[optimizer](parameters, lr)
    torch.manual_seed(11)
    batches = [inputs() for _ in range(5)]
    net = made(kind, torch.float32)
    if how is pipelined:
        poptorch.BeginBlock(second(net), ipu_id=1)
    parts = how(poptorch.Options())
    exact = losses_of_torch(made(kind, torch.float64), make, parts, batches)
    assert exact[-1] < exact[0] - 0.1
    plain32 = losses_of_torch(made(kind, torch.float32), make, parts, batches)
    return [((losses - exact).abs() / (exact + 0.01)).max().item()
            for losses in (losses_on_ipus(net, make, how, batches), plain32)]


CASES = [(optimizer, plain) for optimizer in OPTIMIZERS] + [
    ("AdamW", how) for how in (accumulated, pipelined, replicated, recomputed, off_chip)]


@pytest.mark.parametrize("optimizer, how", CASES, ids=[f"{optimizer}-{how.__name__}" for optimizer, how in CASES])
@pytest.mark.parametrize("name", MODELS)
def test_losses_follow_torch(name, optimizer, how):
    ours, theirs = differences(name, optimizer, how)
    assert ours < 1e-4 + 5 * theirs
