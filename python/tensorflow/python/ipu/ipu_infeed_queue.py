# SPDX-License-Identifier: MIT
"""Infeeds: a data set that a program on the IPU reads, an element for every round."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.data.dataset import Iterator
from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.errors import FailedPreconditionError, OutOfRangeError
from tensorflow.framework.logs import without_effect
from tensorflow.framework.operations import Operation
from tensorflow.framework.typed import DatasetLike
from tensorflow.framework.tensors import Tensor
from tensorflow.python.ipu import flags


class IPUInfeedQueue:
    """Elements of a dataset, for programs that run on the IPU."""
    def __init__(self, dataset: DatasetLike, device_ordinal: int | None = None, prefetch_depth: int | None = None,
                 optimise_latency: bool = False, feed_name: str | None = None) -> None:
        without_effect(prefetch_depth=prefetch_depth, optimise_latency=optimise_latency)
        if not hasattr(dataset, "element_spec"):
            raise TypeError(f"IPUInfeedQueue takes a tf.data.Dataset, not {type(dataset).__name__}.")
        self.dataset = dataset
        if prefetch_depth is not None and not 1 <= prefetch_depth <= 255:
            raise ValueError(f"prefetch_depth must be between 1 and 255, not {prefetch_depth}.")
        for spec in nest.flatten(dataset.element_spec):
            if not spec.shape.is_fully_defined():
                raise ValueError(f"Output shape {spec.shape} is not fully defined, which programs for IPUs need. If using "
                                 "batch, set drop_remainder=True.")
        self._elements = None
        self._initialized = self._used = False
        self._eager = active() is None  # then there is no session to run the initializer

    stacks = True  # one element is a list of one
    structure = property(lambda self: self.dataset.element_spec)
    number_of_tuple_elements = property(lambda self: len(nest.flatten(self.structure)))
    dequeued = property(lambda self: self._used)

    @property
    def initializer(self) -> Operation | None:
        """Starts reading; it may be asked for once."""
        if active() is None:
            self._start()
            return None
        if self._initialized:
            raise ValueError("The IPUInfeedQueue `initializer` function can only be accessed once.")
        self._initialized = True
        return Operation(active(), "infeed_start", run=self._start)

    def _start(self):
        self._elements = self.dataset._make()

    @property
    def deleter(self) -> Operation | None:
        """An operation of TensorFlow 1 that frees the queue."""
        def stop():
            self._elements, self._eager = None, False
        if active() is None:
            stop()
            return None
        return Operation(active(), "infeed_delete", run=stop)

    def get_next(self) -> Any:
        """The next element, within a program."""
        raise RuntimeError("`get_next` is obsolete: pass the queue to ipu.loops.repeat or pipelining_ops.pipeline.")

    def noted(self) -> None:
        """A program reads it."""
        self._used = True

    def dequeue_in(self, graph: Any) -> Tensor | dict | tuple:
        """The tensors of an element, as inputs of a program."""
        self.noted()
        out = nest.map_structure(lambda s: graph.input(s.shape, s.dtype, "infeed"), self.structure)
        graph.infeeds.append((self, nest.flatten(out)))
        return out

    def next_arrays(self, count: int) -> list:
        """The next elements, one array per tensor."""
        if self._elements is None and self._eager:
            self._start()
        if self._elements is None:
            raise FailedPreconditionError(None, None, "The infeed queue is not initialized: run its `initializer` first.")
        flag = flags.current()
        if flag.synthetic_for("infeed"):
            return []  # nothing is read
        if flag.null_data_feed:
            return [np.zeros((count, *s.shape.as_list()), s.dtype.as_numpy_dtype) for s in nest.flatten(self.structure)]
        rows = []
        for _ in range(count):
            try:
                rows.append(nest.flatten(next(self._elements)))
            except StopIteration:
                raise OutOfRangeError(None, None, f"End of sequence: the infeed has {len(rows)} elements left, but the "
                                      f"program reads {count}. Use dataset.repeat().") from None
        return [np.stack(each) for each in zip(*rows)]

    def __iter__(self):
        return iter(self.dataset)


class IPUIterator:
    """A data set's iterator for functions that IPUStrategy.run runs."""

    def __init__(self, dataset: DatasetLike | None = None, infeed_spec: Any = None, element_spec: Any = None,
                 **_: Any) -> None:
        if dataset is None:
            raise ValueError("IPUIterator needs the data set that it is of.")
        self._dataset = dataset
        self._iterator = iter(dataset)
        self.element_spec = dataset.element_spec

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iterator)


class IteratorQueue:
    """A data set's iterator as an infeed."""
    stacks = False

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    structure = property(lambda self: self._iterator.element_spec)

    def noted(self) -> None:
        """A program reads it."""
        for spec in nest.flatten(self._iterator.element_spec):
            if not spec.shape.is_fully_defined():
                raise ValueError(f"Output shape {spec.shape} is not fully defined, which programs for IPUs need. If using "
                                 "batch, set drop_remainder=True.")

    def dequeue_in(self, graph: Any) -> Tensor | dict | tuple:
        """The tensors of an element, as inputs of a program."""
        self.noted()
        out = nest.map_structure(lambda s: graph.input(s.shape, s.dtype, "infeed"), self._iterator.element_spec)
        graph.infeeds.append((self, nest.flatten(out)))
        return out

    def next_arrays(self, count: int) -> list:
        """The next elements, one array per tensor."""
        rows = []
        for _ in range(count):
            try:
                rows.append(nest.flatten(self._iterator.raw()))
            except StopIteration:
                raise OutOfRangeError(None, None, f"End of sequence: the program reads {count} elements, there were "
                                      f"{len(rows)}. Use dataset.repeat().") from None
        return [np.stack(each) if count > 1 else each[0] for each in zip(*rows)]


def queue_of(source: Any) -> Any:
    """What a loop or a pipeline reads: a queue, or an iterator as one."""
    if isinstance(source, IPUIterator):
        source = source._iterator
    return IteratorQueue(source) if isinstance(source, Iterator) else source


IPUOwnedIterator = IPUIterator
