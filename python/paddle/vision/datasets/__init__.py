# SPDX-License-Identifier: MIT
"""Pictures from files that the user has; nothing is downloaded."""
from __future__ import annotations

import os
from typing import Any, Callable

import numpy as np
from popart import _idx

from ...io import Dataset
from ..._names import refuse_unknown
from ...typed import PathLike


class MNIST(Dataset):
    """28 x 28 pictures (0 to 255) and labels, of ~/.cache/paddle/dataset/mnist or of the files named."""
    NAME = "mnist"

    def __init__(self, image_path: PathLike | None = None, label_path: PathLike | None = None, mode: str = "train",
                 transform: Callable | None = None, download: bool = True, backend: Any = None) -> None:
        if mode.lower() not in ("train", "test"):
            raise AssertionError(f"mode should be 'train' or 'test', but got {mode}")
        if backend not in (None, "pil", "cv2"):
            raise ValueError(f"Expected backend are one of ['pil', 'cv2'], but got {backend}")
        self.mode, self.transform, self.backend = mode.lower(), transform, backend or "cv2"
        part = "train" if self.mode == "train" else "t10k"
        self.images = _idx.read(image_path or self._default(f"{part}-images-idx3-ubyte"), 3)
        self.labels = _idx.read(label_path or self._default(f"{part}-labels-idx1-ubyte"), 1).astype(np.int64)
        if len(self.images) != len(self.labels):
            raise ValueError(f"There are {len(self.images)} pictures and {len(self.labels)} labels.")

    def _default(self, name):
        folder = os.path.join(os.path.expanduser("~"), ".cache", "paddle", "dataset", self.NAME)
        for path in (os.path.join(folder, name + ".gz"), os.path.join(folder, name)):
            if os.path.exists(path):
                return path
        raise RuntimeError(f"There is no {name}.gz in {folder}, and nothing is downloaded. Put the data set's four files "
                           "(train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz, "
                           "t10k-labels-idx1-ubyte.gz) there, name them with image_path and label_path, or draw some with "
                           "examples/paddle/sample/draw_mnist.py.")

    def __getitem__(self, index):
        image = self.images[index].astype(np.float32)[:, :, None]
        if self.backend == "pil":
            from PIL import Image  # not everybody has it
            image = Image.fromarray(self.images[index], mode="L")
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[index:index + 1]

    def __len__(self):
        return len(self.labels)


class FashionMNIST(MNIST):
    """Pictures of clothes of 28 x 28 pixels, in ten classes."""
    NAME = "fashion-mnist"


refuse_unknown(__name__)
