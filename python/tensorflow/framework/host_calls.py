# SPDX-License-Identifier: MIT
"""Functions of the host in the middle of a program: the device sends their arguments and waits for their results."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import dtypes
from .context import active, placed
from .dispatch import apply
from .errors import InvalidArgumentError
from .execution import device_arrays
from .operations import Operation
from .shapes import TensorShape
from .tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike


def host_call(function: Callable, inputs: TensorLike, outputs: Any, name: str, by_address: bool = False) -> list:
    """The tensors that a function of the host gives. outputs: (type, shape) of each; an unknown dimension is the same
    dimension of the first input. function(arrays, replicas) gives arrays; by_address: function(addresses of the inputs, their
    numbers of elements, addresses of the results), in the device's types."""
    inputs = [convert_to_tensor(t) for t in inputs]
    outputs = [(dtypes.as_dtype(kind), TensorShape(shape)) for kind, shape in outputs]
    graph = active()
    if graph is None:
        return _Call("", function, inputs, outputs, by_address).at_once([t.array for t in inputs])
    calls = graph.root.host_calls
    call = _Call(f"host/{len(calls)}/{name}", function, inputs, outputs, by_address)
    calls.append(call)
    extents = [[-1 - i if d is None else d for i, d in enumerate(shape)] for _, shape in outputs]
    made = apply("HostCall", inputs, {
        "handle": call.handle, "types": [int(kind.device_type) for kind, _ in outputs], "ranks": [len(e) for e in extents],
        "shapes": [d for e in extents for d in e]}, len(outputs), [kind for kind, _ in outputs], name)
    return made if len(outputs) > 1 else [made]


def effect(function: Callable, inputs: TensorLike, name: str) -> Operation | None:
    """function(arrays) is called whenever the program comes here; at once outside of graphs. Shapes must be known."""
    def call(arrays, _):
        function(arrays)
        return [np.zeros((), np.float32)]
    inputs, graph = [convert_to_tensor(t) for t in inputs], active()
    if graph is None:
        return function([t.array for t in inputs])
    if graph.root.name == "shapes":  # of a layer: nothing is computed in there
        return Operation(graph, name)
    return Operation(graph, name, host_call(call, inputs, [(dtypes.float32, ())], name)[0])


class _Call:
    """One call in one program."""

    def __init__(self, handle, function, inputs, outputs, by_address):
        self.handle, self._function, self._by_address = handle, function, by_address
        self._inputs = [(t.dtype, t.shape) for t in inputs]
        self._outputs = outputs

    def of(self, executable):
        """One of the functions that a program of this graph calls."""
        def run(given, places):
            with placed(called=id(executable.session)):
                self._run(given, places, executable.settings.replicas)
        forms = [[(kind.device_type, shape.as_list()) for kind, shape in each] for each in (self._inputs, self._outputs)]
        executable.host_calls.add(self.handle, run, *forms)

    def at_once(self, arrays):
        given = [np.require(a, _device_type(kind), ("C", "A")) for a, (kind, _) in zip(arrays, self._inputs)]
        shapes = [[given[0].shape[i] if d is None else d for i, d in enumerate(shape)] for _, shape in self._outputs]
        places = [np.empty(s, _device_type(kind)) for s, (kind, _) in zip(shapes, self._outputs)]
        self._run(given, places, 1)
        return [EagerTensor(p.astype(kind.as_numpy_dtype), kind) for p, (kind, _) in zip(places, self._outputs)]

    def _run(self, given, places, replicas):
        if self._by_address:
            self._function([a.ctypes.data for a in given], [a.size for a in given], [p.ctypes.data for p in places])
            return
        made = self._function([a.astype(kind.as_numpy_dtype) for a, (kind, _) in zip(given, self._inputs)], replicas)
        for place, array in zip(places, made):
            if np.shape(array) != place.shape:
                raise InvalidArgumentError(None, None, f"{self.handle}: the host's function gave an array of shape "
                                           f"{np.shape(array)}; {place.shape} was declared.")
            place[...] = array


def _device_type(kind):
    return device_arrays[kind.device_type]
