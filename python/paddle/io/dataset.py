# SPDX-License-Identifier: MIT
"""Data sets: samples by number, or one after the other."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._names import refuse_options
from ..typed import DatasetLike, TensorLike


class Dataset:
    """Examples by index: write __getitem__ and __len__."""
    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__.")

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __len__.")


class IterableDataset(Dataset):
    """Examples in order: write __iter__."""
    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} has no __iter__.")

    def __getitem__(self, index):
        raise RuntimeError("An IterableDataset has no samples by number.")


class TensorDataset(Dataset):
    """Row i of every array."""

    def __init__(self, tensors: TensorLike) -> None:
        self.tensors = [np.asarray(t) for t in tensors]
        if len({len(t) for t in self.tensors}) != 1:
            raise ValueError("All tensors of a TensorDataset must have the same number of rows.")

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return len(self.tensors[0])


class ComposeDataset(Dataset):
    """The fields of several data sets side by side."""

    def __init__(self, datasets: DatasetLike) -> None:
        self.datasets = list(datasets)

    def __len__(self):
        return min(len(d) for d in self.datasets)

    def __getitem__(self, index):
        out: "list[object]" = []
        for d in self.datasets:
            sample = d[index]
            out += sample if isinstance(sample, (list, tuple)) else [sample]
        return tuple(out)


class ChainDataset(IterableDataset):
    """Iterable datasets, one after the other."""
    def __init__(self, datasets: DatasetLike) -> None:
        self.datasets = list(datasets)

    def __iter__(self):
        for d in self.datasets:
            yield from d


class Subset(Dataset):
    """The examples of a dataset with these indices."""
    def __init__(self, dataset: DatasetLike, indices: TensorLike) -> None:
        self.dataset, self.indices = dataset, list(indices)

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset: DatasetLike, lengths: list, generator: Any = None) -> list:
    """Datasets of these lengths, which share out the examples at random."""
    refuse_options("random_split", generator=generator)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset.")
    order = np.random.permutation(len(dataset)).tolist()
    out, at = [], 0
    for n in lengths:
        out.append(Subset(dataset, order[at:at + n]))
        at += n
    return out
