# SPDX-License-Identifier: MIT
"""The order in which samples are taken."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import distributed
from ..typed import DatasetLike


class Sampler:
    """Indices of a dataset, in some order: write __iter__."""
    def __init__(self, data_source: Any = None) -> None:
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__.")

    def __len__(self):
        return len(self.data_source)


class SequenceSampler(Sampler):
    """All indices in order."""
    def __iter__(self):
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    def __init__(self, data_source: Any, replacement: bool = False, num_samples: int | None = None,
                 generator: Any = None) -> None:
        """generator: gives the numbers of the samples one by one."""
        super().__init__(data_source)
        self._generator = generator
        self._replacement, self._count = replacement, num_samples or len(data_source)

    def __iter__(self):
        n = len(self.data_source)
        if self._generator is not None:
            return itertools.islice(self._generator, self._count)
        order = np.random.randint(0, n, self._count) if self._replacement else np.random.permutation(n)[:self._count]
        return iter(order.tolist())

    def __len__(self):
        return self._count


class BatchSampler(Sampler):
    """Lists of indices, one for each batch."""
    def __init__(self, dataset: DatasetLike | None = None, sampler: Any = None, shuffle: bool = False, batch_size: int = 1,
                 drop_last: bool = False) -> None:
        if (dataset is None) == (sampler is None):
            raise ValueError("One of dataset and sampler must be given to a BatchSampler.")
        if not isinstance(batch_size, int) or batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer, but got {batch_size!r}.")
        self.sampler = sampler or (RandomSampler(dataset) if shuffle else SequenceSampler(dataset))
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one process of several: batch after batch goes to the next process. All get as many samples: the
    first ones are taken again where the last are too few."""

    def __init__(self, dataset: DatasetLike, batch_size: int, num_replicas: int | None = None, rank: int | None = None,
                 shuffle: bool = False, drop_last: bool = False) -> None:
        super().__init__(dataset, batch_size=batch_size, drop_last=drop_last)
        self.dataset, self.shuffle, self.epoch = dataset, shuffle, 0
        self.nranks = distributed.get_world_size() if num_replicas is None else num_replicas
        self.local_rank = distributed.get_rank() if rank is None else rank
        if not 0 <= self.local_rank < self.nranks:
            raise ValueError(f"rank={self.local_rank} is not among num_replicas={self.nranks} processes.")
        self.num_samples = -(-len(dataset) // self.nranks)

    def set_epoch(self, epoch: int) -> None:
        """Another order of samples, the same in all processes."""
        self.epoch = epoch

    def _own(self):
        n, whole = len(self.dataset), self.num_samples * self.nranks
        order = np.random.RandomState(self.epoch).permutation(n) if self.shuffle else np.arange(n)
        order = np.resize(order, whole)
        rows = whole // (self.batch_size * self.nranks) * self.batch_size * self.nranks
        full = order[:rows].reshape(-1, self.nranks, self.batch_size)[:, self.local_rank].reshape(-1)
        rest = order[rows:].reshape(self.nranks, -1)[self.local_rank]  # what is left is divided evenly
        return np.concatenate([full, rest]).tolist()

    def __iter__(self):
        self.sampler = self._own()
        return super().__iter__()

    def __len__(self):
        n = self.num_samples
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
