#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a Vision Transformer of torchvision with AdamW and a warm-up, then classifies with it.

The default is a small one that learns here in a minute; --size b_16 is ViT-B/16 of 224 x 224 images. The data are a folder with
a folder of images per class (--data), or striped images made here.
"""
import argparse

import poptorch
import torch
from common import Rates, check, gratings
from torch import nn
from torchvision.models import VisionTransformer
from tqdm import tqdm

SIZES = {  # image, patch, layers, heads, width, width within the layers
    "tiny": (32, 8, 2, 2, 32, 64),
    "small": (64, 8, 4, 4, 128, 512),
    "b_16": (224, 16, 12, 12, 768, 3072),
}


class Classifier(nn.Module):
    def __init__(self, size, classes):
        super().__init__()
        image, patch, layers, heads, width, inner = SIZES[size]
        self.vit = VisionTransformer(image, patch, layers, heads, width, inner, num_classes=classes)
        nn.init.trunc_normal_(self.vit.heads.head.weight, std=0.02)  # torchvision's begins with zeros

    def forward(self, images, labels=None):
        scores = self.vit(images)
        if labels is None:
            return scores
        return scores, nn.functional.cross_entropy(scores.float(), labels, label_smoothing=0.1)


def dataset(args, training):
    side = SIZES[args.size][0]
    if args.data is None:
        return gratings(args.samples if training else max(args.samples // 4, 4 * args.batch_size), args.classes, side,
                        int(training))
    from torchvision import datasets, transforms
    steps = [transforms.RandomResizedCrop(side), transforms.RandomHorizontalFlip()] if training else \
        [transforms.Resize(side), transforms.CenterCrop(side)]
    return datasets.ImageFolder(args.data, transforms.Compose(
        steps + [transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)]))


def cast(images, args):
    return images.half() if args.half else images


def train(model, args, data):
    options = poptorch.Options().randomSeed(0)
    options.Training.gradientAccumulation(args.gradient_accumulation)
    options.outputMode(poptorch.OutputMode.Sum)
    loader = poptorch.DataLoader(options, data, batch_size=args.batch_size, shuffle=True, num_workers=args.workers)
    optimizer = poptorch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05,
                                     loss_scaling=1024.0 if args.half else 1.0)
    steps = args.epochs * len(loader)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / (0.1 * steps)) * (1 - s / steps / 1.1))
    training = poptorch.trainingModel(model.train(), options, optimizer)
    rates, losses = Rates(training), []
    for epoch in range(args.epochs):
        bar, total = tqdm(loader, desc=f"epoch {epoch + 1}", leave=False), 0.0
        for images, labels in bar:
            _, loss = training(cast(images, args), labels)
            loss = float(loss) / args.gradient_accumulation
            total += loss
            rates.count(len(images))
            bar.set_postfix(loss=f"{loss:.4f}")
            schedule.step()
            training.setOptimizer(optimizer)
        losses.append(total / len(loader))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}")
    training.detachFromDevice()
    print(f"Training: {rates}")
    return losses


def test(model, args):
    options = poptorch.Options()
    loader = poptorch.DataLoader(options, dataset(args, False), batch_size=args.batch_size)
    inference = poptorch.inferenceModel(model.eval(), options)
    rates, right, seen = Rates(inference), 0, 0
    for images, labels in loader:
        right += int((inference(cast(images, args)).argmax(1) == labels).sum())
        seen += len(labels)
        rates.count(len(images))
    print(f"Test: {rates}")
    return 100 * right / seen


def main():
    parser = argparse.ArgumentParser(description="Vision Transformers in PopTorch")
    parser.add_argument("--size", choices=SIZES, default="small", help="(default: small)")
    parser.add_argument("--half", action="store_true", help="compute in float16")
    parser.add_argument("--batch-size", type=int, default=16, help="rows of a micro-batch (default: 16)")
    parser.add_argument("--gradient-accumulation", type=int, default=2, help="micro-batches to an update (default: 2)")
    parser.add_argument("--epochs", type=int, default=10, help="number of epochs to train (default: 10)")
    parser.add_argument("--lr", type=float, default=0.001, help="largest learning rate (default: 0.001)")
    parser.add_argument("--data", metavar="FOLDER", help="a folder of images per class (default: striped images)")
    parser.add_argument("--classes", type=int, default=10, help="of images that are made here (default: 10)")
    parser.add_argument("--samples", type=int, default=2048, help="images to make for an epoch (default: 2048)")
    parser.add_argument("--workers", type=int, default=0, help="processes that load data (default: 0)")
    parser.add_argument("--check", action="store_true", help="fail if it learns too little")
    args = parser.parse_args()

    torch.manual_seed(0)
    data = dataset(args, True)
    model = Classifier(args.size, len(data.classes) if args.data else args.classes)
    if args.half:
        model.half()
    losses = train(model, args, data)
    right = test(model, args)
    print(f"Accuracy on test set: {right:.2f}%")
    check(args.check, losses[-1] < losses[0] and right > 200 / args.classes, f"losses {losses}, {right:.2f}% right")


if __name__ == "__main__":
    main()
