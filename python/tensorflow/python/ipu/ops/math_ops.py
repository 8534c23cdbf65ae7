# SPDX-License-Identifier: MIT
"""Products in parts, and sums over segments."""
from __future__ import annotations

from tensorflow.framework.dispatch import same_type
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.ops import array_ops, math_ops

_DIMENSIONS = ("a_columns", "a_rows_b_columns", "b_rows")


def serialized_matmul(a: TensorLike, b: TensorLike, serialization_factor: int, serialization_dimension: str,
                      transpose_a: bool = False, transpose_b: bool = False, name: str | None = None) -> Tensor:
    """a * b in `serialization_factor` products, one after the other. a is [..., m, k] and b [..., k, n], after transposing: the
    parts are of m (a_columns), of k, whose products are added (a_rows_b_columns), or of n (b_rows)."""
    a, b = same_type(a, b)
    _check(a, b, serialization_factor, serialization_dimension)
    last, before = (a.shape.rank - 1, b.shape.rank - 1), (a.shape.rank - 2, b.shape.rank - 2)
    m, k = (last[0], before[0]) if transpose_a else (before[0], last[0])
    k_of_b, n = (last[1], before[1]) if transpose_b else (before[1], last[1])

    def parts(tensor, axis):
        return _parts(tensor, axis, serialization_factor, serialization_dimension)

    def product(x, y):
        return math_ops.matmul(x, y, transpose_a, transpose_b)
    if serialization_dimension == "a_columns":
        return array_ops.concat([product(part, b) for part in parts(a, m)], -2)
    if serialization_dimension == "b_rows":
        return array_ops.concat([product(a, part) for part in parts(b, n)], -1)
    return math_ops.add_n([product(*pair) for pair in zip(parts(a, k), parts(b, k_of_b))], name)


def _check(a, b, factor, dimension):
    if dimension not in _DIMENSIONS:
        raise ValueError(f"Invalid serialization_dimension={dimension!r}. Must be one of: {', '.join(_DIMENSIONS)}.")
    if isinstance(factor, bool) or not isinstance(factor, int) or factor < 1:
        raise ValueError(f"serialization_factor must be a whole number of at least 1, not {factor!r}.")
    if min(a.shape.rank, b.shape.rank) < 2:
        raise ValueError(f"serialized_matmul: inputs of shape {a.shape} and {b.shape}; matrices have two dimensions or more.")


def _parts(tensor, axis, factor, dimension):
    extent = tensor.shape[axis]
    if extent is None or extent % factor:
        raise ValueError(f"The serialization_factor ({factor}) must divide the dimension {dimension} of shape {tensor.shape}: "
                         f"it is {extent}.")
    return array_ops.split(tensor, factor, axis)


def segment_sum(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
    """Sums of the rows with the same number of segment; the numbers need not be sorted."""
    return math_ops.unsorted_segment_sum(data, segment_ids, num_segments, name)
