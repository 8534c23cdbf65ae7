# SPDX-License-Identifier: MIT
"""tf.io: files of this machine."""
from __future__ import annotations

import glob as _glob
import os as _os
import shutil as _shutil
import types as _types
import typing as _typing

from popart import _files as _writes
from tensorflow import _names
from tensorflow.framework.errors import AlreadyExistsError as _AlreadyExistsError
from tensorflow.framework.tensors import EagerTensor as _EagerTensor
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import PathLike


def _listed(path):
    return sorted(_os.listdir(path))


def _copy(src, dst, overwrite=False):
    if _os.path.exists(dst) and not overwrite:
        raise _AlreadyExistsError(None, None, f"file already exists: {dst}")
    _shutil.copyfile(src, dst)


def _files(path):
    return sorted(f for p in ([path] if isinstance(path, str) else path) for f in _glob.glob(p))


def GFile(name: str, mode: str = "r") -> Any:
    """A file: as Python's open."""
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8"}
    kind = mode.replace("b", "")
    if kind in ("w", "a"):
        return _writes.growing(name, anew=kind == "w", **text)
    if kind != "r":
        raise ValueError(f"GFile: mode {mode!r} is not there; use 'r', 'w' or 'a', with or without 'b'.")
    return open(name, "r", **text) if text else open(name, "rb")


gfile = _types.SimpleNamespace(
    GFile=GFile, Open=GFile, exists=_os.path.exists, isdir=_os.path.isdir, glob=_files, listdir=_listed, remove=_os.remove,
    rmtree=_shutil.rmtree, mkdir=_os.mkdir, makedirs=lambda path: _os.makedirs(path, exist_ok=True), copy=_copy,
    rename=lambda src, dst, overwrite=False: _os.replace(src, dst), walk=_os.walk, join=_os.path.join, stat=_os.stat)
# of TensorFlow 1
gfile_v1 = _types.SimpleNamespace(
    GFile=GFile, Open=GFile, FastGFile=GFile, Exists=gfile.exists, IsDirectory=gfile.isdir, Glob=_files, ListDirectory=_listed,
    Remove=_os.remove, DeleteRecursively=_shutil.rmtree, MkDir=_os.mkdir, MakeDirs=gfile.makedirs, Copy=_copy,
    Rename=gfile.rename, Walk=_os.walk, Stat=_os.stat)


def read_file(filename: PathLike, name: str | None = None) -> Tensor:
    """The bytes of a file, a string tensor."""
    from tensorflow.data import files  # import time
    with open(files.paths(filename)[0], "rb") as file:
        return _EagerTensor(files.text(file.read()))


_names.lazy(globals(), {"TFRecordWriter": "tensorflow.data.records:TFRecordWriter",
                        "decode_raw": "tensorflow.data.records:decode_raw",
                        "tf_record_iterator": "tensorflow.data.records:tf_record_iterator", **{
                            name: f"tensorflow.data.examples:{name}" for name in (
                                "FixedLenFeature", "FixedLenSequenceFeature", "parse_single_example", "parse_example")}})
