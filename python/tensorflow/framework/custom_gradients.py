# SPDX-License-Identifier: MIT
"""tf.custom_gradient: a function that says its own gradient. In a graph that is a body of the node; outside, the tape keeps the
function and traces it when a gradient is asked for."""
from __future__ import annotations

import functools
from typing import Callable

import numpy as np

from . import nest
from .context import active, current, tracing
from .graphs import Graph
from .tensors import EagerTensor, convert_to_tensor
from .variables import Variable


def custom_gradient(f: Callable | None = None) -> Callable:
    """Of a function of tensors that gives its result and a function of gradients."""
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def call(*args, **kwargs):
        if any(isinstance(a, Variable) for a in nest.flatten(args)):
            raise NotImplementedError("tf.custom_gradient: variables cannot be arguments here; hand in their values "
                                      "(`tf.convert_to_tensor(v)`).")
        given = [convert_to_tensor(a) for a in nest.flatten(args)]
        args = nest.pack_sequence_as(args, given)
        graph = active()
        return _eager(f, args, given, kwargs) if graph is None else _traced(graph, f, args, given, kwargs)
    return call


def _called(f, args, kwargs):
    made = f(*args, **kwargs)
    if not isinstance(made, (tuple, list)) or len(made) != 2 or not callable(made[1]):
        raise ValueError("tf.custom_gradient: the function must return its result and a function of gradients.")
    return made


def _eager(f, args, given, kwargs):
    tapes, current.tapes = current.tapes, ()
    try:
        result, gradient = _called(f, args, kwargs)
    finally:
        current.tapes = tapes
    flat = [convert_to_tensor(t) for t in nest.flatten(result)]
    made = [EagerTensor(t.array.copy(), t.dtype) for t in flat]
    for tape in tapes:
        tape.record("CustomGradient", [*flat, *given], {"function": gradient, "results": len(flat)}, made)
    return nest.pack_sequence_as(result, made)


def _traced(graph, f, args, given, kwargs):
    result, gradient = _called(f, args, kwargs)
    if graph.name == "shapes":  # of a layer: nothing is differentiated in there
        return result
    flat = [graph.taken(convert_to_tensor(t)) for t in nest.flatten(result)]
    return nest.pack_sequence_as(result, record(graph, flat, [graph.taken(t) for t in given], gradient))


def record(graph, results, given, function):
    """The results, as values whose gradients by `given` the function says."""
    for t in (*results, *given):
        if not t.shape.is_fully_defined():
            raise NotImplementedError(f"tf.custom_gradient: the shape {t.shape} of {t.name} is not fully defined.")
    inner = Graph(outer=graph, name="gradient")
    with tracing(inner):
        made = nest.flatten(function(*[inner.input(t.shape, t.dtype, "gradient") for t in results]))
        if len(made) != len(given):
            raise ValueError(f"custom_gradient function expected to return {len(given)} gradients, but returned {len(made)} "
                             "instead.")
        inner.finish([convert_to_tensor(np.zeros(t.shape.as_list(), t.dtype.as_numpy_dtype) if g is None else g)
                      for g, t in zip(made, given)])
    for g, t in zip(inner.outputs, given):
        if g.shape.as_list() != t.shape.as_list():
            raise ValueError(f"custom_gradient: the gradient of a tensor of shape {t.shape} has shape {g.shape}.")
    outside = [t for t, _ in inner.captured.values()]
    return graph.record("CustomGradient", [*results, *given, *outside], {"results": len(results), "by": len(given)},
                        len(results), [t.dtype for t in results], bodies=[inner])
