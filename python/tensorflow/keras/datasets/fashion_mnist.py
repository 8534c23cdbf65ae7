# SPDX-License-Identifier: MIT
"""Fashion-MNIST: four packed IDX files in fashion-mnist/."""
import gzip

import numpy as np

from tensorflow.keras.datasets import find

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def read_idx(path):
    """A file of MNIST's own format: type, rank, sizes, bytes."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    sizes = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(sizes).copy()


def load_data():
    def part(name):
        return read_idx(find(f"fashion-mnist/{name}.gz", f"fashion-mnist/{name}", origin=_ORIGIN + name + ".gz"))
    return ((part("train-images-idx3-ubyte"), part("train-labels-idx1-ubyte")),
            (part("t10k-images-idx3-ubyte"), part("t10k-labels-idx1-ubyte")))
