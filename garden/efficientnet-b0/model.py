# SPDX-License-Identifier: MIT
"""EfficientNet-B0: "Rethinking Model Scaling for Convolutional Neural Networks", Tan and Le, 2019 (arXiv:1905.11946).

Blocks widen, look at each channel alone, weigh the channels by what the whole image has of them, and narrow again. B1 to B7 are
the same with more blocks, channels and pixels.
"""
import math

import torch
from torch import nn

from garden.common.data import Normalise, coloured_images

TITLE = "EfficientNet-B0"
UNIT = "images"
QUALITY = "accuracy"
TARGETS = 1

# Table 1 of the paper: how much wider within, channels, blocks, stride of the first, pixels of a side of the kernel.
STAGES = ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
          (6, 320, 1, 1, 3))


def convolution(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs, eps=1e-3))


class SqueezeExcite(nn.Module):
    """Each channel times a number from 0 to 1 that the means of all channels say."""

    def __init__(self, channels, squeezed):
        super().__init__()
        self.squeeze, self.excite = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)

    def forward(self, x):
        means = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(self.excite(nn.functional.silu(self.squeeze(means))))


class MBConv(nn.Module):
    def __init__(self, inputs, outputs, wider, stride, kernel):
        super().__init__()
        inner = wider * inputs
        widen = [convolution(inputs, inner, 1), nn.SiLU()] if wider > 1 else []
        self.body = nn.Sequential(*widen, convolution(inner, inner, kernel, stride, groups=inner), nn.SiLU(),
                                  SqueezeExcite(inner, max(1, inputs // 4)), convolution(inner, outputs, 1))
        self.around = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.around else self.body(x)


class EfficientNet(nn.Module):
    """`width` and `depth` scale channels and blocks, as from B0 to B7. Of `stages` only so many are there."""

    def __init__(self, classes, width, depth, stages, half, dropout):
        super().__init__()
        channels = lambda c: max(8, int(c * width + 4) // 8 * 8)
        self.read = Normalise(half)
        inputs = channels(32)
        layers = [convolution(3, inputs, 3, 2), nn.SiLU()]
        for wider, outputs, blocks, stride, kernel in STAGES[:stages]:
            for i in range(math.ceil(blocks * depth)):
                layers.append(MBConv(inputs, channels(outputs), wider, 1 if i else stride, kernel))
                inputs = channels(outputs)
        self.features = nn.Sequential(*layers, convolution(inputs, 4 * inputs, 1), nn.SiLU())
        self.classes = nn.Sequential(nn.Dropout(dropout), nn.Linear(4 * inputs, classes))

    def forward(self, images, labels=None):
        scores = self.classes(self.features(self.read(images)).mean((2, 3)))
        if labels is None:
            return scores
        return nn.functional.cross_entropy(scores.float(), labels)


def network(half, classes, width=1.0, depth=1.0, stages=len(STAGES), dropout=0.2):
    return EfficientNet(classes, width, depth, stages, half, dropout)


def data(folder, training, samples, classes, side):
    return coloured_images(folder, training, samples if training else max(1, samples // 4), classes, side)


def quality(scores, row):
    return float((scores.argmax(1) == row[1]).float().mean())
