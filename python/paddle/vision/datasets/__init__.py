# SPDX-License-Identifier: MIT
"""Pictures from files that the user has; nothing is downloaded."""
import gzip
import os
import struct

import numpy as np

from ...io import Dataset
from ..._names import refuse_unknown


def _read(path, dimensions):
    """An IDX file, packed or not."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            data = file.read()
        magic, *sizes = struct.unpack_from(f">{1 + dimensions}i", data)
    except (OSError, EOFError, struct.error) as problem:
        raise ValueError(f"The file {path} is no IDX file: {problem}.") from None
    body = np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions)
    if magic != 0x800 + dimensions or min(sizes) < 0 or body.size != np.prod(sizes, dtype=np.int64):
        raise ValueError(f"The file {path} is damaged: it should hold {dimensions} dimensions of bytes and has {body.size} "
                         f"bytes for {sizes}.")
    return body.reshape(sizes)


class MNIST(Dataset):
    """28 x 28 pictures (0 to 255) and labels, of ~/.cache/paddle/dataset/mnist or of the files named."""
    NAME = "mnist"

    def __init__(self, image_path=None, label_path=None, mode="train", transform=None, download=True, backend=None):
        if mode.lower() not in ("train", "test"):
            raise AssertionError(f"mode should be 'train' or 'test', but got {mode}")
        if backend not in (None, "pil", "cv2"):
            raise ValueError(f"Expected backend are one of ['pil', 'cv2'], but got {backend}")
        self.mode, self.transform, self.backend = mode.lower(), transform, backend or "cv2"
        part = "train" if self.mode == "train" else "t10k"
        self.images = _read(image_path or self._default(f"{part}-images-idx3-ubyte"), 3)
        self.labels = _read(label_path or self._default(f"{part}-labels-idx1-ubyte"), 1).astype(np.int64)
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
            from PIL import Image
            image = Image.fromarray(self.images[index], mode="L")
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[index:index + 1]

    def __len__(self):
        return len(self.labels)


class FashionMNIST(MNIST):
    NAME = "fashion-mnist"


refuse_unknown(__name__)
