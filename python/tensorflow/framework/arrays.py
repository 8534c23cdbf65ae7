# SPDX-License-Identifier: MIT
"""Arrays in files of numpy's."""
import os

import numpy as np
from popart import _files


def save_arrays(path, arrays):
    """An .npz file of arrays by name, whole or not at all."""
    path = os.fspath(path)
    with _files.writing(path if path.endswith(".npz") else path + ".npz") as file:
        np.savez(file, **arrays)
