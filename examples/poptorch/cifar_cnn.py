#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a convolutional network with dropout on CIFAR-10, with a learning rate that falls.

The data are CIFAR-10's Python files from a folder (--data, which holds cifar-10-batches-py), or striped images made here.
"""
import argparse

import poptorch
import torch
from common import Rates, check, gratings
from torch import nn
from tqdm import tqdm


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25))
        self.classes = nn.Sequential(nn.Linear(64 * 6 * 6, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10))

    def forward(self, x, labels=None):
        scores = self.classes(torch.flatten(self.features(x), 1))
        if labels is None:
            return scores
        return scores, nn.functional.cross_entropy(scores, labels)


def dataset(args, training):
    if args.data is None:
        return gratings(args.samples if training else max(args.samples // 5, 320), 10, 32, seed=1 if training else 2)
    from torchvision import datasets, transforms
    steps = [transforms.RandomHorizontalFlip()] if training else []
    steps += [transforms.ToTensor(), transforms.Normalize((0.491, 0.482, 0.447), (0.247, 0.243, 0.262))]
    return datasets.CIFAR10(args.data, train=training, transform=transforms.Compose(steps))


def train(model, options, args):
    loader = poptorch.DataLoader(options, dataset(args, True), batch_size=args.batch_size, shuffle=True,
                                 num_workers=args.workers)
    optimizer = poptorch.optim.AdamW(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs, eta_min=args.lr / 20)
    training = poptorch.trainingModel(model.train(), options, optimizer)
    rates, losses = Rates(training), []
    for epoch in range(args.epochs):
        bar, total = tqdm(loader, desc=f"epoch {epoch + 1}", leave=False), 0.0
        for images, labels in bar:
            _, loss = training(images, labels)
            total += float(loss.mean())
            rates.count(len(images))
            bar.set_postfix(loss=f"{float(loss.mean()):.4f}")
        losses.append(total / len(loader))
        print(f"epoch {epoch + 1}: loss {losses[-1]:.4f}, learning rate {schedule.get_last_lr()[0]:.6f}")
        schedule.step()
        training.setOptimizer(optimizer)  # the IPU gets the new learning rate
    training.detachFromDevice()
    print(f"Training: {rates}")
    return losses


def test(model, args):
    options = poptorch.Options()
    loader = poptorch.DataLoader(options, dataset(args, False), batch_size=args.batch_size)
    inference = poptorch.inferenceModel(model.eval(), options)
    rates, right, seen = Rates(inference), 0, 0
    for images, labels in loader:
        right += int((inference(images).argmax(1) == labels).sum())
        seen += len(labels)
        rates.count(len(images))
    inference.detachFromDevice()
    print(f"Test: {rates}")
    return 100 * right / seen


def main():
    parser = argparse.ArgumentParser(description="CIFAR-10 in PopTorch")
    parser.add_argument("--batch-size", type=int, default=32, help="rows of a batch (default: 32)")
    parser.add_argument("--device-iterations", type=int, default=8, help="batches in a call (default: 8)")
    parser.add_argument("--epochs", type=int, default=5, help="number of epochs to train (default: 5)")
    parser.add_argument("--lr", type=float, default=0.001, help="learning rate at first (default: 0.001)")
    parser.add_argument("--workers", type=int, default=0, help="processes that load data (default: 0)")
    parser.add_argument("--data", metavar="FOLDER", help="holds cifar-10-batches-py (default: striped images)")
    parser.add_argument("--samples", type=int, default=10000, help="images to make for an epoch (default: 10000)")
    parser.add_argument("--check", action="store_true", help="fail if it learns too little")
    args = parser.parse_args()

    torch.manual_seed(0)
    options = poptorch.Options().deviceIterations(args.device_iterations).randomSeed(0)
    options.outputMode(poptorch.OutputMode.All)
    model = Cnn()
    losses = train(model, options, args)
    right = test(model, args)
    print(f"Accuracy on test set: {right:.2f}%")
    check(args.check, losses[-1] < losses[0] and right > 30, f"losses {losses}, {right:.2f}% right")


if __name__ == "__main__":
    main()
