# SPDX-License-Identifier: MIT
"""What the examples share: data without downloads, the rates they report, and their check of the result."""
import gzip
import os
import struct
import sys
import time

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "popart"))
import digits  # the drawn digits of the examples of PopART


def _read_idx(folder, name):
    """A file of MNIST's own format, packed or not, in the folder or where torchvision puts it."""
    places = [os.path.join(folder, *parts, name + end) for parts in ((), ("MNIST", "raw"), ("FashionMNIST", "raw"))
              for end in ("", ".gz")]
    found = next((p for p in places if os.path.exists(p)), None)
    if found is None:
        raise SystemExit(f"There is no {name} or {name}.gz in {folder}: --data wants MNIST's IDX files.")
    with (gzip.open if found.endswith(".gz") else open)(found, "rb") as file:
        data = file.read()
    sizes = struct.unpack_from(f">{data[3]}i", data, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(sizes)


def grey_images(folder, training, count, mean=0.1307, spread=0.3081):
    """A dataset of [1, 28, 28] and a label: IDX files of a folder, or without one `count` drawn digits."""
    if folder is None:
        images, labels = digits.draw(count, seed=1 if training else 2, side=28)
    else:
        part = "train" if training else "t10k"
        images = _read_idx(folder, part + "-images-idx3-ubyte")[:, None].astype(np.float32) / 255
        labels = _read_idx(folder, part + "-labels-idx1-ubyte")
    return torch.utils.data.TensorDataset(torch.from_numpy((images - mean) / spread).float(),
                                          torch.from_numpy(labels.astype(np.int64)))


def gratings(count, classes, side, seed):
    """Coloured images [3, side, side] to classify without files: stripes, whose direction is the class, and noise."""
    random = torch.Generator().manual_seed(seed)
    draw = lambda low, high, *size: low + (high - low) * torch.rand(count, *size, generator=random)
    labels = torch.randint(0, classes, (count,), generator=random)
    angle = ((labels + draw(-0.2, 0.2)) * (np.pi / classes))[:, None, None]
    y, x = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="ij")
    waves = torch.sin((x * torch.cos(angle) + y * torch.sin(angle)) * draw(8, 14, 1, 1) + draw(0, 6.28, 1, 1))
    images = waves[:, None] * draw(0.3, 1, 3, 1, 1) + 0.3 * torch.randn(count, 3, side, side, generator=random)
    return torch.utils.data.TensorDataset(images, labels)


class Rates:
    """Rows per second of a loop on this machine, and of the same steps on IPUs by the machine model."""

    def __init__(self, executor, what="images"):
        self._executor, self._what, self._rows, self._start = executor, what, 0, None

    def count(self, rows):
        """A call is done. The first one compiles, so the clock starts after it."""
        self._now = time.perf_counter()
        if self._start is None:
            self._start, self._per_call = self._now, rows
        else:
            self._rows += rows

    def __str__(self):
        step = self._executor.modelledStep()
        here = f"{self._rows / (self._now - self._start):,.0f} {self._what}/s on this machine, " if self._rows else ""
        return (f"{here}{self._per_call / step.seconds:,.0f} {self._what}/s modelled on IPUs "
                f"({step.cycles:,} cycles a call)")


def check(wanted, condition, complaint):
    """With --check: ends with an error if the result is not what it should be."""
    if wanted and not condition:
        sys.exit(f"check failed: {complaint}")
