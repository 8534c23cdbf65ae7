# SPDX-License-Identifier: MIT
"""Of TensorFlow 1's graphs: operations that cannot be recorded when they are asked for, as a placeholder has no shape or they
need a number that is fed (the axis of an argmax). They are recorded when a session knows it, once for every shape and
number."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import nest
from .context import current, default_session, placed
from .operations import Operation
from .shapes import TensorShape
from .tensors import SymbolicTensor, Tensor
from tensorflow.framework.typed import DTypeLike, ShapeLike

# of functions that give several tensors: how many
_RESULTS = {"top_k": 2, "moments": 2}
_SCOPES = ("scopes", "device", "shard", "stage", "after")


class LateTensor(Tensor):
    """A placeholder without a shape, or result `index` of a call of which something is not known yet."""
    device = ""

    def __init__(self, graph: Any, dtype: DTypeLike, name: str, call: _Call | None = None, index: int | None = None) -> None:
        self.graph, self.dtype, self.shape, self.call, self.index = graph, dtype, TensorShape(None), call, index
        self._name = graph.unique(graph.scoped(name))
        self._made = {}  # shape -> the placeholder
        graph.named[self.name] = self

    name = property(lambda self: self._name + ":0")
    op = property(lambda self: Operation(self.graph, self._name, self))

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> np.ndarray:
        """Its value, computed by a session."""
        return (session or default_session()).run(self, feed_dict)

    def evaluate(self, step: Any) -> Any:
        """For a session."""
        return step.run(self.recorded(step))

    def recorded(self, step: Any) -> Tensor:
        """The tensor of the graph that this is in a run."""
        if self.call is not None:
            made = self.call.recorded(step)
            return made if self.index is None else made[self.index]
        value = step.fed(self)
        made = self.of_shape(value.shape)
        step.feed(made, value)
        return made

    def of_shape(self, shape: ShapeLike) -> Tensor:
        """The placeholder for values of this shape."""
        if shape not in self._made:
            with self.graph.as_default():
                self._made[shape] = self.graph.input(shape, self.dtype, self._name)
            self._made[shape].producer = self
        return self._made[shape]

    def produce(self, step: Any) -> None:
        """A session needs one of these placeholders."""
        self.recorded(step)

    def __bool__(self):
        raise TypeError(f"Using the symbolic tensor {self.name} as a Python `bool` is not allowed.")

    def __iter__(self):
        raise TypeError(f"Iterating over the symbolic tensor {self.name}, whose shape is not known, is not allowed.")

    def __len__(self):
        raise TypeError(f"len is not well defined for {self.name}, whose shape is not known.")

    def __array__(self, dtype=None):
        raise NotImplementedError(f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array.")

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape=<unknown> dtype={self.dtype.name}>"


class _Call:
    """A call of a function, with the scopes around it."""

    def __init__(self, function, args, kwargs, needed):
        self._function, self._given, self._needed = function, (list(args), kwargs), needed
        self._graph, self._scopes = current.default, {name: getattr(current, name) for name in _SCOPES}
        self._made = {}

    def recorded(self, step):
        key, given = [], []
        for value in nest.flatten(self._given):
            if isinstance(value, LateTensor):
                value = value.recorded(step)
                key.append(value.number)
            elif any(value is t for t in self._needed):
                value = np.asarray(step.value(value))
                key.append((value.shape, value.tobytes()))
            given.append(value)
        if tuple(key) not in self._made:
            args, kwargs = nest.pack_sequence_as(self._given, given)
            with self._graph.as_default(), placed(**self._scopes):
                self._made[tuple(key)] = self._function(*args, **kwargs)
        return self._made[tuple(key)]


def _late(function, args, kwargs, needed=()):
    call = _Call(function, args, kwargs, needed)
    kind = next(t.dtype for t in nest.flatten((list(args), kwargs)) if isinstance(t, Tensor))
    name = function.__name__
    if name not in _RESULTS:
        return LateTensor(current.default, kind, name, call)
    return tuple(LateTensor(current.default, kind, name, call, i) for i in range(_RESULTS[name]))


def _wrapped(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        if current.default is None or current.graph is not None or current.recording:
            return function(*args, **kwargs)
        if _any_late(args) or _any_late(kwargs.values()):
            return _late(function, args, kwargs)
        current.recording = True
        try:
            return function(*args, **kwargs)
        except (NotImplementedError, TypeError, ValueError) as problem:
            needed = getattr(problem, "needs", None)
            if not isinstance(needed, SymbolicTensor) or needed.graph is not current.default:
                raise
        finally:
            current.recording = False
        return _late(function, args, kwargs, [needed])
    call.takes_late = True
    return call


def _any_late(values):
    return any(isinstance(v, LateTensor) or isinstance(v, (list, tuple)) and any(isinstance(t, LateTensor) for t in v)
               for v in values)


def wrap(namespace, names):
    """Functions of a module take tensors of which something is not known yet."""
    for name in names:
        if callable(namespace[name]) and not isinstance(namespace[name], type) and not hasattr(namespace[name], "takes_late"):
            namespace[name] = _wrapped(namespace[name])


def scalar(tensor):
    """A tensor that has to be one number, also if it is a placeholder without a shape."""
    return tensor.of_shape(()) if isinstance(tensor, LateTensor) and tensor.call is None else tensor


def needs(problem, tensor):
    """An error that says that the numbers of a tensor have to be known."""
    problem.needs = tensor
    return problem
