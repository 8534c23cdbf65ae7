#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a convolutional network on MNIST on the IPU, then tests it.

The data are MNIST's IDX files from a folder (--data), or digits that are drawn here.
"""
import argparse

import poptorch
import torch
from common import Rates, check, grey_images
from torch import nn, optim
from tqdm import tqdm


class Block(nn.Module):
    """A convolution, its maxima, and a ReLU."""

    def __init__(self, inputs, outputs, kernel, pool):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel)
        self.pool = nn.MaxPool2d(pool)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.pool(self.conv(x)))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = Block(1, 32, 3, 2)
        self.layer2 = Block(32, 64, 3, 2)
        self.layer3 = nn.Linear(1600, 128)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(0.5)
        self.layer4 = nn.Linear(128, 10)

    def forward(self, x):
        x = torch.flatten(self.layer2(self.layer1(x)), 1)
        return self.layer4(self.dropout(self.relu(self.layer3(x))))


class TrainingModelWithLoss(nn.Module):
    """The loss is part of forward(), so that the IPU computes it."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, labels):
        output = self.model(x)
        return output, self.loss(output, labels)


def accuracy(predictions, labels):
    """In percent. Labels of those rows alone that came back, the last ones."""
    labels = labels[-predictions.size(0):]
    return 100 * (predictions.argmax(1) == labels).float().mean().item()


def train(training_model, data, args):
    rates = Rates(training_model)
    for _ in tqdm(range(args.epochs), desc="Epochs"):
        bar = tqdm(data, total=len(data), leave=False)
        for images, labels in bar:
            predictions, losses = training_model(images, labels)
            rates.count(len(images))
            bar.set_description(f"Loss: {losses.mean().item():.4f} | "
                                f"Accuracy: {accuracy(predictions, labels):05.2f}% ")
    print(f"Training: {rates}")
    training_model.detachFromDevice()  # so that the same IPU can test


def test(inference_model, data):
    rates, total = Rates(inference_model), 0.0
    with torch.no_grad():
        for images, labels in tqdm(data, desc="Test", leave=False):
            total += accuracy(inference_model(images), labels)
            rates.count(len(images))
    inference_model.detachFromDevice()
    print(f"Test: {rates}")
    return total / len(data)


def main():
    parser = argparse.ArgumentParser(description="MNIST training in PopTorch")
    parser.add_argument("--batch-size", type=int, default=8, help="batch size for training (default: 8)")
    parser.add_argument("--test-batch-size", type=int, default=80, help="batch size for testing (default: 80)")
    parser.add_argument("--device-iterations", type=int, default=50, help="batches in a call (default: 50)")
    parser.add_argument("--epochs", type=int, default=10, help="number of epochs to train (default: 10)")
    parser.add_argument("--lr", type=float, default=0.05, help="learning rate (default: 0.05)")
    parser.add_argument("--data", metavar="FOLDER", help="MNIST's IDX files, packed or not (default: drawn digits)")
    parser.add_argument("--samples", type=int, default=20000, help="digits to draw for an epoch (default: 20000)")
    parser.add_argument("--check", action="store_true", help="fail if fewer than 90%% of the test set are right")
    args = parser.parse_args()

    torch.manual_seed(0)
    training_options = poptorch.Options().deviceIterations(args.device_iterations)
    training_options.outputMode(poptorch.OutputMode.All).randomSeed(0)
    test_options = poptorch.Options().deviceIterations(10)
    training_data = poptorch.DataLoader(training_options, grey_images(args.data, True, args.samples),
                                        batch_size=args.batch_size, shuffle=True, drop_last=True)
    test_data = poptorch.DataLoader(test_options, grey_images(args.data, False, max(args.samples // 5, 800)),
                                    batch_size=args.test_batch_size, drop_last=True)

    model = Network()
    print(model)
    training_model = poptorch.trainingModel(TrainingModelWithLoss(model), training_options,
                                            optimizer=optim.SGD(model.parameters(), lr=args.lr))
    inference_model = poptorch.inferenceModel(model.eval(), test_options)
    train(training_model, training_data, args)
    right = test(inference_model, test_data)
    print(f"Accuracy on test set: {right:0.2f}%")
    check(args.check, right > 90, f"only {right:.2f}% are right")


if __name__ == "__main__":
    main()
