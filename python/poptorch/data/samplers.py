# SPDX-License-Identifier: MIT
"""Which elements of a dataset come, and in which batches."""
import torch

from poptorch.base.structure import _parser, _parsers, dict_maker
from poptorch.errors import createPoptorchError


class Partition(torch.utils.data.Sampler):
    """The part of one of several processes. With a seed all of them shuffle alike and then take their parts.

    Parts have the same size, a multiple of `batch` where there is so much. What is left over changes from epoch to epoch, so
    that all elements are used if it shuffles."""

    def __init__(self, size, process, processes, seed=None, batch=1):
        self._size, self._process, self._processes, self._seed = size, process, processes, seed
        self._batch = batch
        self._epoch = 0

    def __len__(self):
        share = self._size // self._processes
        return share - share % self._batch if share >= self._batch else share

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


class Groups:
    """Consecutive batches of a loader, this many in one: joined after they were collated, each by itself. A batch may have
    a form of its own, such as rows that collate_fn padded to a fixed number."""

    def __init__(self, loader, count, drop_last):
        self._loader, self._count, self._drop_last = loader, count, drop_last
        self._parsers = dict(_parsers)  # for a process that loads, where nobody may have registered them

    def __len__(self):
        whole, rest = divmod(len(self._loader), self._count)
        return whole + (1 if rest and not self._drop_last else 0)

    def __iter__(self):
        return self.of(iter(self._loader))

    def of(self, batches):
        _parsers.update(self._parsers)
        group = []
        for batch in batches:
            group.append(batch)
            if len(group) == self._count:
                yield joined(group)
                group = []
        if group and not self._drop_last:
            yield joined(group)


def _check_alike(batches, form):
    """Or a part would be lost without a word."""
    first = form(batches[0])
    other = next((form(batch) for batch in batches if form(batch) != first), first)
    if other != first:
        raise createPoptorchError(f"DataLoader: the batches of one call have different parts: {first} and {other}. Let "
                                  "collate_fn return the same for each.")


def joined(batches):
    """One batch of several: tensors one after the other, within tuples, lists, dicts and registered types."""
    first = batches[0]
    if isinstance(first, torch.Tensor):
        return torch.cat(batches) if first.dim() else torch.stack(batches)
    parser = _parser(first)
    if parser is not None:
        tensors = zip(*[list(parser.yieldTensors(batch)) for batch in batches])
        return parser.reconstruct(first, iter([joined(list(parts)) for parts in tensors]))
    if isinstance(first, dict):
        _check_alike(batches, lambda batch: sorted(map(str, batch)))
        return dict_maker(first)({key: joined([batch[key] for batch in batches]) for key in first})
    if isinstance(first, list) and all(isinstance(entry, str) for batch in batches for entry in batch):
        return [entry for batch in batches for entry in batch]
    if isinstance(first, (list, tuple)):
        _check_alike(batches, len)
        parts = [joined(list(parts)) for parts in zip(*batches)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if any(batch != first for batch in batches):
        raise createPoptorchError(f"DataLoader: the batches of one call have different values of {type(first).__name__}, "
                                  f"such as {first!r}. Let collate_fn return tensors, which are put together.")
    return first
