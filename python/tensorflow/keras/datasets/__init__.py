# SPDX-License-Identifier: MIT
"""Data sets in Keras' cache layout, ~/.keras/datasets (KERAS_HOME: another folder). Nothing is downloaded: a file that is
missing is an error that says where it belongs."""
from __future__ import annotations

import os
import typing as _typing

from tensorflow import _names
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.typed import PathLike


def home() -> str:
    """The folder that datasets are read from: KERAS_HOME/datasets, or ~/.keras/datasets."""
    return os.path.join(os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras"), "datasets")


def find(*names: Any, origin: str) -> str:
    """The first of these files or folders in the cache."""
    for name in names:
        path = os.path.join(home(), name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"{os.path.join(home(), names[0])} is not there, and this TensorFlow downloads nothing. Get it "
                            f"from {origin} and put it there, or set KERAS_HOME to the folder that has datasets/{names[0]}.")


def get_file(fname: str, origin: str | None = None, untar: bool = False, md5_hash: str | None = None,
             file_hash: str | None = None, cache_subdir: str = "datasets", hash_algorithm: str = "auto",
             extract: bool = False, archive_format: str = "auto", cache_dir: PathLike | None = None) -> str:
    """A file of the cache; nothing is downloaded."""
    if os.path.isabs(fname) and os.path.exists(fname):
        return fname
    base = cache_dir or os.path.dirname(home())
    path = os.path.join(base, cache_subdir, fname)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is not there, and this TensorFlow downloads nothing. Get it from {origin} and put "
                                "it there.")
    return path


_names.lazy(globals(), {name: f"tensorflow.keras.datasets.{name}" for name in ("mnist", "fashion_mnist", "cifar10",
                                                                              "cifar100", "boston_housing", "imdb")})
