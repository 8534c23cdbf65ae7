# SPDX-License-Identifier: MIT
"""paddle.save and paddle.load: dicts of arrays."""
import os
import pickle

import numpy as np

from .static.saving import _loaded


def save(obj, path, protocol=4, **configs):
    """A dict of arrays by name into a file."""
    if not isinstance(obj, dict):
        raise NotImplementedError(f"(Unimplemented) paddle.save of {type(obj).__name__}: a dict of arrays can be saved.")
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        pickle.dump({name: np.asarray(value) for name, value in obj.items()}, file, protocol=protocol)


def load(path, **configs):
    if not os.path.isfile(path):
        raise ValueError(f"(NotFound) There is no file {path}.")
    return _loaded(path)
