# SPDX-License-Identifier: MIT
"""Constants, and elements in other places, that are written as several operators."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from ..dtypes import FLOATING, to_numpy, to_type
from ..typed import AxisLike, DTypeLike, NumberLike, ShapeLike, TensorLike
from ..values import Tensor
from ..variable import Variable
from . import creation, manipulation, math

__all__ = ["linspace", "eye", "empty", "empty_like", "unbind", "reverse", "roll", "index_select", "gather_nd",
           "take_along_axis", "moveaxis", "swapaxes", "repeat_interleave", "broadcast_tensors", "is_tensor", "standard_normal"]


def linspace(start: NumberLike, stop: NumberLike, num: int, dtype: DTypeLike | None = None,
             name: str | None = None) -> TensorLike:
    """Numbers from start up to stop at equal distances."""
    return creation.assign(np.linspace(start, stop, int(num)).astype(to_numpy(dtype or "float32")))


def eye(num_rows: int, num_columns: int | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Ones on the diagonal."""
    kind = to_type(dtype or "float32")
    made = creation.assign(np.eye(num_rows, num_columns, dtype=np.float32 if kind in FLOATING else np.int64))
    return creation.of_type(made, kind)


def empty(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """A tensor whose elements are to be written; they are zeros."""
    return creation.zeros(shape, dtype or "float32")


def empty_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """A tensor of x's shape whose elements are to be written; they are zeros."""
    return creation.zeros_like(x, dtype)


def standard_normal(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Numbers from the standard normal distribution."""
    return creation.randn(shape, dtype)


def is_tensor(x: TensorLike) -> bool:
    """Whether it is a tensor or a variable of a program."""
    return isinstance(x, (Tensor, Variable))


def unbind(input: TensorLike, axis: int = 0) -> list:
    """The slices along an axis, as a list."""
    return manipulation.unstack(input, axis)


def reverse(x: TensorLike, axis: AxisLike, name: str | None = None) -> TensorLike:
    """Turns the order round along axes."""
    return manipulation.flip(x, axis)


def _length(x, axis):
    if x.shape[axis] < 0:
        raise ValueError(f"Dimension {axis} of {x.name!r} must be known, not {list(x.shape)}.")
    return x.shape[axis]


def roll(x: TensorLike, shifts: int | Sequence[int], axis: AxisLike | None = None, name: str | None = None) -> TensorLike:
    """Moves elements along axes; what leaves at the end comes in at the beginning."""
    if axis is None:
        return manipulation.reshape(roll(manipulation.flatten(x), shifts, 0), x.shape)
    axes, steps = ([v] if isinstance(v, int) else list(v) for v in (axis, shifts))
    for one, step in zip(axes, steps):
        count = _length(x, one)
        cut = count - step % count
        if cut != count:
            x = manipulation.concat(list(reversed(manipulation.split(x, [cut, count - cut], one))), one)
    return x


def index_select(x: TensorLike, index: TensorLike, axis: AxisLike = 0, name: str | None = None) -> TensorLike:
    """Slices by index along an axis."""
    return manipulation.gather(x, index, axis)


def gather_nd(x: TensorLike, index: TensorLike, name: str | None = None) -> TensorLike:
    """Elements, or slices, by indices of the first dimensions, which the last dimension of index has."""
    depth = index.shape[-1]
    lengths = [_length(x, a) for a in range(depth)]
    steps = np.array([int(np.prod(lengths[a + 1:], dtype=np.int64)) for a in range(depth)], np.int64)
    flat = math.sum(math.multiply(creation.cast(index, "int64"), creation.assign(steps)), -1) if depth > 1 else \
        manipulation.squeeze(index, [-1]) if len(index.shape) > 1 else index
    rows = manipulation.reshape(x, [int(np.prod(lengths, dtype=np.int64)), *x.shape[depth:]])
    found = manipulation.gather(rows, manipulation.reshape(flat, [-1]), 0)
    return manipulation.reshape(found, [*index.shape[:-1], *x.shape[depth:]] or [1])


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: AxisLike, broadcast: bool = True) -> TensorLike:
    """Elements by index along an axis."""
    axis = axis % len(arr.shape)
    shape = [_length(indices, a) for a in range(len(arr.shape))]
    shape = [shape[a] if a == axis else _length(arr, a) for a in range(len(shape))]
    if list(indices.shape) != shape:
        indices = manipulation.expand(indices, shape)
    steps = [int(np.prod(arr.shape[a + 1:], dtype=np.int64)) for a in range(len(shape))]
    first = sum((np.arange(n) * s).reshape([-1 if b == a else 1 for b in range(len(shape))])
                for a, (n, s) in enumerate(zip(shape, steps)) if a != axis)
    places = creation.cast(indices, "int64")
    if steps[axis] != 1:
        places = math.multiply(places, creation.full([1], steps[axis], "int64"))
    if isinstance(first, np.ndarray):
        places = math.add(places, creation.assign(np.broadcast_to(first, shape).astype(np.int64)))
    found = manipulation.gather(manipulation.reshape(arr, [-1]), manipulation.reshape(places, [-1]), 0)
    return manipulation.reshape(found, shape)


def moveaxis(x: TensorLike, source: int | Sequence[int], destination: int | Sequence[int],
             name: str | None = None) -> TensorLike:
    """Moves axes to other places; the others keep their order."""
    rank = len(x.shape)
    froms, tos = ([v % rank] if isinstance(v, int) else [a % rank for a in v] for v in (source, destination))
    order = [a for a in range(rank) if a not in froms]
    for place, axis in sorted(zip(tos, froms)):
        order.insert(place, axis)
    return manipulation.transpose(x, order)


def swapaxes(x: TensorLike, axis0: int, axis1: int, name: str | None = None) -> TensorLike:
    """Two axes in each other's place."""
    order = list(range(len(x.shape)))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return manipulation.transpose(x, order)


def repeat_interleave(x: TensorLike, repeats: int | TensorLike, axis: AxisLike | None = None,
                      name: str | None = None) -> TensorLike:
    """Every element as often as a number says, one after the other."""
    if not isinstance(repeats, int):
        raise NotImplementedError("(Unimplemented) repeat_interleave: repeats by element. Use one number, or gather.")
    if axis is None:
        x, axis = manipulation.flatten(x), 0
    axis = axis % len(x.shape)
    wide = manipulation.tile(manipulation.unsqueeze(x, [axis + 1]),
                             [1] * (axis + 1) + [repeats] + [1] * (len(x.shape) - axis - 1))
    return manipulation.flatten(wide, axis, axis + 1)


def broadcast_tensors(input: Sequence, name: str | None = None) -> list:
    """All in the shape that they have together."""
    shape = list(np.broadcast_shapes(*(tuple(v.shape) for v in input)))
    return [v if list(v.shape) == shape else manipulation.expand(v, shape) for v in input]
