# SPDX-License-Identifier: MIT
"""Functions that are written with others: rows that end early, blocks of pixels and batches, patches of images, extremes of
segments, histograms, numbers of several places. Their shapes must be known."""
from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np

from tensorflow.framework import dtypes, late
from tensorflow.framework.custom_gradients import custom_gradient
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, InitializerLike, NumberLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops, control_flow, counting_ops, math_ops


def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """A number times a tensor."""
    scalar, x = convert_to_tensor(scalar, dtype=getattr(x, "dtype", None)), convert_to_tensor(x)
    if scalar.shape.rank != 0:
        raise ValueError(f"Only scalar multiply works, got shape {scalar.shape}")
    return math_ops.multiply(scalar, x)


def reverse_sequence(input: TensorLike, seq_lengths: TensorLike, seq_axis: int | None = None, batch_axis: int | None = None,
                     name: str | None = None, seq_dim: int | None = None, batch_dim: int | None = None) -> Tensor:
    """The first `length` elements of each sample's axis the other way round; the others stay."""
    x, lengths = convert_to_tensor(input), math_ops.cast(convert_to_tensor(seq_lengths), dtypes.int32)
    seq = (seq_dim if seq_axis is None else seq_axis) % x.shape.rank
    batch = (batch_dim or 0 if batch_axis is None else batch_axis) % x.shape.rank
    order = [batch, seq, *(d for d in range(x.shape.rank) if d not in (batch, seq))]
    steps, ends = np.arange(x.shape[seq], dtype=np.int32), array_ops.expand_dims(lengths, -1)
    places = math_ops.where(math_ops.less(steps, ends), math_ops.subtract(math_ops.subtract(ends, 1), steps), steps)
    turned = array_ops.gather(array_ops.transpose(x, order), places, axis=1, batch_dims=1)
    return array_ops.transpose(turned, [order.index(d) for d in range(x.shape.rank)])


def _known(value, what):
    found = constant_value(convert_to_tensor(value))
    if found is None:
        raise ValueError(f"{what} must be known when the graph is made.")
    return np.asarray(found)


def space_to_batch_nd(input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """Blocks of the axes after the batch become samples."""
    blocks, pads = _known(block_shape, "block_shape").tolist(), _known(paddings, "paddings").tolist()
    x = convert_to_tensor(input)
    n, rest = len(blocks), x.shape.rank - 1 - len(blocks)
    x = array_ops.pad(x, [[0, 0], *pads, *[[0, 0]] * rest])
    sizes = x.shape.as_list()
    split = [sizes[0]]
    for size, block in zip(sizes[1:], blocks):
        if size % block:
            raise ValueError(f"space_to_batch: {size} padded elements of an axis are no whole blocks of {block}.")
        split += [size // block, block]
    order = [*range(2, 2 * n + 1, 2), 0, *range(1, 2 * n, 2), *range(2 * n + 1, 2 * n + 1 + rest)]
    x = array_ops.transpose(array_ops.reshape(x, split + sizes[n + 1:]), order)
    return array_ops.reshape(x, [sizes[0] * int(np.prod(blocks)), *split[1::2], *sizes[n + 1:]])


def batch_to_space_nd(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """Samples become blocks of the axes after the batch."""
    blocks, cut = _known(block_shape, "block_shape").tolist(), _known(crops, "crops").tolist()
    x = convert_to_tensor(input)
    n, sizes = len(blocks), x.shape.as_list()
    samples, rest = sizes[0] // int(np.prod(blocks)), sizes[n + 1:]
    if samples * int(np.prod(blocks)) != sizes[0]:
        raise ValueError(f"batch_to_space: {sizes[0]} samples are no whole blocks of {int(np.prod(blocks))}.")
    x = array_ops.reshape(x, [*blocks, samples, *sizes[1:]])
    order = [n, *(d for i in range(n) for d in (n + 1 + i, i)), *range(2 * n + 1, x.shape.rank)]
    whole = [size * block for size, block in zip(sizes[1:], blocks)]
    x = array_ops.reshape(array_ops.transpose(x, order), [samples, *whole, *rest])
    begin = [0, *(low for low, _ in cut), *[0] * len(rest)]
    return array_ops.slice_(x, begin, [samples, *(w - low - high for w, (low, high) in zip(whole, cut)), *rest])


def space_to_batch(input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """space_to_batch_nd"""
    return space_to_batch_nd(input, block_shape, paddings, name)


def batch_to_space(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """batch_to_space_nd"""
    return batch_to_space_nd(input, block_shape, crops, name)


def tensor_scatter_nd_sub(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """The tensor, less what is given for places."""
    return array_ops.tensor_scatter_nd_add(tensor, indices, math_ops.negative(updates))


def unravel_index(indices: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """Places in a tensor of this shape of places in its list of elements; one row for each dimension."""
    at, out = convert_to_tensor(indices), []
    for size in reversed(_known(dims, "dims").tolist()):
        out.append(math_ops.floormod(at, size))
        at = math_ops.floordiv(at, size)
    return array_ops.stack(out[::-1])


def histogram_fixed_width(values: TensorLike, value_range: TensorLike, nbins: int = 100, dtype: DTypeLike = dtypes.int32,
                          name: str | None = None) -> Tensor:
    """How many values are in each of nbins equal parts of the range; those outside count in the first and the last."""
    x, edges = convert_to_tensor(values), convert_to_tensor(value_range)
    low, high = math_ops.cast(edges[0], x.dtype), math_ops.cast(edges[1], x.dtype)
    scaled = math_ops.divide(math_ops.subtract(x, low), math_ops.subtract(high, low))
    inside = math_ops.clip_by_value(math_ops.floor(math_ops.multiply(scaled, float(nbins))), 0.0, float(nbins - 1))
    rows = array_ops.one_hot(array_ops.reshape(math_ops.cast(inside, dtypes.int32), [-1]), int(nbins), dtype=dtypes.int32)
    return math_ops.cast(math_ops.reduce_sum(rows, 0), dtype)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The shape that two known shapes have together."""
    x, y = TensorShape(shape_x).as_list(), TensorShape(shape_y).as_list()
    try:
        return TensorShape(np.broadcast_shapes(tuple(x), tuple(y)))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {tuple(x)} and {tuple(y)}") from None


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The same of shapes that are tensors, as a tensor."""
    made = broadcast_static_shape(_known(shape_x, "shape_x").tolist(), _known(shape_y, "shape_y").tolist())
    return convert_to_tensor(np.array(made.as_list(), np.int32))


def _extreme(reduce, lowest, data, segment_ids, num_segments):
    """Of rows with the same segment; lowest(type): of an empty one."""
    x, at = convert_to_tensor(data), convert_to_tensor(segment_ids)
    rows, count = at.shape.rank, int(_known(num_segments, "num_segments"))
    flat = array_ops.reshape(x, [-1, *x.shape.as_list()[rows:]])
    numbers = np.arange(count).reshape(-1, 1).astype(at.dtype.as_numpy_dtype)
    here = math_ops.equal(array_ops.reshape(at, [1, -1]), numbers)
    here = array_ops.reshape(here, [count, -1, *[1] * (x.shape.rank - rows)])
    kind = x.dtype.as_numpy_dtype
    return reduce(math_ops.where(here, array_ops.expand_dims(flat, 0), np.array(lowest(kind), kind)), 1)


def _limits(kind):
    return np.finfo(kind) if np.issubdtype(kind, np.floating) else np.iinfo(kind)


def unsorted_segment_max(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                         name: str | None = None) -> Tensor:
    """Largest elements of rows with the same segment; the least number for an empty one."""
    return _extreme(math_ops.reduce_max, lambda kind: _limits(kind).min, data, segment_ids, num_segments)


def unsorted_segment_min(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                         name: str | None = None) -> Tensor:
    """Smallest elements of rows with the same segment; the largest number for an empty one."""
    return _extreme(math_ops.reduce_min, lambda kind: _limits(kind).max, data, segment_ids, num_segments)


def unsorted_segment_prod(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                          name: str | None = None) -> Tensor:
    """Products of rows with the same segment; 1 for an empty one."""
    return _extreme(math_ops.reduce_prod, lambda kind: 1, data, segment_ids, num_segments)


def unsorted_segment_sqrt_n(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                            name: str | None = None) -> Tensor:
    """Sums of rows with the same segment, divided by the root of how many they are."""
    x = convert_to_tensor(data)
    count = math_ops.unsorted_segment_sum(array_ops.ones_like(x), segment_ids, num_segments)
    return math_ops.divide(math_ops.unsorted_segment_sum(x, segment_ids, num_segments),
                           math_ops.sqrt(math_ops.maximum(count, 1.0)))


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Largest elements of rows with the same segment; segments are sorted."""
    return unsorted_segment_max(data, segment_ids, counting_ops.segments(segment_ids))


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Smallest elements of rows with the same segment; segments are sorted."""
    return unsorted_segment_min(data, segment_ids, counting_ops.segments(segment_ids))


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Products of rows with the same segment; segments are sorted."""
    return unsorted_segment_prod(data, segment_ids, counting_ops.segments(segment_ids))


def extract_patches(images: TensorLike, sizes: list, strides: list, rates: list, padding: str,
                    name: str | None = None) -> Tensor:
    """The pixels of every window, row by row, as channels."""
    x, (_, h, w, _), (_, down, right, _), (_, dy, dx, _) = convert_to_tensor(images), sizes, strides, rates
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"padding is SAME or VALID, not {padding!r}.")
    field = [(h - 1) * dy + 1, (w - 1) * dx + 1]
    if padding == "SAME":
        missing = [max((-(-n // s) - 1) * s + f - n, 0) for n, s, f in zip(x.shape.as_list()[1:3], (down, right), field)]
        x = array_ops.pad(x, [[0, 0], *[[m // 2, m - m // 2] for m in missing], [0, 0]])
    rows, columns = ((n - f) // s + 1 for n, s, f in zip(x.shape.as_list()[1:3], (down, right), field))
    parts = [x[:, i * dy:i * dy + (rows - 1) * down + 1:down, j * dx:j * dx + (columns - 1) * right + 1:right]
             for i in range(h) for j in range(w)]
    return array_ops.concat(parts, -1)


def foldr(fn: Callable, elems: TensorLike, initializer: InitializerLike = None, parallel_iterations: int = 10,
          back_prop: bool = True, swap_memory: bool = False, name: str | None = None) -> Any:
    """A function of the result so far and each slice, from the last on."""
    return control_flow.foldl(fn, array_ops.reverse(elems, [0]), initializer)


def vectorized_map(fn: Callable, elems: TensorLike, fallback_to_while_loop: bool = True) -> Any:
    """One call for every row, as map_fn."""
    return control_flow.map_fn(fn, elems)


def grad_pass_through(f: Callable) -> Callable:
    """A function of one tensor whose gradient is that of the identity."""
    return functools.wraps(f)(custom_gradient(lambda x: (f(x), lambda dy: dy)))


def recompute_grad(f: Callable) -> Callable:
    """The function: what is computed again and what is kept is the compiler's choice here."""
    return f


def compute_average_loss(per_example_loss: TensorLike, sample_weight: TensorLike | None = None,
                         global_batch_size: NumberLike | None = None) -> Tensor:
    """The sum of weighted losses over the size of the batch of all replicas, which is that of these losses without it."""
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = math_ops.multiply(losses, math_ops.cast(sample_weight, losses.dtype))
    if global_batch_size is None:
        global_batch_size = losses.shape[0] if losses.shape.rank else 1
    return math_ops.divide(math_ops.reduce_sum(losses), math_ops.cast(global_batch_size, losses.dtype))


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum: a strategy here has one replica of the program."""
    return math_ops.reduce_sum(regularization_loss)


math = """scalar_mul unsorted_segment_max unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n segment_max
segment_min segment_prod""".split()
nn = "compute_average_loss scale_regularization_loss space_to_batch batch_to_space".split()
late.wrap(globals(), [*math, "compute_average_loss", "reverse_sequence", "space_to_batch_nd", "space_to_batch",
                      "batch_to_space_nd", "batch_to_space", "tensor_scatter_nd_sub", "unravel_index",
                      "histogram_fixed_width", "extract_patches", "broadcast_dynamic_shape", "foldr", "vectorized_map"])
