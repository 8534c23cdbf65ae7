# SPDX-License-Identifier: MIT
"""Which elements of a dataset come, and in which batches."""
import torch


class Partition(torch.utils.data.Sampler):
    """The part of one of several processes. With a seed all of them shuffle alike and then take their parts.

    Parts have the same size. What is left over changes from epoch to epoch, so that all elements are used if it shuffles."""

    def __init__(self, size, process, processes, seed=None):
        self._size, self._process, self._processes, self._seed = size, process, processes, seed
        self._epoch = 0

    def __len__(self):
        return self._size // self._processes

    def __iter__(self):
        count, epoch = len(self), self._epoch
        self._epoch += 1
        first = self._process * count
        if self._seed is None:
            return iter(range(first, first + count))
        if epoch % 2:
            first += self._size - count * self._processes
        order = torch.randperm(self._size, generator=torch.Generator().manual_seed(self._seed + epoch))
        return iter(order[first:first + count].tolist())


class CombinedBatches(torch.utils.data.Sampler):
    """Consecutive batches of another sampler, so many in one."""

    def __init__(self, batches, count, drop_last):
        self._batches, self._count, self._drop_last = batches, count, drop_last

    def __len__(self):
        whole, rest = divmod(len(self._batches), self._count)
        return whole + (1 if rest and not self._drop_last else 0)

    def __iter__(self):
        together, number = [], 0
        for batch in self._batches:
            together += list(batch)
            number += 1
            if number == self._count:
                yield together
                together, number = [], 0
        if together and not self._drop_last:
            yield together
