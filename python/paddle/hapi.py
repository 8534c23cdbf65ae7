# SPDX-License-Identifier: MIT
"""paddle.save and paddle.load: dicts of arrays."""
import os
import pickle

import numpy as np
from popart import _files

from .static.saving import _loaded


def save(obj, path, protocol=4, **configs):
    """A dict of arrays by name into a file."""
    if not isinstance(obj, dict):
        raise NotImplementedError(f"(Unimplemented) paddle.save of {type(obj).__name__}: a dict of arrays can be saved.")
    _files.make_folder_of(path)
    with _files.writing(path) as file:
        pickle.dump({name: np.asarray(value) for name, value in obj.items()}, file, protocol=protocol)


def load(path, **configs):
    """What paddle.save wrote."""
    if not os.path.isfile(path):
        raise ValueError(f"(NotFound) There is no file {path}.")
    return _loaded(path)
