# SPDX-License-Identifier: MIT
"""ResNet-50 v1.5: "Deep Residual Learning for Image Recognition", He et al., 2015 (arXiv:1512.03385).

Version 1.5 is the network that is measured today: the 3 x 3 convolution of a block has its stride, not the first 1 x 1.
"""
import poptorch
import torch
from torch import nn

from garden.common.data import Normalise, coloured_images

TITLE = "ResNet-50 v1.5"
UNIT = "images"
QUALITY = "accuracy"
TARGETS = 1


class Bottleneck(nn.Module):
    """1 x 1, 3 x 3 and 1 x 1 convolutions, and the way around them: F(x) + x."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.residual = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        nn.init.zeros_(self.residual[-1].weight)  # a block begins as the way around it: large batches need that
        self.shortcut = nn.Identity() if inputs == outputs and stride == 1 else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.residual(x) + self.shortcut(x))


class ResNet(nn.Module):
    """`keep`: numbers of blocks whose input is kept for the backward pass; the rest is computed again."""

    def __init__(self, blocks, width, classes, half, keep=()):
        super().__init__()
        self.keep, self.read = set(keep), Normalise(half)
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.MaxPool2d(3, 2, 1))
        layers, inputs = [], width
        for stage, count in enumerate(blocks):
            for i in range(count):
                layers.append(Bottleneck(inputs, width << stage, 2 if stage and not i else 1))
                inputs = 4 * (width << stage)
        self.blocks = nn.ModuleList(layers)
        self.classes = nn.Linear(inputs, classes)

    def forward(self, images, labels=None):
        x = self.stem(self.read(images))
        for number, block in enumerate(self.blocks):
            if number in self.keep and self.training:
                x = poptorch.recomputationCheckpoint(x)
            x = block(x)
        scores = self.classes(x.mean((2, 3)))
        if labels is None:
            return scores
        return nn.functional.cross_entropy(scores.float(), labels)


def network(half, blocks, width, classes, keep=()):
    return ResNet(blocks, width, classes, half, keep)


def data(folder, training, samples, classes, side):
    return coloured_images(folder, training, samples if training else max(1, samples // 4), classes, side)


def quality(scores, row):
    return float((scores.argmax(1) == row[1]).float().mean())
