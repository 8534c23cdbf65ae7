# SPDX-License-Identifier: MIT
"""Functions that are written with others: logarithms that take zero, products along an axis, polynomials."""
from __future__ import annotations

import functools

from tensorflow.framework import late
from tensorflow.framework.dispatch import same_type
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.ops import array_ops, math_ops, nn_ops


def _zero_first(x, y, function):
    """0 where x is 0, whatever y is."""
    x, y = same_type(x, y)
    nothing = math_ops.equal(x, array_ops.zeros_like(x))
    safe = math_ops.where(nothing, array_ops.ones_like(x), y)
    return math_ops.where(nothing, array_ops.zeros_like(x), function(x, safe))


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where x is 0."""
    return _zero_first(x, y, lambda a, b: math_ops.multiply(a, math_ops.log(b)))


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), and 0 where x is 0."""
    return _zero_first(x, y, lambda a, b: math_ops.multiply(a, math_ops.log1p(b)))


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where x is 0."""
    return _zero_first(x, y, math_ops.divide)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of sigmoid."""
    return math_ops.negative(nn_ops.softplus(math_ops.negative(x)))


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Of integers, towards zero."""
    x, y = same_type(x, y)
    down, rest = math_ops.floordiv(x, y), math_ops.floormod(x, y)
    up = math_ops.logical_and(math_ops.not_equal(rest, 0), math_ops.not_equal(math_ops.less(x, 0), math_ops.less(y, 0)))
    return math_ops.add(down, math_ops.cast(up, x.dtype))


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """What x / y leaves, with the sign of x."""
    x, y = same_type(x, y)
    return math_ops.subtract(x, math_ops.multiply(truncatediv(x, y), y))


def cumprod(x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False,
            name: str | None = None) -> Tensor:
    """Running products along an axis."""
    x = convert_to_tensor(x)
    axis %= x.shape.rank
    rows = array_ops.unstack(x, axis=axis)
    rows = rows[::-1] if reverse else rows
    out, so_far = [], array_ops.ones_like(rows[0])
    for row in rows:
        after = math_ops.multiply(so_far, row)
        out.append(so_far if exclusive else after)
        so_far = after
    return array_ops.stack(out[::-1] if reverse else out, axis)


def polyval(coeffs: list, x: TensorLike, name: str | None = None) -> Tensor:
    """By Horner: the first coefficient is that of the highest power."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert_to_tensor(x)
    if not coeffs:
        return array_ops.zeros_like(x)
    return functools.reduce(lambda p, c: math_ops.add(math_ops.multiply(p, x), c), coeffs[1:],
                            math_ops.add(array_ops.zeros_like(x), coeffs[0]))


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0."""
    x = convert_to_tensor(x)
    return math_ops.divide_no_nan(array_ops.ones_like(x), x)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is smaller than the one before."""
    flat = array_ops.reshape(x, [-1])
    return math_ops.reduce_all(math_ops.less_equal(flat[:-1], flat[1:]))


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether every element is larger than the one before."""
    flat = array_ops.reshape(x, [-1])
    return math_ops.reduce_all(math_ops.less(flat[:-1], flat[1:]))


names = """xlogy xlog1py xdivy log_sigmoid truncatediv truncatemod cumprod polyval reciprocal_no_nan is_non_decreasing
is_strictly_increasing""".split()
late.wrap(globals(), names)
