# SPDX-License-Identifier: MIT
"""The functional interface: tensors of shapes to come, and the calls of layers that made them."""
from tensorflow.framework import dtypes, nest
from tensorflow.framework.context import current, tracing
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.graphs import Graph
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import Tensor, convert_to_tensor


class KerasTensor(Tensor):
    is_keras = True
    graph = None

    def __init__(self, shape, dtype, name=None):
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name
        self._keras_history = None  # (layer, node index, tensor index)
        self.node = None

    def __bool__(self):
        raise TypeError("A symbolic Keras input/output has no truth value: a Keras model has no Python conditions on its "
                        "tensors. Write a layer, or use tf.where.")

    def __iter__(self):
        if not self.shape.rank or self.shape[0] is None:
            raise TypeError("Cannot iterate over a symbolic Keras tensor with unknown first dimension.")
        return (self[i] for i in range(self.shape[0]))

    def __array__(self, dtype=None):
        raise TypeError("A symbolic Keras input/output cannot be converted to a numpy array. Write a layer for what is to "
                        "be computed of it.")

    def __repr__(self):
        layer = f" (created by layer '{self._keras_history[0].name}')" if self._keras_history else ""
        return f"<KerasTensor: shape={self.shape} dtype={self.dtype.name}{layer}>"


class Node:
    """One call of a layer: arguments with KerasTensors in them, and what came out."""

    def __init__(self, layer, args, kwargs, outputs, stage=None):
        self.layer, self.args, self.kwargs, self.outputs = layer, args, kwargs, outputs
        self.inputs = [t for t in nest.flatten((args, kwargs)) if isinstance(t, KerasTensor)]
        self.stage = stage
        self.shard = current.shard
        layer._inbound_nodes.append(self)
        for i, tensor in enumerate(nest.flatten(outputs)):
            tensor._keras_history = (layer, len(layer._inbound_nodes) - 1, i)
            tensor.node = self

    def inbound_layers(self):
        return [t._keras_history[0] for t in self.inputs]

    def run(self, values):
        """The call on other tensors: values by the id of a KerasTensor."""
        def put(t):
            return values[id(t)] if isinstance(t, KerasTensor) else t
        args, kwargs = nest.map_structure(put, self.args), nest.map_structure(put, self.kwargs)
        return self.layer(*args, **kwargs)


def shapes_of(function, tensors):
    """What a function makes of tensors of these shapes, as KerasTensors: it is traced once, and forgotten. Where a batch of the
    size that stands for an unknown one is too large for a device, two small ones say what depends on it."""
    try:
        return _traced(function, tensors)
    except InvalidArgumentError as problem:
        if "more than a device can hold" not in str(problem) or not any(t.shape.rank and t.shape[0] is None for t in tensors):
            raise
    return nest.map_structure(_of_both, *[_traced(function, tensors, batch) for batch in (2, 3)])


def _of_both(one, other):
    shape = [a if a == b else None for a, b in zip(one.shape, other.shape)]
    out = KerasTensor(shape, one.dtype, one.name)
    if getattr(one, "_keras_mask", None) is not None:
        out._keras_mask = _of_both(one._keras_mask, other._keras_mask)
    return out


def _with_batch(t, batch):
    return t.shape if batch is None or not t.shape.rank or t.shape[0] is not None else [batch, *t.shape[1:]]


def _traced(function, tensors, batch=None):
    graph = Graph(name="shapes")
    graph.makes_variables = True
    given = {}
    with tracing(graph):
        for t in tensors:
            given[id(t)] = graph.input(_with_batch(t, batch), t.dtype, "in")
            given[id(t)]._keras_mask = _mask_in(graph, t, batch)
        made = function(lambda t: given[id(t)])
        out = nest.map_structure(lambda t: _of(graph, t, given), made)
    return out


def _mask_in(graph, t, batch):
    mask = getattr(t, "_keras_mask", None)
    return None if mask is None else graph.input(_with_batch(mask, batch), mask.dtype, "mask")


def _of(graph, tensor, given):
    made = graph.taken(convert_to_tensor(tensor))
    out = KerasTensor(made.shape, made.dtype, getattr(made, "name", None))
    mask = getattr(tensor, "_keras_mask", None)
    if mask is not None:
        out._keras_mask = KerasTensor(mask.shape, mask.dtype)
    return out
