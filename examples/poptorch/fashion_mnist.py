#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a classifier of clothes on Fashion-MNIST on the IPU, saves its weights, and tests it.

The data are Fashion-MNIST's IDX files from a folder (--data), or digits that are drawn here.
"""
import argparse

import poptorch
import torch
from common import Rates, check, grey_images
from torch import nn
from tqdm import tqdm

try:
    from sklearn.metrics import accuracy_score
except ImportError:  # Debian: python3-sklearn
    def accuracy_score(labels, predictions):
        return sum(int(a) == int(b) for a, b in zip(labels, predictions)) / len(labels)


class ClassificationModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 5, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(5, 12, 5)
        self.norm = nn.GroupNorm(3, 12)
        self.fc1 = nn.Linear(972, 100)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(100, 10)
        self.log_softmax = nn.LogSoftmax(dim=1)
        self.loss = nn.NLLLoss()

    def forward(self, x, labels=None):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.norm(self.relu(self.conv2(x)))
        x = torch.flatten(x, start_dim=1)
        x = self.relu(self.fc1(x))
        x = self.log_softmax(self.fc2(x))
        # The model computes its loss itself, so that this too happens on the IPU.
        if self.training:
            return x, self.loss(x, labels)
        return x


def train(model, dataset, opts, args):
    """The mean loss of each epoch."""
    dataloader = poptorch.DataLoader(opts, dataset, batch_size=args.batch_size, shuffle=True, num_workers=args.workers)
    optimizer = poptorch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    poptorch_model = poptorch.trainingModel(model, options=opts, optimizer=optimizer)
    rates, losses = Rates(poptorch_model), []
    for _ in tqdm(range(args.epochs), desc="epochs"):
        total_loss = 0.0
        for data, labels in tqdm(dataloader, desc="batches", leave=False):
            output, loss = poptorch_model(data, labels)
            total_loss += loss
            rates.count(len(data))
        losses.append(float(total_loss) / len(dataloader))
    poptorch_model.detachFromDevice()
    print(f"Training: {rates}")
    return losses


def evaluate(model, dataset, opts, args):
    poptorch_model = poptorch.inferenceModel(model.eval(), options=opts)
    dataloader = poptorch.DataLoader(opts, dataset, batch_size=32, num_workers=args.workers)
    rates, predictions, labels = Rates(poptorch_model), [], []
    for data, label in dataloader:
        predictions += poptorch_model(data).data.max(dim=1).indices
        labels += label
        rates.count(len(data))
    poptorch_model.detachFromDevice()
    print(f"Evaluation: {rates}")
    return 100 * accuracy_score(labels, predictions)


def main():
    parser = argparse.ArgumentParser(description="Fashion-MNIST in PopTorch")
    parser.add_argument("--batch-size", type=int, default=16, help="batch size for training (default: 16)")
    parser.add_argument("--epochs", type=int, default=5, help="number of epochs to train (default: 5)")
    parser.add_argument("--lr", type=float, default=0.001, help="learning rate (default: 0.001)")
    parser.add_argument("--workers", type=int, default=2, help="processes that load data (default: 2)")
    parser.add_argument("--data", metavar="FOLDER", help="Fashion-MNIST's IDX files (default: drawn digits)")
    parser.add_argument("--samples", type=int, default=20000, help="digits to draw for an epoch (default: 20000)")
    parser.add_argument("--save", metavar="FILE", default="classifier.pth", help="the trained weights' file")
    parser.add_argument("--check", action="store_true", help="fail if it learns too little")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = ClassificationModel()
    model.train()
    opts = poptorch.Options()
    losses = train(model, grey_images(args.data, True, args.samples, 0.5, 0.5), opts, args)
    print("Loss of each epoch: " + " ".join(f"{loss:.4f}" for loss in losses))
    torch.save(model.state_dict(), args.save)

    fresh = ClassificationModel()
    fresh.load_state_dict(torch.load(args.save))  # plain torch's tensors
    right = evaluate(fresh, grey_images(args.data, False, max(args.samples // 5, 320), 0.5, 0.5), opts, args)
    print(f"Eval accuracy: {right:.2f}%")
    check(args.check, losses[-1] < losses[0] and right > 80, f"losses {losses}, {right:.2f}% right")


if __name__ == "__main__":
    main()
