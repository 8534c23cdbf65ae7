# SPDX-License-Identifier: MIT
"""DataLoader: batches as numpy arrays; num_workers processes prepare them ahead."""
from __future__ import annotations

import numbers
from typing import Any, Callable, Sequence

import numpy as np

from .dataset import IterableDataset
from .sampler import BatchSampler
from .workers import Workers
from ..typed import DatasetLike

_AHEAD = 2  # batches of each worker


def default_collate_fn(batch: Any) -> Any:
    """A list of samples as arrays with a batch dimension."""
    first = batch[0]
    if isinstance(first, dict):
        return {key: default_collate_fn([sample[key] for sample in batch]) for key in first}
    if isinstance(first, (list, tuple)):
        return [default_collate_fn(list(field)) for field in zip(*batch)]
    if isinstance(first, numbers.Number):
        return np.array(batch)
    return np.stack([np.asarray(sample) for sample in batch])


class DataLoader:
    """use_buffer_reader and places change nothing: feeds are used where they lie."""

    def __init__(self, dataset: DatasetLike, feed_list: Sequence | None = None, places: Sequence | None = None,
                 return_list: bool = True, batch_sampler: Any = None, batch_size: int = 1, shuffle: bool = False,
                 drop_last: bool = False, collate_fn: Callable | None = None, num_workers: float = 0,
                 use_buffer_reader: bool = True, use_shared_memory: bool = True, timeout: float = 0,
                 worker_init_fn: Callable | None = None, persistent_workers: bool = False) -> None:
        if not isinstance(num_workers, int) or num_workers < 0:
            raise ValueError(f"num_workers should be a non-negative value, but got {num_workers!r}.")
        if not isinstance(timeout, (int, float)) or timeout < 0:
            raise ValueError(f"timeout should be a non-negative value (seconds; 0: no limit), but got {timeout!r}.")
        self.dataset, self.feed_list, self.return_list = dataset, feed_list, return_list
        self.num_workers, self.batch_size, self.drop_last = num_workers, batch_size, drop_last
        self.collate_fn = collate_fn or default_collate_fn
        self._timeout, self._init, self._shared = timeout, worker_init_fn, bool(use_shared_memory)
        self._persistent, self._epoch = bool(persistent_workers), 0
        self._kept: Workers | None = None
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable and (batch_sampler is not None or shuffle):
            raise ValueError("An IterableDataset has its own order: no batch_sampler and no shuffle.")
        self.batch_sampler: Any = None if self._iterable else batch_sampler or BatchSampler(
            dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)

    def __len__(self):
        if self._iterable:
            raise ValueError("length of IterableDataset not supported.")
        return len(self.batch_sampler)

    def __iter__(self):
        if self.num_workers:
            return self._ahead()
        return self._in_order() if self._iterable else map(self._batch, self.batch_sampler)

    __call__ = __iter__

    def _finished(self, batch):
        if self.feed_list is None or self.return_list:
            return batch
        return {var.name: value for var, value in zip(self.feed_list, batch)}

    def _batch(self, indices):
        return self._finished(self.collate_fn([self.dataset[i] for i in indices]))

    def _in_order(self):
        samples = []
        for sample in self.dataset:
            samples.append(sample)
            if len(samples) == self.batch_size:
                yield self._finished(self.collate_fn(samples))
                samples = []
        if samples and not self.drop_last:
            yield self._finished(self.collate_fn(samples))

    # ---- with workers

    def _answers(self):
        """In a worker: what makes batches. A batch stands in a list; an empty one is the end of an iterable."""
        if not self._iterable:
            return lambda indices: [self._batch(indices)]
        epochs: "dict[int, Any]" = {}

        def following(epoch):
            if epoch not in epochs:
                epochs.clear()
                epochs[epoch] = self._in_order()
            return [batch for batch in (next(epochs[epoch], None),) if batch is not None]
        return following

    def _workers(self):
        self._epoch += 1
        if self._kept is not None:
            try:
                self._kept.drain()
                return self._kept
            except RuntimeError:
                self._drop(self._kept)
        state = np.random.RandomState()
        state.set_state(np.random.get_state())  # a copy: workers do not change what the program draws
        seed = int(state.randint(0, 2**31)) + 1000 * self._epoch
        made = Workers(self.num_workers, self._answers, self.dataset, self._init, self._timeout, self._shared, seed)
        self._kept = made if self._persistent else None
        return made

    def _drop(self, workers):
        self._kept = None
        workers.close()

    def _ahead(self):
        workers, whole = self._workers(), False
        try:
            yield from (self._of_iterables(workers) if self._iterable else self._of_indices(workers))
            whole = True
        except GeneratorExit:
            whole = True  # left early: what was asked for is still to come
            raise
        finally:
            if not (self._persistent and whole):
                self._drop(workers)

    def _of_indices(self, workers):
        asked = given = 0
        for indices in self.batch_sampler:
            workers.ask(asked % len(workers), list(indices))
            asked += 1
            if asked - given > _AHEAD * len(workers):
                yield workers.answer(given % len(workers))[0]
                given += 1
        while given < asked:
            yield workers.answer(given % len(workers))[0]
            given += 1

    def _of_iterables(self, workers):
        """Every worker goes through the data set (get_worker_info() says which share to take); batches come in turn."""
        left = list(range(len(workers)))
        for worker in left * _AHEAD:
            workers.ask(worker, self._epoch)
        while left:
            for worker in list(left):
                batch = workers.answer(worker)
                if batch:
                    workers.ask(worker, self._epoch)
                    yield batch[0]
                else:
                    left.remove(worker)
        workers.drain()
