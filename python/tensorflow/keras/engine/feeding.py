# SPDX-License-Identifier: MIT
"""Data of fit(), evaluate() and predict() as executions: arrays that hold all batches of one run of the program. Arrays are
taken by slices of the user's memory where they can be; data sets are gathered batch by batch."""
import numpy as np

from tensorflow.data.dataset import Dataset
from tensorflow.framework import nest, seeds
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import backend


def _array(value):
    if value is None:
        return None
    array = value.array if hasattr(value, "array") else np.asarray(value)
    if array.dtype == np.float64:
        array = array.astype(backend.floatx())
    return array


class Alone(tuple):
    """(x, None, None) of data that are x itself: steps of the user's get it without a tuple around it."""


class Arrays:
    """x, y and weights in memory. shuffle: in another order every epoch."""

    def __init__(self, x, y, weight, batch_size, shuffle):
        batch_size = 32 if batch_size is None else int(batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}.")
        kind = tuple if nest.is_nested(x) or y is not None or weight is not None else Alone
        self.structure = kind(nest.map_structure(_array, part) for part in (x, y, weight))
        self._flat = [a for a in nest.flatten(self.structure) if a is not None]
        counts = {len(a) for a in self._flat if a.ndim}
        if any(a.ndim == 0 for a in self._flat):
            raise ValueError("Data must have a first dimension of samples; a scalar was given.")
        if len(counts) > 1:
            sizes = ", ".join(str(len(a)) for a in self._flat)
            raise ValueError(f"Data cardinality is ambiguous:\n  sizes: {sizes}\nMake sure all arrays contain the same "
                             "number of samples.")
        self.samples = counts.pop() if counts else 0
        self.batch = batch_size
        self._shuffle = shuffle
        self.whole, self.rest = divmod(self.samples, batch_size)
        self.size = self.whole + (self.rest > 0)  # batches

    def example(self, batch=None):
        n = min(self.batch, self.samples) if batch is None else batch
        return nest.map_structure(lambda a: None if a is None else a[:n], self.structure)

    def executions(self, per_run, limit=None):
        """(arrays, batches, whether it is the partial one), `per_run` batches at a time and then what is left."""
        order = None
        if self._shuffle:
            order = seeds.generator().permutation(self.samples)
        whole = self.whole if limit is None else min(self.whole, limit)
        at = 0
        while at < whole:
            n = per_run if at + per_run <= whole else 1
            yield self._rows(order, at * self.batch, (at + n) * self.batch), n, self.batch
            at += n
        if self.rest and (limit is None or limit > self.whole):
            yield self._rows(order, self.whole * self.batch, self.samples), 1, self.rest

    def _rows(self, order, begin, end):
        if order is None:
            return [a[begin:end] for a in self._flat]
        rows = order[begin:end]
        return [np.take(a, rows, 0) for a in self._flat]


class Batches:
    """A data set, or a generator of batches."""

    def __init__(self, source, size=None, infinite=False, keep=False):
        self._source, self.size = source, size
        self._iterator = None
        self._keep = keep  # go on from where the last epoch ended
        self._first = None
        self.rest = 0
        self.batch = None
        first = self._peek()
        self.structure = first
        self.batch = next((len(a) for a in nest.flatten(first) if a is not None and a.ndim), None)

    def _next(self):
        if self._first is not None:
            out, self._first = self._first, None
            return out
        if self._iterator is None:
            self._iterator = iter(self._source() if callable(self._source) else self._source)
        return _unpacked(next(self._iterator))

    def _peek(self):
        try:
            self._first = self._next()
        except StopIteration:
            raise ValueError("Your input does not have enough data: it has no batch at all.") from None
        return self._first

    def example(self, batch=None):
        return self.structure if batch is None else nest.map_structure(
            lambda a: None if a is None else a[:batch], self.structure)

    def restart(self):
        self._iterator = self._first = None

    def executions(self, per_run, limit=None):
        if not self._keep and self._first is None:
            self.restart()
        waiting, count = [], 0
        while limit is None or count < limit:
            try:
                batch = [a for a in nest.flatten(self._next()) if a is not None]
            except StopIteration:
                self._iterator = None
                break
            count += 1
            if len(batch[0]) != self.batch:
                yield from self._flush(waiting, per_run)
                waiting = []
                yield batch, 1, len(batch[0])
                continue
            waiting.append(batch)
            if len(waiting) == per_run:
                yield _joined(waiting), per_run, self.batch
                waiting = []
        yield from self._flush(waiting, per_run)

    def _flush(self, waiting, per_run):
        for batch in waiting:
            yield batch, 1, self.batch


def _joined(batches):
    return batches[0] if len(batches) == 1 else [np.concatenate(parts) for parts in zip(*batches)]


def _unpacked(data):
    """What a data set gives, as (x, y, weight)."""
    data = nest.map_structure(_array, data)
    if not isinstance(data, tuple):
        return Alone((data, None, None))
    if len(data) > 3:
        raise ValueError(f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found a "
                         f"tuple of {len(data)}.")
    return (*data, *[None] * (3 - len(data)))


def is_dataset(x):
    return isinstance(x, Dataset)


def feed_of(x, y=None, sample_weight=None, batch_size=None, shuffle=False, steps=None):
    if is_dataset(x):
        if y is not None or sample_weight is not None:
            raise ValueError("`y` argument is not supported when using dataset as input.")
        size = x.known_size()
        return Batches(x, size, keep=steps is not None and (size is None or size < 0 or size > steps))
    if hasattr(x, "__getitem__") and hasattr(x, "__len__") and hasattr(x, "on_epoch_end"):
        return Batches(lambda: (x[i] for i in range(len(x))), len(x))
    if hasattr(x, "__next__"):
        return Batches(x, None, keep=True)
    if hasattr(x, "_arrays_of_iterator"):
        return x._arrays_of_iterator()
    leaves = [v for v in nest.flatten(x)]
    if not leaves or not all(isinstance(v, (np.ndarray, Tensor, list)) or hasattr(v, "__array__") or
                             isinstance(v, (int, float)) for v in leaves):
        raise ValueError(f"Failed to find data adapter that can handle input: {type(x)}, {type(y)}")
    if isinstance(x, list) and leaves and isinstance(leaves[0], (int, float)):
        x = np.asarray(x)
    if isinstance(y, list) and nest.flatten(y) and isinstance(nest.flatten(y)[0], (int, float)):
        y = np.asarray(y)
    return Arrays(x, y, sample_weight, batch_size, shuffle)
