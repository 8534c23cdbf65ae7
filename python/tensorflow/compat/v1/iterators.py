# SPDX-License-Identifier: MIT
"""Iterators of data sets in graphs: get_next() is a tensor that a session fills."""
from tensorflow.framework import nest
from tensorflow.framework.errors import FailedPreconditionError, OutOfRangeError
from tensorflow.framework.graphs import active
from tensorflow.framework.operations import Operation


class GraphIterator:
    def __init__(self, dataset, initialized=False):
        if active() is None:
            raise RuntimeError("Iterators of TensorFlow 1 need a graph: call tf.compat.v1.disable_v2_behavior() first, or use "
                               "iter(dataset).")
        self._dataset = dataset
        self._elements = dataset._make() if initialized else None
        self._tensors = []

    @property
    def initializer(self):
        def run():
            self._elements = self._dataset._make()
        return Operation(active(), "MakeIterator", run=run)

    def get_next(self, name=None):
        graph = active()
        out = nest.map_structure(lambda s: graph.input(s.shape, s.dtype, name or "IteratorGetNext"), self._dataset._spec)
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


class _Next:
    def __init__(self, iterator, tensors):
        self._iterator, self._tensors = iterator, tensors

    def produce(self, step):
        for t, value in zip(self._tensors, self._iterator.next_element()):
            step.values[id(t)] = value
