# SPDX-License-Identifier: MIT
"""Fashion-MNIST: four packed IDX files in fashion-mnist/."""
from popart import _idx

from tensorflow.keras.datasets import find

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data():
    def part(name):
        return _idx.read(find(f"fashion-mnist/{name}.gz", f"fashion-mnist/{name}", origin=_ORIGIN + name + ".gz"))
    return ((part("train-images-idx3-ubyte"), part("train-labels-idx1-ubyte")),
            (part("t10k-images-idx3-ubyte"), part("t10k-labels-idx1-ubyte")))
