# SPDX-License-Identifier: MIT
"""Files that data sets are read from: their names, and what is in them."""
from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from typing import Any

import numpy as np

from tensorflow.framework.errors import NotFoundError
from tensorflow.framework.tensors import EagerTensor
from tensorflow.framework.typed import DatasetLike, PathLike

_OPEN = {None: open, "": open, "GZIP": gzip.open}


def paths(filenames: PathLike | list | DatasetLike) -> list:
    """Names of files, of whatever can say them."""
    if isinstance(filenames, EagerTensor):
        filenames = filenames.array.tolist()
    if isinstance(filenames, (str, bytes, os.PathLike)):
        return [os.fsdecode(filenames)]
    return [p for each in filenames for p in paths(each)]


def _as_it_is(path, compression):
    if compression not in (*_OPEN, "ZLIB"):
        raise ValueError(f"compression_type must be None, \"\", \"GZIP\" or \"ZLIB\", not {compression!r}.")
    if not os.path.isfile(path):
        raise NotFoundError(None, None, f"{path}; No such file or directory")
    return open(path, "rb") if compression == "ZLIB" else _OPEN[compression](path, "rb")


def opened(path: str, compression: str | None) -> Any:
    """A file that can be read."""
    file = _as_it_is(path, compression)
    if compression != "ZLIB":
        return file
    with file:
        return io.BytesIO(zlib.decompress(file.read()))


def text(data: bytes) -> np.ndarray:
    """Bytes as the array of a string tensor (numpy's own texts lose zeros at their ends)."""
    out = np.empty((), object)
    out[()] = data
    return out


def matching(pattern: PathLike | list | DatasetLike) -> np.ndarray:
    """The names of the files of patterns, sorted."""
    found = sorted(f for p in paths(pattern) for f in glob.glob(p))
    if not found:
        raise NotFoundError(None, None, f"No files matched pattern: {pattern}")
    return np.array([os.fsencode(f) for f in found], object)
