# SPDX-License-Identifier: MIT
"""draw_mnist.py [FOLDER]: drawn digits in MNIST's four files, for machines without the data set.

They go to Paddle's cache (~/.cache/paddle/dataset/mnist) or into FOLDER. What a network learns from them says nothing about
handwriting.
"""
import gzip
import os
import struct
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "popart"))
import digits  # noqa: E402


def draw(count, seed):
    """Digits of one size near the middle, as MNIST has them."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count)
    images = random.uniform(0, 0.15, (count, 28, 28)).astype(np.float32)
    shapes = np.kron(digits._SHAPES, np.ones((1, 4, 4), np.float32))
    for image, label in zip(images, labels):
        y, x = 4 + random.integers(-2, 3), 8 + random.integers(-2, 3)
        image[y:y + 20, x:x + 12] += shapes[label] * random.uniform(0.6, 0.85)
    return images * 255, labels


def write(path, values):
    header = struct.pack(f">{1 + values.ndim}i", 0x800 + values.ndim, *values.shape)
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as file:
        file.write(header + values.astype(np.uint8).tobytes())


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.expanduser("~/.cache/paddle/dataset/mnist")
    os.makedirs(folder, exist_ok=True)
    for part, count, seed in (("train", int(os.environ.get("TRAIN_IMAGES", 60000)), 1),
                              ("t10k", int(os.environ.get("TEST_IMAGES", 10000)), 2)):
        images, labels = draw(count, seed)
        write(os.path.join(folder, f"{part}-images-idx3-ubyte.gz"), np.clip(images, 0, 255))
        write(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz"), labels)
    print(f"drawn digits are in {folder}")


main()
