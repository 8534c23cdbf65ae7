# SPDX-License-Identifier: MIT
"""Dataset: a sequence of elements (structures of arrays) that is computed while somebody looks. Slices of arrays stay arrays
as long as they can: batches of them are views, and shuffled ones are gathered at once."""
from __future__ import annotations

import itertools
import os
from typing import Any, Callable, Sequence

import numpy as np

from tensorflow.data import files, windows
from tensorflow.framework import dtypes, nest, seeds, wired
from tensorflow.framework.context import active, eagerly
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.tensors import EagerTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, DatasetLike, PathLike, TensorLike

AUTOTUNE = -1
INFINITE, UNKNOWN = -1, -2


class Options:
    """Nothing here depends on them."""

    def __init__(self):
        self.__dict__["_set"] = {}

    def __getattr__(self, name):
        return self._set.setdefault(name, Options())

    def __setattr__(self, name, value):
        self._set[name] = value


def _array(value):
    """The numbers of a tensor or of what can be one; in a graph of TensorFlow 1 those of a constant."""
    known = constant_value(convert_to_tensor(value))
    if known is None:
        raise ValueError(f"A data set is made of values that are known; {value!r} is computed when a graph runs. Feed it, or "
                         "compute it with numpy.")
    return known


def _tensor(value):
    """A data set within an element stays one."""
    return value if isinstance(value, Dataset) else EagerTensor(np.asarray(value))


def _arrays(structure):
    """Lists within are tensors, too."""
    if isinstance(structure, dict):
        return {key: _arrays(value) for key, value in structure.items()}
    if isinstance(structure, tuple):
        parts = [_arrays(value) for value in structure]
        return type(structure)(*parts) if hasattr(structure, "_fields") else tuple(parts)
    return _array(structure)


class Dataset:
    """make: a function that gives an iterator; size: elements, -1 endless, -2 unknown; spec: of an element."""

    def __init__(self, make: Callable, size: int, spec: Any, rows: list | None = None) -> None:
        self._make, self._size, self._spec = make, size, spec
        self._rows = rows  # flat arrays of which element i is row i, if that is all there is to it

    # ---- sources

    @staticmethod
    def from_tensor_slices(tensors: TensorLike, name: str | None = None) -> Dataset:
        """Elements along the first dimension of tensors. A list is one tensor, whose rows are its members."""
        whole = _arrays(tensors)
        flat = nest.flatten(whole)
        if any(a.ndim == 0 for a in flat):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        counts = {len(a) for a in flat}
        if len(counts) != 1:
            raise ValueError(f"Dimensions {sorted(counts)} are not compatible: all tensors must have the same first "
                             "dimension.")
        spec = nest.map_structure(lambda a: TensorSpec(a.shape[1:], a.dtype), whole)
        n = len(flat[0])

        def make():
            for i in range(n):
                yield nest.pack_sequence_as(whole, [a[i] for a in flat])
        return Dataset(make, n, spec, flat)

    @staticmethod
    def from_tensors(tensors: TensorLike, name: str | None = None) -> Dataset:
        """One element: the tensors as they are."""
        whole = _arrays(tensors)
        return Dataset(lambda: iter([whole]), 1, nest.map_structure(lambda a: TensorSpec(a.shape, a.dtype), whole))

    @staticmethod
    def from_generator(generator: Any, output_types: Sequence | None = None, output_shapes: Sequence | None = None,
                       args: Sequence | None = None, output_signature: tuple | None = None,
                       name: str | None = None) -> Dataset:
        """What a generator yields; the function is called for each pass."""
        if output_signature is not None:
            spec = output_signature
        elif output_types is not None:
            shapes = nest.map_structure(lambda _: None, output_types) if output_shapes is None else output_shapes
            flat_types = nest.flatten(output_types)
            flat_shapes = [shapes] if len(flat_types) == 1 and not isinstance(output_types, (list, tuple, dict)) else \
                _shapes(shapes, len(flat_types))
            spec = nest.pack_sequence_as(output_types, [TensorSpec(s, t) for s, t in zip(flat_shapes, flat_types)])
        else:
            raise TypeError("Must specify either `output_types` or `output_signature`")
        given = [np.asarray(a) for a in args or ()]

        def make():
            for element in generator(*given):
                yield _like_spec(spec, element)
        return Dataset(make, UNKNOWN, spec)

    @staticmethod
    def range(*args: Any, output_type: DTypeLike = dtypes.int64, name: str | None = None) -> Dataset:
        """Whole numbers, as Python's range has them."""
        numbers = range(*[int(a) for a in args])
        kind = dtypes.as_dtype(output_type).as_numpy_dtype
        return Dataset(lambda: (kind(n) for n in numbers), len(numbers), TensorSpec((), output_type),
                       [np.array(numbers, kind)])

    @staticmethod
    def zip(datasets: DatasetLike, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side; ends with the shortest."""
        flat = nest.flatten(datasets)
        spec = nest.map_structure(lambda d: d._spec, datasets)

        def make():
            for each in zip(*[d._make() for d in flat]):
                yield nest.pack_sequence_as(datasets, list(each))
        return Dataset(make, _smallest([d._size for d in flat]), spec)

    @staticmethod
    def list_files(file_pattern: PathLike | list, shuffle: bool | None = None, seed: int | None = None,
                   name: str | None = None) -> Dataset:
        """Names of the files of a pattern, in a random order unless shuffle is False."""
        names = files.matching(file_pattern)
        out = Dataset.from_tensor_slices(EagerTensor(names))
        return out.shuffle(len(names), seed) if shuffle is None or shuffle else out

    # ---- transformations

    def _like(self, make, size=None, spec=None, rows=None):
        return Dataset(make, self._size if size is None else size, self._spec if spec is None else spec, rows)

    def map(self, map_func: Callable, num_parallel_calls: int | None = None, deterministic: bool | None = None,
            name: str | None = None) -> Dataset:
        """A function of each element."""
        with_tuple = isinstance(self._spec, tuple)

        def one(element):
            with eagerly():
                tensors = nest.map_structure(_tensor, element)
                made = map_func(*tensors) if with_tuple else map_func(tensors)
                made = tuple(made) if isinstance(made, list) else made
                return nest.map_structure(lambda a: a if isinstance(a, Dataset) else _array(a), made)

        spec = self._spec_of(one)
        return Dataset(lambda: (one(e) for e in self._make()), self._size, spec)

    def _spec_of(self, function):
        """What a function makes of elements: of the first one; dimensions that were not known stay so."""
        first = next(iter(self._make()), None)
        if first is None:
            return self._spec
        made = function(first)
        open_first = any(s.shape.rank and s.shape[0] is None for s in nest.flatten(self._spec))

        def spec(a):
            if isinstance(a, Dataset):
                return a._spec
            a = np.asarray(a)
            shape = list(a.shape)
            if open_first and shape:
                shape[0] = None
            return TensorSpec(shape, a.dtype)
        return nest.map_structure(spec, made)

    def batch(self, batch_size: int, drop_remainder: bool = False, num_parallel_calls: int | None = None,
              deterministic: bool | None = None, name: str | None = None) -> Dataset:
        """Consecutive elements as one, with a new first dimension."""
        batch_size = int(batch_size)
        if batch_size < 1:
            raise ValueError("batch_size must be greater than zero.")
        size = self._size
        if size >= 0:
            size = size // batch_size if drop_remainder else -(-size // batch_size)
        exact = drop_remainder or self._size == INFINITE
        spec = nest.map_structure(lambda s: TensorSpec([batch_size if exact else None, *s.shape]
                                                       if s.shape.rank is not None else None, s.dtype), self._spec)

        def views():
            n = len(self._rows[0])
            for begin in range(0, n - batch_size + 1 if drop_remainder else n, batch_size):
                yield nest.pack_sequence_as(self._spec, [a[begin:begin + batch_size] for a in self._rows])

        def gathered():
            elements = self._make()
            while True:
                group = list(itertools.islice(elements, batch_size))
                if not group or drop_remainder and len(group) < batch_size:
                    return
                yield _stacked(self._spec, group)
        source = getattr(self, "_gather", None)
        if source is not None:
            return Dataset(lambda: source(batch_size, drop_remainder), size, spec)
        return Dataset(views if self._rows is not None else gathered, size, spec)

    def padded_batch(self, batch_size: int, padded_shapes: dict | list | tuple | None = None,
                     padding_values: tuple | None = None, drop_remainder: bool = False, name: str | None = None) -> Dataset:
        """Consecutive elements as one; each is filled up to padded_shapes, or where those are None or -1 to the largest of the
        batch."""
        flat = nest.flatten(self._spec)
        ranks = [s.shape.rank for s in flat]
        if None in ranks:
            raise ValueError("padded_batch needs elements of known rank.")
        shapes = [s.shape.as_list() for s in flat] if padded_shapes is None else \
            [s.as_list() for s in nest.flatten(_shapes_like(self._spec, padded_shapes))]
        for shape, s in zip(shapes, flat):
            if len(shape) != s.shape.rank:
                raise ValueError(f"The padded shape {shape} does not have the rank of the element's {s.shape}.")
        values = [None] * len(flat) if padding_values is None else nest.flatten(padding_values)
        values = values * len(flat) if len(values) == 1 else values
        out = Dataset(self._make, self._size, self._spec).batch(batch_size, drop_remainder)

        def make():
            elements = self._make()
            while True:
                group = list(itertools.islice(elements, int(batch_size)))
                if not group or drop_remainder and len(group) < batch_size:
                    return
                parts = zip(zip(*[nest.flatten(e) for e in group]), shapes, values)
                yield nest.pack_sequence_as(self._spec, [_filled_up(arrays, shape, value) for arrays, shape, value in parts])
        spec = [TensorSpec([out_spec.shape[0], *shape], s.dtype)
                for out_spec, s, shape in zip(nest.flatten(out._spec), flat, shapes)]
        return Dataset(make, out._size, nest.pack_sequence_as(self._spec, spec))

    def shuffle(self, buffer_size: int, seed: int | None = None, reshuffle_each_iteration: bool | None = None,
                name: str | None = None) -> Dataset:
        """A random order, drawn from a buffer of this size."""
        again = reshuffle_each_iteration is None or reshuffle_each_iteration
        state = {}

        def rng():
            if not again:
                return seeds.generator(seed if seed is not None else state.setdefault("seed", 1234))
            if seed is None:
                return seeds.generator()
            return state.setdefault("generator", seeds.generator(seed))

        def make():
            random, waiting = rng(), []
            for element in self._make():
                waiting.append(element)
                if len(waiting) >= buffer_size:
                    i = int(random.integers(len(waiting)))
                    waiting[i], waiting[-1] = waiting[-1], waiting[i]
                    yield waiting.pop()
            order = random.permutation(len(waiting))
            for i in order:
                yield waiting[i]
        out = self._like(make)
        if self._rows is not None and buffer_size >= len(self._rows[0]):
            def gather(batch_size, drop):
                order = rng().permutation(len(self._rows[0]))
                for begin in range(0, len(order) - batch_size + 1 if drop else len(order), batch_size):
                    rows = order[begin:begin + batch_size]
                    yield nest.pack_sequence_as(self._spec, [np.take(a, rows, 0) for a in self._rows])
            out._gather = gather
        return out

    def repeat(self, count: int | None = None, name: str | None = None) -> Dataset:
        """The dataset several times; None: without end."""
        if count is None or count < 0:
            def endless():
                while True:
                    nothing = True
                    for element in self._make():
                        nothing = False
                        yield element
                    if nothing:
                        return
            return self._like(endless, INFINITE if self._size != 0 else 0)
        size = self._size * count if self._size >= 0 else self._size if count else 0
        return self._like(lambda: itertools.chain.from_iterable(self._make() for _ in range(count)), size)

    def prefetch(self, buffer_size: int | None = None, name: str | None = None) -> Dataset:
        """Makes elements ready while others are used."""
        return self

    def cache(self, filename: PathLike = "", name: str | None = None) -> Dataset:
        """Keeps elements in memory after the first pass."""
        kept = []

        def make():
            if kept:
                yield from kept[0]
                return
            elements = []
            for element in self._make():
                elements.append(element)
                yield element
            kept[:] = [elements]
        return self._like(make, rows=self._rows)  # a shuffled one keeps the order of the first pass

    def take(self, count: TensorLike, name: str | None = None) -> Dataset:
        """The first `count` elements."""
        count = int(count)
        if count < 0:
            return self
        size = min(count, self._size) if self._size >= 0 else count if self._size == INFINITE else UNKNOWN
        rows = None if self._rows is None else [a[:count] for a in self._rows]
        return self._like(lambda: itertools.islice(self._make(), count), size, rows=rows)

    def skip(self, count: TensorLike, name: str | None = None) -> Dataset:
        """All but the first `count` elements; none if it is negative."""
        count = int(count)
        if count < 0:
            return self.take(0)
        size = max(self._size - count, 0) if self._size >= 0 else self._size
        rows = None if self._rows is None else [a[count:] for a in self._rows]
        return self._like(lambda: itertools.islice(self._make(), count, None), size, rows=rows)

    def shard(self, num_shards: int, index: int, name: str | None = None) -> Dataset:
        """Every num_shards-th element, from `index` on."""
        num_shards, index = int(num_shards), int(index)
        if num_shards < 1:
            raise ValueError(f"num_shards must be >= 1; got {num_shards}")
        if not 0 <= index < num_shards:
            raise ValueError(f"index must be in [0, {num_shards}); got {index}")
        size = self._size if self._size < 0 else max(0, -(-(self._size - index) // num_shards))
        rows = None if self._rows is None else [a[index::num_shards] for a in self._rows]
        return self._like(lambda: itertools.islice(self._make(), index, None, num_shards), size, rows=rows)

    def _holds(self, predicate):
        """Whether a function of an element gives true."""
        found = self._inner(predicate)
        return lambda element: bool(found(element))

    def filter(self, predicate: Callable, name: str | None = None) -> Dataset:
        """The elements for which a function holds."""
        kept = self._holds(predicate)
        return self._like(lambda: filter(kept, self._make()), UNKNOWN)

    def take_while(self, predicate: Callable, name: str | None = None) -> Dataset:
        """The elements before the first one for which a function does not hold."""
        goes_on = self._holds(predicate)
        return self._like(lambda: itertools.takewhile(goes_on, self._make()), UNKNOWN)

    def window(self, size: int, shift: int | None = None, stride: int = 1, drop_remainder: bool = False,
               name: str | None = None) -> Dataset:
        """Elements that are data sets of `size` elements; the next begins `shift` elements later."""
        size, stride = int(size), int(stride)
        shift = size if shift is None else int(shift)
        if min(size, shift, stride) < 1:
            raise ValueError(f"window: size ({size}), shift ({shift}) and stride ({stride}) must be positive.")
        specs = nest.flatten(self._spec)

        def make():
            for rows in windows.windows(self._make(), size, shift, stride, drop_remainder):
                columns = [list(column) for column in zip(*map(nest.flatten, rows))]
                yield nest.pack_sequence_as(self._spec, [_listed(*each) for each in zip(columns, specs)])
        return Dataset(make, UNKNOWN, self._spec)

    def concatenate(self, dataset: DatasetLike, name: str | None = None) -> Dataset:
        """These elements, then those of another dataset."""
        sizes = (self._size, dataset._size)
        size = INFINITE if INFINITE in sizes else UNKNOWN if UNKNOWN in sizes else sum(sizes)
        return self._like(lambda: itertools.chain(self._make(), dataset._make()), size)

    def unbatch(self, name: str | None = None) -> Dataset:
        """Batches taken apart into elements."""
        def make():
            for element in self._make():
                flat = nest.flatten(element)
                for i in range(len(flat[0])):
                    yield nest.pack_sequence_as(self._spec, [a[i] for a in flat])
        size = INFINITE if self.is_endless else UNKNOWN
        return self._like(make, size, nest.map_structure(lambda s: TensorSpec(s.shape[1:], s.dtype), self._spec))

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Dataset:
        """Pairs of a count and an element."""
        def make():
            for i, element in enumerate(self._make(), start):
                yield (np.int64(i), element)
        return self._like(make, spec=(TensorSpec((), "int64"), self._spec))

    def _inner(self, map_func):
        """A user's function of tensors as one of an element."""
        with_tuple = isinstance(self._spec, tuple)

        def inner(element):
            with eagerly():
                tensors = nest.map_structure(_tensor, element)
                return map_func(*tensors) if with_tuple else map_func(tensors)
        return inner

    def flat_map(self, map_func: Callable, name: str | None = None) -> Dataset:
        """The elements of all datasets that a function makes of each element."""
        inner = self._inner(map_func)
        return Dataset(lambda: itertools.chain.from_iterable(inner(e)._make() for e in self._make()), UNKNOWN,
                       inner(next(iter(self._make())))._spec)

    def interleave(self, map_func: Callable, cycle_length: int | None = None, block_length: int | None = None,
                   num_parallel_calls: int | None = None, deterministic: bool | None = None,
                   name: str | None = None) -> Dataset:
        """cycle_length data sets at a time (as many as cores without it), block_length elements of each in turn."""
        inner = self._inner(map_func)
        cycle, block = int(cycle_length or os.cpu_count() or 1), int(block_length or 1)
        if cycle < 1 or block < 1:
            raise ValueError(f"interleave: cycle_length ({cycle_length}) and block_length ({block_length}) must be positive.")
        return Dataset(lambda: _interleaved((inner(e)._make() for e in self._make()), cycle, block), UNKNOWN,
                       inner(next(iter(self._make())))._spec)

    def reduce(self, initial_state: TensorLike, reduce_func: Callable, name: str | None = None) -> Tensor:
        """One value: a function of the state so far and each element."""
        state = nest.map_structure(convert_to_tensor, initial_state)
        for element in self:
            state = reduce_func(state, element)
        return state

    def apply(self, transformation_func: Callable) -> Any:
        """What a function makes of the dataset."""
        return transformation_func(self)

    def with_options(self, options: Any) -> Dataset:
        """The dataset with options set."""
        return self

    def with_size(self, count: int) -> Dataset:
        """The dataset, said to have this many elements."""
        return self._like(self._make, int(count))

    # ---- what it is

    @property
    def element_spec(self) -> TensorSpec | dict | tuple:
        """Shapes and types of an element."""
        return self._spec

    def known_size(self) -> Any:
        """Elements, None if there is no end or it is not known."""
        return self._size if self._size >= 0 else None

    @property
    def is_endless(self) -> bool:
        """Whether it has no end."""
        return self._size == INFINITE

    def cardinality(self, name: str | None = None) -> Tensor:
        """How many elements, or INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return EagerTensor(np.array(self._size, np.int64))

    def __len__(self):
        if self._size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if self._size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return self._size

    def __bool__(self):
        return True

    def __iter__(self):
        return Iterator(self)

    def as_numpy_iterator(self) -> Any:
        """Elements as NumPy arrays."""
        return (nest.map_structure(np.asarray, e) for e in self._make())

    def make_one_shot_iterator(self) -> Any:
        """An iterator for graphs of TensorFlow 1."""
        return wired.graph_iterator(self, initialized=True)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator for graphs of TensorFlow 1, which its initializer begins."""
        return wired.graph_iterator(self)

    output_types = property(lambda self: nest.map_structure(lambda s: s.dtype, self._spec))
    output_shapes = property(lambda self: nest.map_structure(lambda s: s.shape, self._spec))

    def __repr__(self):
        return f"<Dataset element_spec={self._spec}>"


class Iterator:
    """Elements as tensors."""

    def __init__(self, dataset: DatasetLike) -> None:
        self._dataset, self._elements = dataset, dataset._make()

    element_spec = property(lambda self: self._dataset._spec)

    def __iter__(self):
        return self

    def raw(self) -> np.ndarray | tuple:
        """The next element as the dataset gives it."""
        return next(self._elements)

    def __next__(self):
        if active() is not None:
            return self._in_graph(active())
        return nest.map_structure(_tensor, next(self._elements))

    def _in_graph(self, graph):
        """In a function that runs on an IPU: an infeed of the program."""
        if not hasattr(graph.root, "next_of"):
            raise RuntimeError("next() of a data set's iterator in a traced function is for functions that IPUStrategy.run "
                               "runs. Pass the element in instead.")
        return graph.root.next_of(self)

    def get_next(self) -> Any:
        """The next element; OutOfRangeError after the last."""
        return next(self)


def _like_spec(spec, element):
    """What a generator gives, as arrays in the structure that was announced: lists below it are arrays."""
    if isinstance(spec, dict):
        return {key: _like_spec(s, element[key]) for key, s in spec.items()}
    if isinstance(spec, (list, tuple)):
        if len(spec) != len(element):
            raise TypeError(f"The generator gave {len(element)} values; {len(spec)} were announced.")
        return type(spec)(_like_spec(s, e) for s, e in zip(spec, element))
    array = np.asarray(element, spec.dtype.as_numpy_dtype)
    if not spec.shape.is_compatible_with(array.shape):
        raise ValueError(f"The generator gave an element of shape {array.shape}; {spec.shape} was announced.")
    return array


def _shapes_like(spec, shapes):
    """Shapes in the structure of elements; -1 is None."""
    if isinstance(spec, dict):
        return {key: _shapes_like(s, shapes[key]) for key, s in spec.items()}
    if isinstance(spec, (list, tuple)):
        if len(shapes) != len(spec):
            raise ValueError(f"There are {len(shapes)} padded shapes for elements of {len(spec)} tensors.")
        return tuple(_shapes_like(s, each) for s, each in zip(spec, shapes))
    return TensorShape([None if d in (None, -1) else int(d) for d in (shapes.as_list() if isinstance(shapes, TensorShape)
                                                                      else shapes)])


def _filled_up(arrays, shape, value):
    """One array of several: dimensions that the shape does not say are as large as the largest."""
    arrays = [np.asarray(a) for a in arrays]
    largest = [max(sizes) for sizes in zip(*[a.shape for a in arrays])] if shape else []
    size = [most if d is None else d for d, most in zip(shape, largest)]
    if any(most > d for d, most in zip(size, largest)):
        raise InvalidArgumentError(None, None, f"padded_batch: an element of the batch is larger than the padded shape {size}: "
                                   f"{largest}.")
    out = np.full([len(arrays), *size], 0 if value is None else value, arrays[0].dtype)
    for row, a in enumerate(arrays):
        out[(row, *(slice(n) for n in a.shape))] = a
    return out


def _stacked(spec, group):
    flat = [nest.flatten(e) for e in group]
    try:
        return nest.pack_sequence_as(spec, [np.stack(parts) for parts in zip(*flat)])
    except ValueError as problem:
        raise InvalidArgumentError(None, None, f"Cannot batch tensors with different shapes: {problem}") from None


def _listed(elements, spec):
    """A data set of these elements."""
    return Dataset(lambda: iter(elements), len(elements), spec)


def _smallest(sizes):
    if UNKNOWN in sizes:
        return UNKNOWN
    finite = [s for s in sizes if s >= 0]
    return min(finite) if finite else INFINITE


def _shapes(shapes, count):
    if isinstance(shapes, (list, tuple)) and len(shapes) == count and all(
            s is None or isinstance(s, (list, tuple, TensorShape)) for s in shapes):
        return list(shapes)
    flat = nest.flatten(shapes)
    return flat if len(flat) == count else [None] * count


def _interleaved(iterables, cycle, block):
    """block elements of each of `cycle` iterables in turn; one that is at its end makes room for the next."""
    waiting = iter(iterables)
    places = [iter(i) for i in itertools.islice(waiting, cycle)]
    at = 0
    while any(p is not None for p in places):
        place = places[at]
        taken = 0
        for element in itertools.islice(place, block) if place is not None else ():
            taken += 1
            yield element
        if place is not None and taken < block:
            new = next(waiting, None)
            places[at] = None if new is None else iter(new)
        at = (at + 1) % len(places)
