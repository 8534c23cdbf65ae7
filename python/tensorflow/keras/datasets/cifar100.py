# SPDX-License-Identifier: MIT
"""CIFAR-100: the folder cifar-100-python, or the archive that it is in."""
from tensorflow.keras.datasets.cifar10 import arranged, batch, read


def load_data(label_mode="fine"):
    if label_mode not in ("fine", "coarse"):
        raise ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.')
    parts = [batch(data, f"{label_mode}_labels") for data in
             read("cifar-100-python", ["train", "test"], "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz")]
    return arranged(*parts[0]), arranged(*parts[1])
