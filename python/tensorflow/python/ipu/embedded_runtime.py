# SPDX-License-Identifier: MIT
"""Runs the files of application_compile_op."""
from __future__ import annotations

import os
import zipfile
from typing import Any

from popart import _files
from tensorflow import _names
from tensorflow.framework.context import active
from tensorflow.framework.errors import DataLossError
from tensorflow.framework.tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.python.ipu import served


class RuntimeContext:
    """A program that embedded_runtime_start made ready."""
    def __init__(self, function: Any, name: str) -> None:
        self.function, self.name = function, name

    def output_types(self) -> list:
        """Types of what the program returns."""
        return [spec.dtype for spec in self.function.structured_outputs.values()]


def embedded_runtime_start(poplar_exec_filepath: str, inputs: TensorLike, name: str, timeout: Any = None) -> RuntimeContext:
    """Loads a program. inputs: of its variables elsewhere; files here keep their own."""
    if inputs:
        raise NotImplementedError("embedded_runtime_start with inputs is not there: compile with freeze_variables=True.")
    path = poplar_exec_filepath
    path = os.fsdecode(path.numpy() if isinstance(path, EagerTensor) else path.item() if hasattr(path, "item") else path)
    folder = _files.new_folder("application")
    try:
        with zipfile.ZipFile(path) as file:
            for part in (served.FILE, served.NUMBERS):
                file.extract(part, folder)
    except (KeyError, zipfile.BadZipFile):
        raise DataLossError(None, None, f"{path} is no file of experimental_application_compile_op.") from None
    os.makedirs(os.path.join(folder, served.ASSETS))
    return RuntimeContext(served.Function(folder), name)


def embedded_runtime_call(inputs: TensorLike, context: RuntimeContext) -> list:
    """The outputs of one call, a list."""
    function = context.function
    graph = active()
    if graph is None:
        return list(function(*inputs).values())
    tensors = [graph.taken(convert_to_tensor(t)) for t in inputs]
    return _Call(function, tensors).results(graph)


class _Call:
    """A call in the graph of the session that makes it."""

    def __init__(self, function, inputs):
        self._function, self._inputs = function, inputs

    def results(self, graph):
        self._outputs = [graph.input(s.shape, s.dtype, "application_call") for s in self._function.structured_outputs.values()]
        for t in self._outputs:
            t.producer = self
        return self._outputs

    def produce(self, step):
        found = self._function(*[step.value(t) for t in self._inputs])
        for t, value in zip(self._outputs, found.values()):
            step.values[id(t)] = value.array


_names.explain_missing(globals())
