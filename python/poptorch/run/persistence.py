# SPDX-License-Identifier: MIT
"""Compiled models in files: a mark, the length and checksum of a record, the record, then PopART's executable.

The record is torch.save's: version, training or not, example inputs, options, and unless it was left out the model with
its optimiser and the state of the random generators. The same model gives the same bytes. As with torch.load, only files
that one trusts can be loaded.
"""
import contextlib
import hashlib
import io
import os
import pickle
import struct
from typing import Any, Dict, Union

import popart_core
import torch
from popart import _files

from poptorch.base import compat
from poptorch.enums import ConnectionType
from poptorch.errors import Error, createPoptorchError
from poptorch.version import VERSION

_MARK = b"\x89PopTorch\r\n"
_HEAD = struct.Struct("<Q32s")


def _check_not_damaged(condition, filename):
    if not condition:
        raise createPoptorchError(f"{filename} is damaged or was not written by poptorch.")


def _read(filename):
    """(the record, where the executable begins)."""
    try:
        with open(filename, "rb") as file:
            mark = file.read(len(_MARK))
            head = file.read(_HEAD.size)
            _check_not_damaged(mark == _MARK and len(head) == _HEAD.size, filename)
            length, checksum = _HEAD.unpack(head)
            _check_not_damaged(length <= os.path.getsize(filename), filename)
            data = file.read(length)
            _check_not_damaged(len(data) == length and hashlib.sha256(data).digest() == checksum, filename)
            return compat.load(io.BytesIO(data), map_location="cpu"), file.tell()
    except ModuleNotFoundError as problem:
        if problem.name.partition(".")[0] != "poptorch":  # but the user's
            raise
        raise createPoptorchError(f"{filename} was written by another version of poptorch. Compile the model "
                                  "again.") from problem
    except OSError as problem:
        raise createPoptorchError(f"{filename} cannot be read: {problem.strerror}.") from problem


def importPoptorchMetadataFromFile(filename: Union[str, os.PathLike]) -> Dict[str, Any]:
    """What a file of save() says of its model."""
    record, _ = _read(filename)
    if record["version"] != VERSION:
        raise createPoptorchError(f"PopTorch version mismatch: {filename} was written by version {record['version']}, "
                                  f"this is {VERSION}. Compile the model again.")
    return record


def export_proto(session):
    """POPTORCH_EXPORT_PROTO_FILE: the model as ONNX, in protobuf's text unless ..._AS_BINARY is set."""
    filename = os.environ.get("POPTORCH_EXPORT_PROTO_FILE")
    if not filename:
        return
    os.makedirs(os.path.dirname(os.path.abspath(filename)), exist_ok=True)
    session.modelToHost(filename)
    if os.environ.get("POPTORCH_EXPORT_PROTO_AS_BINARY", "0") in ("", "0"):
        with open(filename, "rb") as file:
            text = popart_core.onnx_text(file.read())
        with _files.writing(filename, encoding="utf-8") as file:
            file.write(text)


def saved_options(options):
    """For whoever loads the model: it runs there, on the device that there is."""
    options = options.clone()
    if options.connection_type == ConnectionType.Never:
        options.connection_type = ConnectionType.Always
    options.ipu_version = None
    return options


def packed(**record):
    """The bytes of a record."""
    buffer = io.BytesIO()
    try:
        torch.save({"version": VERSION, **record}, buffer)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise createPoptorchError(f"The model cannot be saved: {problem}. Use export_model=False to save its "
                                  "executable alone.") from problem
    return buffer.getvalue()


def write(filename, record, session):
    """A record and an executable to a file, or as model.poptorch into a folder."""
    filename = os.fspath(filename)
    if os.path.isdir(filename):
        filename = os.path.join(filename, "model.poptorch")
    try:
        with _files.writing(filename) as file:
            file.write(_MARK)
            file.write(_HEAD.pack(len(record), hashlib.sha256(record).digest()))
            file.write(record)
            file.flush()  # what follows is written by C++
            popart_core._save_executable(session, file.fileno())
    except OSError as problem:
        raise createPoptorchError(f"{filename} cannot be written: {problem.strerror}." if problem.strerror
                                  else str(problem)) from problem


@contextlib.contextmanager
def executable_in(filename):
    """The descriptor of a file, where its executable begins."""
    _, begin = _read(filename)
    with open(filename, "rb", buffering=0) as file:
        file.seek(begin)
        try:
            yield file.fileno()
        except Error as problem:  # which knows an open file only
            message = problem.message.replace("the stream", filename)
            raise type(problem)(message, problem.type, problem.location) from problem
