# SPDX-License-Identifier: MIT
"""Data without downloads: drawn here, or in the format that the data set has, from a folder."""
import os
import sys

import torch

from .catalogue import GARDEN

sys.path.append(os.path.join(GARDEN, os.pardir, "examples", "poptorch"))
from common import gratings, grey_images  # noqa: E402,F401  what the examples of PopTorch draw


class Bytes(torch.utils.data.Dataset):
    """Images as bytes, as they are sent to IPUs: a quarter of floats. The model makes numbers of them (Normalise)."""

    def __init__(self, images):
        self._images = images

    def __len__(self):
        return len(self._images)

    def __getitem__(self, i):
        image, label = self._images[i]
        return (image * 48 + 128).clamp(0, 255).to(torch.uint8), label


class Normalise(torch.nn.Module):
    """Bytes of an image as numbers around 0, on the IPU."""

    def __init__(self, half):
        super().__init__()
        self.type = torch.half if half else torch.float

    def forward(self, images):
        return (images.to(self.type) - 128) * (1 / 48)


def coloured_images(folder, training, samples, classes, side):
    """Bytes [3, side, side] and a label: a folder of images per class, in folders train and val, or striped images."""
    if folder is None:
        return Bytes(gratings(samples, classes, side, seed=1 if training else 2))
    from torchvision import datasets, transforms
    part = os.path.join(folder, "train" if training else "val")
    if not os.path.isdir(part):
        raise SystemExit(f"There is no folder {part}: --data wants train and val, with a folder of images per class in each.")
    cut = [transforms.RandomResizedCrop(side), transforms.RandomHorizontalFlip()] if training else \
        [transforms.Resize(side * 8 // 7), transforms.CenterCrop(side)]
    found = datasets.ImageFolder(part, transforms.Compose(cut + [transforms.PILToTensor()]))
    if len(found.classes) != classes:
        raise SystemExit(f"{part} has {len(found.classes)} classes, and the configuration {classes}.")
    return found


class Repeated(torch.utils.data.Dataset):
    """A data set again and again, up to a number of rows: drawn data are few."""

    def __init__(self, data, rows):
        self._data, self._rows = data, rows

    def __len__(self):
        return self._rows

    def __getitem__(self, i):
        return self._data[i % len(self._data)]
