# SPDX-License-Identifier: MIT
"""Outfeeds: what a program on the IPU gives back while it runs."""
from __future__ import annotations

import enum
import threading
from typing import Any

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active, current
from tensorflow.framework.errors import FailedPreconditionError
from tensorflow.framework.logs import without_effect
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.python.ipu import inner_feeds


class IPUOutfeedMode(enum.Enum):
    """Whether a queue keeps all elements or the last one."""
    ALL, LAST = "all", "get_last"


def _program():
    """The graph of the program that is being traced, if it is one for IPUs."""
    graph = active()
    while graph is not None and graph.outfeeds is None:
        graph = graph.outer
    return graph


class IPUOutfeedQueue:
    """Values that programs on the IPU give to the host."""
    def __init__(self, outfeed_mode: IPUOutfeedMode | None = None, device_ordinal: int | None = None, buffer_depth: int = 3,
                 optimise_latency: bool = False, feed_name: str | None = None):
        without_effect(buffer_depth=buffer_depth != 3 and buffer_depth, optimise_latency=optimise_latency)
        self._mode = IPUOutfeedMode(outfeed_mode or IPUOutfeedMode.ALL)
        if not 1 <= buffer_depth <= 255:
            raise ValueError(f"buffer_depth must be between 1 and 255, not {buffer_depth}.")
        self._waiting, self._structure, self._enqueued, self._count = [], None, False, 1
        self._nothing = []  # of every tensor an array without rounds
        self._turn = threading.Lock()  # one thread may dequeue what another one's programs give

    _within = None  # the program that it is enqueued in
    keeps_all = property(lambda self: self._mode is IPUOutfeedMode.ALL)
    enqueued = property(lambda self: self._enqueued)

    def enqueue(self, tensors: TensorLike) -> Operation:
        """In a program: these go out in every round; in a model's layer, with every batch."""
        graph = _program()
        if graph is None:
            if active() is not None and active().root.name == "shapes":  # of a layer: nothing is computed in there
                return Operation(active(), "outfeed_enqueue")
            raise RuntimeError("IPUOutfeedQueue.enqueue belongs into a program for an IPU.")
        inside = active() is not graph or current.update
        again = self._within is graph and inside or graph.is_one_of_several and self._within is not graph
        if self._enqueued and not again:  # bodies of loops may be traced twice
            raise ValueError("An outfeed can only be enqueued once.")
        self._enqueued, self._within = True, graph
        flat = [convert_to_tensor(t) for t in nest.flatten(tensors)]
        self._nothing = [np.empty((0, *t.shape.as_list()), t.dtype.as_numpy_dtype) for t in flat]
        self._structure = nest.map_structure(lambda _: 0, tensors)
        if inside:
            inner_feeds.enqueued(self, flat, graph)
        else:
            graph.outfeeds.append((self, [graph.taken(t) for t in flat]))
        return Operation(graph, "outfeed_enqueue")

    def accumulates(self, count: int) -> None:
        """The queue gets sums of this many rounds."""
        if not self.keeps_all:
            raise ValueError("accumulate_outfeed needs an outfeed queue with IPUOutfeedMode.ALL.")
        self._count = count

    def put(self, arrays: TensorLike) -> None:
        """What a run gave: of every tensor [rounds, ...], or the last one."""
        if self.keeps_all:
            self._nothing = [np.asarray(a)[:0] for a in arrays]
        if self._count > 1:
            arrays = [a.reshape(-1, self._count, *a.shape[1:]).sum(1, dtype=np.float64).astype(a.dtype) for a in arrays]
        with self._turn:
            self._waiting = [*self._waiting, arrays] if self.keeps_all else [arrays]

    def _take(self):
        if self._structure is None:
            raise RuntimeError("Trying to dequeue an outfeed which has not been enqueued.")
        with self._turn:
            waiting = self._waiting
            if self.keeps_all:
                self._waiting = []
        if not waiting and self.keeps_all:
            return self._nothing
        if not waiting:
            raise FailedPreconditionError(None, None, "The outfeed has nothing to give: no program has run.")
        return [np.concatenate(each) if self.keeps_all else each[0] for each in zip(*waiting)]

    def dequeue(self, wait_for_completion: bool = False) -> Tensor | _Dequeue | tuple:
        """The values so far; with LAST, the last one."""
        if active() is not None:
            return _Dequeue(self)
        return nest.pack_sequence_as(self._structure, [EagerTensor(a) for a in self._take()])

    @property
    def deleter(self) -> Operation | None:
        """An operation of TensorFlow 1 that frees the queue."""
        def stop():
            self._waiting = []
        if active() is None:
            stop()
            return None
        return Operation(active(), "outfeed_delete", run=stop)

    def __iter__(self):
        """Elements one by one."""
        if self.keeps_all:
            for row in zip(*self._take() if self._waiting else ()):
                yield nest.pack_sequence_as(self._structure, [EagerTensor(np.asarray(a)) for a in row])


class IPUOutfeedQueueIterator:
    """The elements of a queue, one by one."""

    def __init__(self, outfeed_queue: Any) -> None:
        self._elements = iter(outfeed_queue)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._elements)


class _Dequeue:
    """For Session.run: what has gone out until then."""

    def __init__(self, queue):
        self._queue = queue

    def evaluate(self, step):
        return nest.pack_sequence_as(self._queue._structure, self._queue._take())


class ScopedIPUOutfeedQueue(IPUOutfeedQueue):
    """An outfeed queue that keeps the last element."""
    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._waiting = []
