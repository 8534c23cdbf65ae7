# SPDX-License-Identifier: MIT
"""DataLoader: batches as numpy arrays; num_workers threads prepare them ahead."""
import collections
import concurrent.futures
import numbers

import numpy as np

from .dataset import IterableDataset
from .sampler import BatchSampler


def default_collate_fn(batch):
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
    def __init__(self, dataset, feed_list=None, places=None, return_list=True, batch_sampler=None, batch_size=1,
                 shuffle=False, drop_last=False, collate_fn=None, num_workers=0, use_buffer_reader=True,
                 use_shared_memory=True, timeout=0, worker_init_fn=None, persistent_workers=False):
        if num_workers < 0:
            raise ValueError("num_workers should be a non-negative value.")
        if worker_init_fn is not None or timeout:
            raise NotImplementedError("(Unimplemented) DataLoader: worker_init_fn and timeout. Workers are threads here.")
        self.dataset, self.feed_list, self.return_list = dataset, feed_list, return_list
        self.num_workers, self.batch_size, self.drop_last = num_workers, batch_size, drop_last
        self.collate_fn = collate_fn or default_collate_fn
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable and (batch_sampler is not None or shuffle):
            raise ValueError("An IterableDataset has its own order: no batch_sampler and no shuffle.")
        self.batch_sampler = None if self._iterable else batch_sampler or BatchSampler(
            dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)

    def __len__(self):
        if self._iterable:
            raise ValueError("length of IterableDataset not supported.")
        return len(self.batch_sampler)

    def __iter__(self):
        if self._iterable:
            return self._in_order()
        return self._ahead() if self.num_workers else map(self._batch, self.batch_sampler)

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

    def _ahead(self):
        with concurrent.futures.ThreadPoolExecutor(self.num_workers) as pool:
            waiting = collections.deque()
            for indices in self.batch_sampler:
                waiting.append(pool.submit(self._batch, indices))
                if len(waiting) > 2 * self.num_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
