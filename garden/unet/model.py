# SPDX-License-Identifier: MIT
"""U-Net: "Convolutional Networks for Biomedical Image Segmentation", Ronneberger et al., 2015 (arXiv:1505.04597).

A path down sees more and more of the image, a path up says for each pixel what it belongs to. What the way down found at each
size is joined to the way up. Convolutions are padded here, so the result has the size of the image.
"""
import os

import torch
from torch import nn

TITLE = "U-Net"
UNIT = "images"
QUALITY = "mean overlap of areas (IoU)"
TARGETS = 1


def twice(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU())


class Up(nn.Module):
    """Twice the size, half the channels, and what the way down had at this size."""

    def __init__(self, width):
        super().__init__()
        self.larger = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.join = twice(2 * width, width)

    def forward(self, x, before):
        return self.join(torch.cat([before, self.larger(x)], 1))


class UNet(nn.Module):
    def __init__(self, width, depth, classes):
        super().__init__()
        widths = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(twice(i, o) for i, o in zip([1] + widths, widths))
        self.up = nn.ModuleList(Up(w) for w in reversed(widths[:-1]))
        self.smaller = nn.MaxPool2d(2)
        self.classes = nn.Conv2d(width, classes, 1)

    def forward(self, images, labels=None):
        x, before = self.down[0](images), []
        for down in self.down[1:]:
            before.append(x)
            x = down(self.smaller(x))
        for up in self.up:
            x = up(x, before.pop())
        scores = self.classes(x)
        if labels is None:
            return scores
        return nn.functional.cross_entropy(scores.float(), labels)


def network(half, width, depth, classes):
    return UNet(width, depth, classes)


class Cells(torch.utils.data.Dataset):
    """Grey images of round cells, dark at the edge, and of each pixel whether it is in a cell."""

    def __init__(self, samples, side, half, seed):
        random = torch.Generator().manual_seed(seed)
        y, x = torch.meshgrid(*2 * [torch.arange(side) / side], indexing="ij")
        centre = torch.rand(samples, 4, 2, 1, 1, generator=random)
        radius = 0.08 + 0.12 * torch.rand(samples, 4, 1, 1, generator=random)
        distance = (((y - centre[:, :, 0]) ** 2 + (x - centre[:, :, 1]) ** 2).sqrt() - radius).amin(1)
        self.labels = (distance < 0).long()
        grey = torch.tanh(20 * distance.abs()) * (0.6 + 0.4 * self.labels) + \
            0.1 * torch.randn(samples, side, side, generator=random)
        self.images = (grey[:, None] - 0.6).to(torch.half if half else torch.float)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class Files(torch.utils.data.Dataset):
    """Grey PNG images, and for each a PNG of the same name with 0 outside of cells."""

    def __init__(self, folder, training, side, half):
        self._folder, self._side, self._type = folder, side, torch.half if half else torch.float
        for part in ("images", "labels"):
            if not os.path.isdir(os.path.join(folder, part)):
                raise SystemExit(f"There is no folder {part} in {folder}: --data wants images and labels, with PNG files.")
        names = sorted(n for n in os.listdir(os.path.join(folder, "images")) if n.endswith(".png"))
        lacking = [n for n in names if not os.path.exists(os.path.join(folder, "labels", n))]
        if not names or lacking:
            raise SystemExit(f"{folder}: {f'{lacking[0]} has no labels' if lacking else 'there are no PNG files in images'}.")
        self._names = [n for i, n in enumerate(names) if (i % 5 != 4) == training] or names

    def __len__(self):
        return len(self._names)

    def _read(self, part, i):
        import numpy
        from PIL import Image
        image = Image.open(os.path.join(self._folder, part, self._names[i])).convert("L")
        how = Image.BILINEAR if part == "images" else Image.NEAREST
        return torch.from_numpy(numpy.array(image.resize((self._side, self._side), how)))

    def __getitem__(self, i):
        return (self._read("images", i)[None] / 255 - 0.6).to(self._type), (self._read("labels", i) > 0).long()


def data(folder, training, samples, side, half=False):
    if folder is not None:
        return Files(folder, training, side, half)
    return Cells(samples if training else max(1, samples // 4), side, half, seed=1 if training else 2)


def quality(scores, row):
    found, true = scores.argmax(1) == 1, row[1] == 1
    return float((found & true).sum() / (found | true).sum().clamp(min=1))
