# SPDX-License-Identifier: MIT
"""draw_mnist.py [FOLDER]: drawn digits in MNIST's four files, for machines without the data set.

They go to Paddle's cache (~/.cache/paddle/dataset/mnist) or into FOLDER; mnist_train.py draws them itself where there are none.
What a network learns from them says nothing about handwriting.
"""
import gzip
import os
import struct
import sys

import numpy as np

CACHE = os.path.expanduser("~/.cache/paddle/dataset/mnist")
_FONT = ("111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
         "111100111001111 111100111101111 111001010010010 111101111101111 111101111001111").split()
_SHAPES = np.array([[int(p) for p in shape] for shape in _FONT], np.float32).reshape(10, 5, 3)


def draw(count, seed):
    """Digits of one size near the middle, as MNIST has them."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 10, count)
    images = random.uniform(0, 0.15, (count, 28, 28)).astype(np.float32)
    shapes = np.kron(_SHAPES, np.ones((1, 4, 4), np.float32))
    for image, label in zip(images, labels):
        y, x = 4 + random.integers(-2, 3), 8 + random.integers(-2, 3)
        image[y:y + 20, x:x + 12] += shapes[label] * random.uniform(0.6, 0.85)
    return images * 255, labels


def write(path, values):
    header = struct.pack(f">{1 + values.ndim}i", 0x800 + values.ndim, *values.shape)
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as file:
        file.write(header + values.astype(np.uint8).tobytes())


def files(mode, folder="./digits"):
    """Arguments of paddle.vision.datasets.MNIST: none where the data set is, or files with drawn digits."""
    part = "train" if mode == "train" else "t10k"
    if os.path.exists(os.path.join(CACHE, f"{part}-images-idx3-ubyte.gz")):
        return {}
    if not os.path.exists(os.path.join(folder, "t10k-labels-idx1-ubyte.gz")):  # the last that is written
        print(f"There is no MNIST in {CACHE}, and nothing is downloaded: digits are drawn.", file=sys.stderr)
        draw_all(folder)
    return {"image_path": os.path.join(folder, f"{part}-images-idx3-ubyte.gz"),
            "label_path": os.path.join(folder, f"{part}-labels-idx1-ubyte.gz")}


def draw_all(folder):
    os.makedirs(folder, exist_ok=True)
    for part, count, seed in (("train", int(os.environ.get("TRAIN_IMAGES", 60000)), 1),
                              ("t10k", int(os.environ.get("TEST_IMAGES", 10000)), 2)):
        images, labels = draw(count, seed)
        write(os.path.join(folder, f"{part}-images-idx3-ubyte.gz"), np.clip(images, 0, 255))
        write(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz"), labels)
    print(f"drawn digits are in {folder}", file=sys.stderr)


if __name__ == "__main__":
    draw_all(sys.argv[1] if len(sys.argv) > 1 else CACHE)
