# SPDX-License-Identifier: MIT
"""CIFAR-10: the folder cifar-10-batches-py, or the archive that it is in."""
import io
import os
import tarfile

import numpy as np
from popart import _pickles

from tensorflow.keras import backend
from tensorflow.keras.datasets import find


def batch(data, label="labels"):
    values = _pickles.load(io.BytesIO(data), encoding="bytes")
    values = {k.decode() if isinstance(k, bytes) else k: v for k, v in values.items()}
    return np.asarray(values["data"], np.uint8).reshape(-1, 3, 32, 32), np.asarray(values[label], np.uint8)


def read(folder, names, origin):
    """The bytes of files of a folder of the cache, or of its archive."""
    path = find(folder, folder.replace("-batches", "").replace("-py", "-python") + ".tar.gz", folder + ".tar.gz",
                origin=origin)
    if os.path.isdir(path):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                yield file.read()
        return
    with tarfile.open(path) as archive:
        members = {os.path.basename(m.name): m for m in archive if m.isfile()}
        for name in names:
            yield archive.extractfile(members[name]).read()


def arranged(x, y):
    x = x if backend.image_data_format() == "channels_first" else x.transpose(0, 2, 3, 1)
    return np.ascontiguousarray(x), y.reshape(-1, 1)


def load_data():
    """((x_train, y_train), (x_test, y_test)), images uint8 [n, 32, 32, 3], labels [n, 1]"""
    names = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
    parts = [batch(data) for data in read("cifar-10-batches-py", names,
                                          "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz")]
    x, y = (np.concatenate([p[i] for p in parts[:5]]) for i in range(2))
    return arranged(x, y), arranged(*parts[5])
