# SPDX-License-Identifier: MIT
"""Compiled models in files: a mark, the length and checksum of a record, the record, then PopART's executable.

The record is torch.save's: version, training or not, example inputs, options, and unless it was left out the model with
its optimiser and the state of the random generators. The same model gives the same bytes. As with torch.load, only files
that one trusts can be loaded.
"""
import hashlib
import io
import os
import pickle
import struct

import popart_core
import torch
from popart import _files

from .enums import ConnectionType
from .errors import Error, createPoptorchError, require
from .errors_translate import entry
from .version import VERSION

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
            return torch.load(io.BytesIO(data), map_location="cpu"), file.tell()
    except OSError as problem:
        raise createPoptorchError(f"{filename} cannot be read: {problem.strerror}.") from problem


def importPoptorchMetadataFromFile(filename):
    """What a file of save() says of its model."""
    record, _ = _read(filename)
    if record["version"] != VERSION:
        raise createPoptorchError(f"PopTorch version mismatch: {filename} was written by version {record['version']}, "
                                  f"this is {VERSION}. Compile the model again.")
    return record


def load(filename, edit_opts_fn=None):
    """The executor of a file that was saved with export_model=True, ready to run."""
    from . import wrapping
    record = importPoptorchMetadataFromFile(filename)
    require(record["model"] is not None, f"{filename} was saved with export_model=False. Wrap the model again, and use "
            "loadExecutable().")
    options = record["options"]
    if edit_opts_fn is not None:
        edit_opts_fn(options)
    if record["training"]:
        executor = wrapping.trainingModel(record["model"], options, record["optimizer"])
    else:
        executor = wrapping.inferenceModel(record["model"], options)
    executor.loadExecutable(filename)
    return executor


class Persistence:
    """save, loadExecutable and compileAndExport of an executor, and ONNX files of it."""

    def _export_proto(self):
        """POPTORCH_EXPORT_PROTO_FILE: the model as ONNX, in protobuf's text unless ..._AS_BINARY is set."""
        filename = os.environ.get("POPTORCH_EXPORT_PROTO_FILE")
        if not filename:
            return
        os.makedirs(os.path.dirname(os.path.abspath(filename)), exist_ok=True)
        self._executable.modelToHost(filename)
        if os.environ.get("POPTORCH_EXPORT_PROTO_AS_BINARY", "0") in ("", "0"):
            with open(filename, "rb") as file:
                text = popart_core.onnx_text(file.read())
            with _files.writing(filename, encoding="utf-8") as file:
                file.write(text)

    @entry
    def compileAndExport(self, filename, *args, export_model=True, **kwargs):
        """Compiles the model and saves it."""
        self.compile(*args, **kwargs)
        self.save(filename, export_model=export_model)

    @entry
    def save(self, filename, export_model=True, save_rng_state=True):
        """Writes the compiled model to a file, or as model.poptorch into a folder."""
        self._require_compiled()
        filename = os.fspath(filename)
        if os.path.isdir(filename):
            filename = os.path.join(filename, "model.poptorch")
        self.copyWeightsToHostIfNeeded()
        data = self._record(export_model, save_rng_state)
        try:
            with _files.writing(filename) as file:
                file.write(_MARK)
                file.write(_HEAD.pack(len(data), hashlib.sha256(data).digest()))
                file.write(data)
                file.flush()  # what follows is written by C++
                popart_core._save_executable(self._executable, file.fileno())
        except OSError as problem:
            raise createPoptorchError(f"{filename} cannot be written: {problem.strerror}." if problem.strerror
                                      else str(problem)) from problem

    def _record(self, export_model, save_rng_state):
        from .wrapping import plain_copy
        options = self._options.clone()
        if options.connection_type == ConnectionType.Never:
            options.connection_type = ConnectionType.Always
        options.ipu_version = None
        args, kwargs = self._call.rebuild(self._example)
        record = {"version": VERSION, "training": self._training, "inputs": (args, kwargs), "options": options,
                  "model": None, "optimizer": None,
                  "rng_state": self._get_rng_state() if save_rng_state else None}
        if export_model:
            record["model"], record["optimizer"] = plain_copy(self._user_model, self._optimizer, self._model)
            if getattr(self._optimizer, "attached", False):
                record["optimizer"]._pending = self._read_optimizer()
        buffer = io.BytesIO()
        try:
            torch.save(record, buffer)
        except (pickle.PicklingError, AttributeError, TypeError) as problem:
            raise createPoptorchError(f"The model cannot be saved: {problem}. Use export_model=False to save its "
                                      "executable alone.") from problem
        return buffer.getvalue()

    @entry
    def loadExecutable(self, filename):
        """Takes the compiled model of a file instead of compiling."""
        require(not self.isCompiled(), "The model is already compiled. Call destroy() first.")
        filename = os.fspath(filename)
        record = importPoptorchMetadataFromFile(filename)
        if record["training"] != self._training:
            kinds = ("an inference", "a training")
            raise createPoptorchError(f"{filename} holds {kinds[record['training']]} model, but this is "
                                      f"{kinds[self._training]} model.")
        args, kwargs = record["inputs"]
        _, begin = _read(filename)
        self._rng_state = record["rng_state"]
        with open(filename, "rb", buffering=0) as file:
            file.seek(begin)
            try:
                self._compile(args, kwargs, load_from=file.fileno())
            except Error as problem:  # which knows an open file only
                message = problem.message.replace("the stream", filename)
                raise type(problem)(message, problem.type, problem.location) from problem
