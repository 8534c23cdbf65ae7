# SPDX-License-Identifier: MIT
"""MNIST: mnist.npz with x_train, y_train, x_test, y_test."""
import os as _os
import numpy as np

from tensorflow.keras.datasets import find


def load_data(path="mnist.npz"):
    """((x_train, y_train), (x_test, y_test)), images uint8 [n, 28, 28]"""
    path = path if _os.path.isabs(path) else find(path, origin="https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
                                                             "mnist.npz")
    with np.load(path, allow_pickle=False) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])
