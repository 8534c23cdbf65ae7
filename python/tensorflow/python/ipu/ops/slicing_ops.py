# SPDX-License-Identifier: MIT
"""Runs of rows that are moved from one tensor to another: sequences are packed next to each other, or unpacked."""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.framework.dispatch import same_type
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops, math_ops


def sequence_slice(dst: Any, src: TensorLike, num_elems: Any, src_offsets: Any, dst_offsets: Any, zero_unused: Any,
                   name: str | None = None) -> Tensor:
    """dst with num_elems[i] rows of src, from src_offsets[i] on, at dst_offsets[i], ...; of runs that meet the last one counts.
    zero_unused: other rows are zeros."""
    dst, src = same_type(dst, src)
    if dst.shape.rank < 2 or dst.shape.as_list()[1:] != src.shape.as_list()[1:]:
        raise ValueError(f"Rows of src, of shape {src.shape}, do not fit into dst, of shape {dst.shape}: they have two "
                         "dimensions or more, and are equal but for the first.")
    counts, places, begins = (_vector(v, what) for v, what in (
        (num_elems, "num_elems"), (dst_offsets, "dst_offsets"), (src_offsets, "src_offsets")))
    row = array_ops.expand_dims(array_ops.range_(dst.shape[0]), 1)
    within = math_ops.logical_and(row >= places, row < places + counts)  # [rows of dst, runs]
    runs = int(counts.shape[0])
    run = math_ops.reduce_max(math_ops.where(within, array_ops.range_(runs), -1), axis=1)
    first = math_ops.maximum(run, 0)
    wanted = array_ops.gather(begins, first) + array_ops.squeeze(row, [1]) - array_ops.gather(places, first)
    taken = math_ops.clip_by_value(wanted, 0, int(src.shape[0]) - 1)
    reached = math_ops.logical_and(run >= 0, math_ops.equal(wanted, taken))  # src may end before
    rows, reached = array_ops.gather(src, taken), array_ops.reshape(reached, [-1, *[1] * (dst.shape.rank - 1)])
    return math_ops.where(reached, rows, array_ops.zeros_like(dst) if zero_unused else dst, name)


def sequence_slice_pack(dst: Any, src: TensorLike, num_elems: Any, dst_offsets: Any, zero_unused: Any,
                        name: str | None = None) -> Tensor:
    """The same of runs that are one after the other in src."""
    return sequence_slice(dst, src, num_elems, _begins(num_elems), dst_offsets, zero_unused, name)


def sequence_slice_unpack(src: TensorLike, num_elems: Any, src_offsets: Any, total_elements: Any,
                          name: str | None = None) -> Tensor:
    """The same of runs that come one after the other, in `total_elements` rows; zeros behind them."""
    src = convert_to_tensor(src)
    dst = array_ops.zeros([int(total_elements), *src.shape.as_list()[1:]], src.dtype)
    return sequence_slice(dst, src, num_elems, src_offsets, _begins(num_elems), True, name)


def _vector(value, what):
    value = math_ops.cast(value, "int32")
    if value.shape.rank != 1:
        raise ValueError(f"{what} must be a list of numbers, not of shape {value.shape}.")
    return value


def _begins(counts):
    return math_ops.cumsum(_vector(counts, "num_elems"), exclusive=True)


_names.explain_missing(globals())
