# SPDX-License-Identifier: MIT
"""Histograms."""
from __future__ import annotations

from typing import Sequence

from tensorflow.framework import dtypes
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops, math_ops


def histogram(inputs: TensorLike, levels: TensorLike, absolute_of_input: bool = False) -> Tensor:
    """How many elements are below the first level, from each level to below the next one, and from the last one on."""
    x, levels = convert_to_tensor(inputs), convert_to_tensor(levels)
    x = array_ops.reshape(math_ops.abs(x) if absolute_of_input else x, [-1, 1])
    reached = math_ops.reduce_sum(math_ops.cast(math_ops.greater_equal(x, levels), dtypes.float32), 0)
    total = array_ops.ones([1], dtypes.float32) * float(x.shape[0])
    at_least = array_ops.concat([total, reached, array_ops.zeros([1], dtypes.float32)], 0)
    return at_least[:-1] - at_least[1:]


def histogram_update(hist: TensorLike, inputs: TensorLike, levels: Sequence, absolute_of_input: bool = False) -> Tensor:
    """The histogram with these elements counted as well."""
    return math_ops.add(hist, histogram(inputs, levels, absolute_of_input))


def histogram_normalize(hist: TensorLike) -> Tensor:
    """Shares of the whole."""
    hist = convert_to_tensor(hist)
    hist = hist if hist.dtype.is_floating else math_ops.cast(hist, dtypes.float32)
    return math_ops.divide(hist, math_ops.reduce_sum(hist))


def fixed_width_bins(inputs: TensorLike, n_bins: int) -> Tensor:
    """The levels between n_bins bins of equal width, from the smallest element to the largest."""
    if isinstance(n_bins, bool) or not isinstance(n_bins, int) or n_bins < 2:
        raise ValueError(f"n_bins must be a whole number of at least 2, not {n_bins!r}.")
    x = convert_to_tensor(inputs)
    low, high = math_ops.reduce_min(x), math_ops.reduce_max(x)
    steps = math_ops.cast(array_ops.range_(1, n_bins), x.dtype)
    return low + (high - low) * steps / float(n_bins)
