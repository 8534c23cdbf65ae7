# SPDX-License-Identifier: MIT
"""Iterators of data sets in graphs: get_next() is a tensor that a session fills."""
from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.errors import FailedPreconditionError, OutOfRangeError
from tensorflow.framework.operations import Operation
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.specs import TensorSpec


class GraphIterator:
    def __init__(self, dataset, initialized=False):
        if active() is None:
            raise RuntimeError("Iterators of TensorFlow 1 need a graph: call tf.compat.v1.disable_v2_behavior() first, or use "
                               "iter(dataset).")
        self._dataset, self._spec = dataset, None if dataset is None else dataset._spec
        self._elements = dataset._make() if initialized else None
        self._tensors = []

    @property
    def initializer(self):
        def run():
            self._elements = self._dataset._make()
        return Operation(active(), "MakeIterator", run=run)

    def get_next(self, name=None):
        graph = active()
        out = nest.map_structure(lambda s: graph.input(s.shape, s.dtype, name or "IteratorGetNext"), self._spec)
        tensors = nest.flatten(out)
        producer = _Next(self, tensors)
        for t in tensors:
            t.producer = producer
        return out

    def next_element(self):
        if self._elements is None:
            raise FailedPreconditionError(None, None, "GetNext() failed because the iterator has not been initialized. "
                                          "Ensure that you have run the initializer operation for this iterator before "
                                          "getting the next element.")
        try:
            return nest.flatten(next(self._elements))
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None


class Iterator(GraphIterator):
    """An iterator of any data set whose elements have this structure: make_initializer says which."""

    def __init__(self, structure):
        super().__init__(None)
        self._spec = structure

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        types = nest.flatten(output_types)
        shapes = [TensorShape(None)] * len(types) if output_shapes is None else _shapes(output_types, output_shapes)
        if any(TensorShape(s).rank is None for s in shapes):
            raise NotImplementedError("Iterator.from_structure without shapes is not there: give output_shapes.")
        return Iterator(nest.pack_sequence_as(output_types, [TensorSpec(s, t) for s, t in zip(shapes, types)]))

    initializer = property(lambda self: _no_initializer())

    def make_initializer(self, dataset, name=None):
        ours, theirs = nest.flatten(self._spec), nest.flatten(dataset._spec)
        if len(ours) != len(theirs) or any(a.dtype is not b.dtype or not a.shape.is_compatible_with(b.shape)
                                           for a, b in zip(ours, theirs)):
            raise TypeError(f"The iterator has elements {self._spec}, the data set {dataset._spec}.")

        def run():
            self._elements = dataset._make()
        return Operation(active(), name or "MakeIterator", run=run)


def _shapes(types, shapes):
    """A shape for every type; lists of numbers are shapes."""
    if isinstance(types, dict):
        return [s for key in sorted(types) for s in _shapes(types[key], shapes[key])]
    if isinstance(types, (list, tuple)):
        return [s for t, own in zip(types, shapes) for s in _shapes(t, own)]
    return [TensorShape(shapes)]


def _no_initializer():
    raise ValueError("Iterator does not have an initializer: call make_initializer(dataset).")


class _Next:
    def __init__(self, iterator, tensors):
        self._iterator, self._tensors = iterator, tensors

    def produce(self, step):
        for t, value in zip(self._tensors, self._iterator.next_element()):
            step.values[id(t)] = value
