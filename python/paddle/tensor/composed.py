# SPDX-License-Identifier: MIT
"""Arithmetic that is written as several operators."""
from __future__ import annotations

import numpy as np

from ..dtypes import FLOATING
from ..variable import Variable
from ..typed import AxisLike, NumberLike, TensorLike
from . import creation, manipulation, math

__all__ = ["expm1", "trunc", "neg", "mv", "addmm", "outer", "inner", "lerp", "amax", "amin", "fmax", "fmin", "var", "std",
           "isinf", "isfinite", "isclose", "allclose", "equal_all", "count_nonzero", "increment", "diff", "trace", "tril",
           "triu", "numel", "rank"]


def expm1(x: TensorLike, name: str | None = None) -> TensorLike:
    """exp(x) - 1, exact near 0 too."""
    return math.multiply(math.scale(math.exp(x), 1.0, 1.0), math.tanh(math.scale(x, 0.5)))


def trunc(input: TensorLike, name: str | None = None) -> TensorLike:
    """The whole part of each element."""
    return math.multiply(math.sign(input), math.floor(math.abs(input)))


def neg(x: TensorLike, name: str | None = None) -> TensorLike:
    """The opposite of each element."""
    return math.scale(x, -1.0)


def mv(x: TensorLike, vec: TensorLike, name: str | None = None) -> TensorLike:
    """A matrix times a vector."""
    return math.matmul(x, vec)


def addmm(input: TensorLike, x: TensorLike, y: TensorLike, beta: NumberLike = 1.0, alpha: NumberLike = 1.0,
          name: str | None = None) -> TensorLike:
    """beta * input + alpha * x @ y."""
    return math.add(math.scale(input, float(beta)), math.scale(math.matmul(x, y), float(alpha)))


def outer(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """Every element of x times every element of y."""
    return math.multiply(manipulation.reshape(x, [-1, 1]), manipulation.reshape(y, [1, -1]))


def inner(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """Sums of products along the last dimensions."""
    left, right = (manipulation.reshape(v, [-1, v.shape[-1]]) for v in (x, y))
    product = math.matmul(left, right, transpose_y=True)
    return manipulation.reshape(product, [*x.shape[:-1], *y.shape[:-1]] or [1])


def lerp(x: TensorLike, y: TensorLike, weight: TensorLike, name: str | None = None) -> TensorLike:
    """x + weight * (y - x)."""
    apart = math.subtract(y, x)
    return math.add(x, math.multiply(apart, weight) if isinstance(weight, Variable) else math.scale(apart, float(weight)))


def _shared(extreme):
    """The extreme along axes; equal elements share its gradient."""
    def function(x, axis=None, keepdim=False, name=None):
        mask = math.equal(x, extreme(x, axis, True))
        mask.stop_gradient = True
        chosen = creation.cast(mask, x.dtype)
        chosen.stop_gradient = True
        zero = creation.zeros_like(x)
        return math.divide(math.sum(where(mask, x, zero), axis, keepdim=keepdim), math.sum(chosen, axis, keepdim=keepdim))
    return function


def where(condition, x, y):
    from .search import where as choose  # which is beside this module
    return choose(condition, x, y)


amax, amin = _shared(math.max), _shared(math.min)
amax.__doc__ = "The largest element along axes; equal ones share the gradient."
amin.__doc__ = "The smallest element along axes; equal ones share the gradient."


def fmax(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """The larger of two elements; one that is not a number loses."""
    return where(math.isnan(x), y, where(math.isnan(y), x, math.maximum(x, y)))


def fmin(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """The smaller of two elements; one that is not a number loses."""
    return where(math.isnan(x), y, where(math.isnan(y), x, math.minimum(x, y)))


def _elements(x, axis):
    """How many elements each result along axes is of."""
    axes = range(len(x.shape)) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
    counts = [x.shape[a] for a in axes]
    if -1 in counts:
        raise NotImplementedError(f"(Unimplemented) The variance of {x.name!r} along a dimension that is not known yet: give "
                                  "its length.")
    return int(np.prod(counts, dtype=np.int64))


def var(x: TensorLike, axis: AxisLike | None = None, unbiased: bool = True, keepdim: bool = False,
        name: str | None = None) -> TensorLike:
    """The variance along axes."""
    count = _elements(x, axis)
    apart = math.square(math.subtract(x, math.mean(x, axis, True)))
    return math.scale(math.sum(apart, axis, keepdim=keepdim), 1.0 / (count - 1 if unbiased and count > 1 else count))


def std(x: TensorLike, axis: AxisLike | None = None, unbiased: bool = True, keepdim: bool = False,
        name: str | None = None) -> TensorLike:
    """The standard deviation along axes."""
    return math.sqrt(var(x, axis, unbiased, keepdim))


def isinf(x: TensorLike, name: str | None = None) -> TensorLike:
    """Whether each element is infinite."""
    if x.dtype not in FLOATING:
        return math.not_equal(x, x)
    return math.equal(math.abs(x), creation.full([1], float("inf"), x.dtype))


def isfinite(x: TensorLike, name: str | None = None) -> TensorLike:
    """Whether each element is a number and not infinite."""
    if x.dtype not in FLOATING:
        return math.equal(x, x)
    return math.less_than(math.abs(x), creation.full([1], float("inf"), x.dtype))


def isclose(x: TensorLike, y: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False,
            name: str | None = None) -> TensorLike:
    """Whether |x - y| <= atol + rtol * |y|, element by element."""
    near = math.less_equal(math.abs(math.subtract(x, y)), math.scale(math.abs(y), float(rtol), float(atol)))
    near = math.logical_or(near, math.equal(x, y))  # infinities
    return math.logical_or(near, math.logical_and(math.isnan(x), math.isnan(y))) if equal_nan else near


def allclose(x: TensorLike, y: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False,
             name: str | None = None) -> TensorLike:
    """Whether all elements are close."""
    return math.all(isclose(x, y, rtol, atol, equal_nan))


def equal_all(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """Whether all elements are equal; False for other shapes."""
    if list(x.shape) != list(y.shape):
        return creation.full([1], False, "bool")
    return math.all(math.equal(x, y))


def count_nonzero(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """How many elements along axes are not 0."""
    return math.sum(creation.cast(math.not_equal(x, creation.full([1], 0, x.dtype)), "int64"), axis, keepdim=keepdim)


def increment(x: TensorLike, value: NumberLike = 1.0, name: str | None = None) -> TensorLike:
    """Adds to a variable of one element, in place."""
    return creation.assign(math.scale(x, 1.0, float(value)), x)


def diff(x: TensorLike, n: int = 1, axis: AxisLike = -1, prepend: TensorLike | None = None, append: TensorLike | None = None,
         name: str | None = None) -> TensorLike:
    """Differences of neighbours along an axis, n times."""
    axis = axis % len(x.shape)
    parts = [part for part in (prepend, x, append) if part is not None]
    x = manipulation.concat(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        count = x.shape[axis]
        x = math.subtract(manipulation.slice(x, [axis], [1], [count]), manipulation.slice(x, [axis], [0], [count - 1]))
    return x


def _kept(x, mask):
    """x where a constant mask of its last two dimensions is true, else 0."""
    zeros = creation.zeros_like(x)
    everywhere = math.equal(zeros, zeros)  # of x's shape, whose first dimensions may be unknown
    return where(math.logical_and(creation.assign(mask), everywhere), x, zeros)


def _lines(x):
    rows, columns = x.shape[-2:]
    if min(rows, columns) < 0:
        raise ValueError(f"The last two dimensions of {x.name!r} must be known, not {list(x.shape)}.")
    return np.arange(columns)[None, :] - np.arange(rows)[:, None]


def tril(x: TensorLike, diagonal: int = 0, name: str | None = None) -> TensorLike:
    """Matrices with zeros above a diagonal."""
    return _kept(x, _lines(x) <= diagonal)


def triu(x: TensorLike, diagonal: int = 0, name: str | None = None) -> TensorLike:
    """Matrices with zeros below a diagonal."""
    return _kept(x, _lines(x) >= diagonal)


def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> TensorLike:
    """The sum along a diagonal of two axes."""
    rank = len(x.shape)
    others = [a for a in range(rank) if a not in (axis1 % rank, axis2 % rank)]
    x = manipulation.transpose(x, [*others, axis1 % rank, axis2 % rank])
    return math.sum(_kept(x, _lines(x) == offset), [rank - 2, rank - 1])


def numel(x: TensorLike, name: str | None = None) -> TensorLike:
    """How many elements there are."""
    return math.prod(creation.cast(manipulation.shape(x), "int64")) if -1 in x.shape else \
        creation.full([1], int(np.prod(x.shape, dtype=np.int64)), "int64")


def rank(input: TensorLike) -> TensorLike:
    """How many dimensions there are."""
    return creation.full([1], len(input.shape), "int32")
