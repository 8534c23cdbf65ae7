# SPDX-License-Identifier: MIT
"""Boston housing prices: boston_housing.npz with x and y."""
import numpy as np

from tensorflow.keras.datasets import find


def load_data(path="boston_housing.npz", test_split=0.2, seed=113):
    path = find(path, origin="https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz")
    with np.load(path, allow_pickle=False) as file:
        x, y = file["x"], file["y"]
    order = np.random.RandomState(seed).permutation(len(x))
    x, y = x[order], y[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
