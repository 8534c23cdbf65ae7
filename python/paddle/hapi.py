# SPDX-License-Identifier: MIT
"""paddle.save and paddle.load: dicts of arrays."""
from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
from popart import _files

from .static.saving import _loaded
from .typed import PathLike


def save(obj: dict, path: PathLike, protocol: int = 4, **configs: Any) -> None:
    """A dict of arrays by name into a file."""
    if not isinstance(obj, dict):
        raise NotImplementedError(f"(Unimplemented) paddle.save of {type(obj).__name__}: a dict of arrays can be saved.")
    _files.make_folder_of(path)
    with _files.writing(path) as file:
        pickle.dump({name: np.asarray(value) for name, value in obj.items()}, file, protocol=protocol)


def load(path: PathLike, **configs: Any) -> dict:
    """What paddle.save wrote."""
    if not os.path.isfile(path):
        raise ValueError(f"(NotFound) There is no file {path}.")
    return _loaded(path)
