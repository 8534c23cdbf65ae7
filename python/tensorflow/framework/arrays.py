# SPDX-License-Identifier: MIT
"""Arrays in files of numpy's."""
from __future__ import annotations

import os

import numpy as np
from popart import _files
from tensorflow.framework.typed import PathLike, TensorLike


def save_arrays(path: PathLike, arrays: TensorLike) -> None:
    """An .npz file of arrays by name, whole or not at all."""
    path = os.fspath(path)
    with _files.writing(path if path.endswith(".npz") else path + ".npz") as file:
        np.savez(file, **arrays)
