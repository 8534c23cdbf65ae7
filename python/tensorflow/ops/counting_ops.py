# SPDX-License-Identifier: MIT
"""Sorting, counting, and sums over segments, made of other operations."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework import dtypes, late
from tensorflow.framework.tensors import Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import AxisLike, DTypeLike, TensorLike
from tensorflow.ops import array_ops, math_ops


def _sorted(values, axis, direction):
    """(values, places) along an axis."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction}")
    x = convert_to_tensor(values)
    rank = x.shape.rank
    axis = axis % rank
    n = x.shape[axis]
    if n is None:
        raise ValueError(f"sort needs to know how long axis {axis} of {x.shape} is.")
    perm = [d for d in range(rank) if d != axis] + [axis]
    turned = array_ops.transpose(x, perm) if axis != rank - 1 else x
    up = direction == "ASCENDING"
    top, at = math_ops.top_k(math_ops.negative(turned) if up else turned, n)
    top = math_ops.negative(top) if up else top
    if axis == rank - 1:
        return top, at
    back = np.argsort(perm)
    return array_ops.transpose(top, back), array_ops.transpose(at, back)


def sort(values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """Sorts along an axis."""
    return _sorted(values, axis, direction)[0]


def argsort(values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", stable: bool = False,
            name: str | None = None) -> Tensor:
    """The indices that would sort along an axis."""
    return _sorted(values, axis, direction)[1]


def searchsorted(sorted_sequence: TensorLike, values: TensorLike, side: str = "left", out_type: DTypeLike = dtypes.int32,
                 name: str | None = None) -> Tensor:
    """Where values would go: how many entries are smaller (left), or not larger (right)."""
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'. Saw: {side}.")
    x, v = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    x, v = array_ops.expand_dims(x, -2), array_ops.expand_dims(v, -1)
    before = math_ops.less(x, v) if side == "left" else math_ops.less_equal(x, v)
    return math_ops.reduce_sum(math_ops.cast(before, dtypes.as_dtype(out_type)), -1)


def bincount(arr: TensorLike, weights: TensorLike | None = None, minlength: Any = None, maxlength: int | None = None,
             dtype: DTypeLike = dtypes.int32, name: str | None = None, axis: AxisLike | None = None,
             binary_output: bool = False) -> Tensor:
    """How often each number is there. In a graph the largest one must be said: maxlength, or a minlength that is enough."""
    if axis is not None or binary_output:
        raise NotImplementedError("tf.math.bincount with axis or binary_output is not there; docs/tensorflow.md lists what is.")
    x = array_ops.reshape(convert_to_tensor(arr), [-1])
    known = constant_value(x)
    count = maxlength if known is None else int(known.max()) + 1 if known.size else 0
    if count is None:
        raise ValueError("tf.math.bincount in a graph needs maxlength: the shape of its result must be known.")
    count = max(count, minlength or 0) if maxlength is None or known is not None else count
    count = count if maxlength is None else min(count, maxlength)
    if count == 0:
        return array_ops.zeros([0], dtype)
    if weights is None:
        return math_ops.reduce_sum(math_ops.cast(array_ops.one_hot(x, count), dtype), 0)
    w = array_ops.reshape(convert_to_tensor(weights), [-1])
    rows = math_ops.cast(array_ops.one_hot(x, count), w.dtype)
    return math_ops.reduce_sum(math_ops.multiply(rows, array_ops.expand_dims(w, -1)), 0)


def confusion_matrix(labels: TensorLike, predictions: TensorLike, num_classes: int | None = None,
                     weights: TensorLike | None = None, dtype: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Rows are labels, columns predictions."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    if num_classes is None:
        known: list[Any] = [constant_value(t) for t in (labels, predictions)]
        if any(k is None for k in known):
            raise ValueError("tf.math.confusion_matrix in a graph needs num_classes: the shape of its result must be known.")
        num_classes = int(max(k.max() for k in known)) + 1
    rows, columns = array_ops.one_hot(labels, num_classes), array_ops.one_hot(predictions, num_classes)
    if weights is not None:
        columns = math_ops.multiply(columns, array_ops.expand_dims(math_ops.cast(weights, columns.dtype), -1))
    return math_ops.cast(math_ops.matmul(rows, columns, transpose_a=True), dtype)


def segments(segment_ids):
    """How many there are of sorted segments."""
    known = constant_value(convert_to_tensor(segment_ids))
    if known is None:
        raise late.needs(ValueError("Segments of a graph must be known when it is built, or use "
                                    "tf.math.unsorted_segment_sum."), segment_ids)
    return int(known.max()) + 1 if known.size else 0


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Sums of rows with the same segment; segments are sorted."""
    return math_ops.unsorted_segment_sum(data, segment_ids, segments(segment_ids), name)


def unsorted_segment_mean(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                          name: str | None = None) -> Tensor:
    """Means of rows with the same segment."""
    x = convert_to_tensor(data)
    total = math_ops.unsorted_segment_sum(x, segment_ids, num_segments)
    ones = array_ops.ones_like(x)
    count = math_ops.unsorted_segment_sum(ones, segment_ids, num_segments)
    return math_ops.divide(total, math_ops.maximum(count, 1.0))


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Means of rows with the same segment; segments are sorted."""
    return unsorted_segment_mean(data, segment_ids, segments(segment_ids), name)


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Of the numbers from 0 on in some order: where each of them is."""
    x = convert_to_tensor(x)
    if x.shape.rank != 1:
        raise ValueError(f"tf.math.invert_permutation takes a vector, not a tensor of shape {x.shape}.")
    return math_ops.cast(_sorted(x, 0, "ASCENDING")[1], x.dtype)


names = """invert_permutation sort argsort searchsorted bincount confusion_matrix segment_sum segment_mean
unsorted_segment_mean""".split()
late.wrap(globals(), names)
