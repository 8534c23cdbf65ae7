# SPDX-License-Identifier: MIT
"""compile: a function as one program for an IPU, in a graph of TensorFlow 1."""
from __future__ import annotations

import typing
from typing import Any

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.late import LateTensor
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.python.ipu import scopes
from tensorflow.python.ipu.programs import Compiled, _is_operation


def compile(computation: typing.Callable, inputs: list | tuple | None = None) -> _Program | list:
    """Results as the function gives them: one value is a list of one; nothing or operations alone are an operation."""
    graph = active()
    if graph is None:
        raise RuntimeError("ipu_compiler.compile() needs a graph of TensorFlow 1. Call tf.disable_v2_behavior(), or use "
                           "IPUStrategy.run with a tf.function.")
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    for t in inputs or ():
        if isinstance(t, LateTensor):
            raise ValueError(f"The input '{t.name}' of a compiled function comes of a placeholder without a shape: give it "
                             "one.")
    tensors = [graph.taken(convert_to_tensor(t)) for t in inputs or ()]
    compiled = Compiled(computation, tensors, scopes.device_index())
    if compiled.index is None:
        compiled.index = _device_inside(compiled.graph)
    return Call(compiled, tensors).results(graph)


def _device_inside(graph):
    """The IPU that a compiled function places its operations on."""
    if not graph.devices:
        raise RuntimeError("ipu_compiler.compile() must be called inside of an ipu_scope, or the function must have one: with "
                           'ipu.scopes.ipu_scope("/device:IPU:0"): ...')
    if len(graph.devices) > 1:
        raise ValueError(f"A compiled function runs on one IPU device; operations of this one are on "
                         f"{', '.join(f'/device:IPU:{d}' for d in graph.devices)}.")
    return graph.devices[0]


class Call:
    """A compiled program in the graph of the session that runs it."""

    def __init__(self, compiled: Compiled, inputs: TensorLike) -> None:
        self.compiled, self.inputs = compiled, inputs
        self.outputs = []

    def results(self, graph: Any) -> _Program | list:
        """What ipu_compiler.compile gives: tensors of the outer graph, or an operation."""
        result = self.compiled.result
        if _is_operation(result):
            self.operation = Operation(graph, graph.unique("cluster"))
            self.operation.evaluate = self._run
            self.operation.members, self.operation.run_now = (), None
            return _Program(self)
        flat = nest.flatten(result)
        tensors = iter([self._output(graph, t) for t in self.compiled.tensors])
        out = [next(tensors) if isinstance(t, (Tensor, Variable)) else t for t in flat]
        if isinstance(result, (list, tuple)):
            kept = [t for t in nest.pack_sequence_as(result, out) if t is not None and not isinstance(t, Operation)]
            return list(kept)
        return nest.pack_sequence_as(result, out) if isinstance(result, dict) else [out[0]]

    def _output(self, graph, tensor):
        out = graph.input(tensor.shape, tensor.dtype, "cluster")
        out.producer = self
        self.outputs.append(out)
        return out

    def produce(self, step: Any) -> None:
        """Runs the program in a session and gives its outputs their values."""
        arguments = [step.value(t) for t in self.inputs]
        for t, value in zip(self.outputs, self.compiled.run(arguments, step.session)):
            step.values[id(t)] = value

    def _run(self, step):
        self.produce(step)


class _Program:
    """A program without results, for Session.run."""

    def __init__(self, call):
        self._call = call

    def evaluate(self, step):
        self._call.produce(step)
        return None
