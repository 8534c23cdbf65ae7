# SPDX-License-Identifier: MIT
"""The order in which samples are taken."""
import numpy as np


class Sampler:
    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__.")

    def __len__(self):
        return len(self.data_source)


class SequenceSampler(Sampler):
    def __iter__(self):
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__(data_source)
        self._replacement, self._count = replacement, num_samples or len(data_source)

    def __iter__(self):
        n = len(self.data_source)
        order = np.random.randint(0, n, self._count) if self._replacement else np.random.permutation(n)[:self._count]
        return iter(order.tolist())

    def __len__(self):
        return self._count


class BatchSampler(Sampler):
    def __init__(self, dataset=None, sampler=None, shuffle=False, batch_size=1, drop_last=False):
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
