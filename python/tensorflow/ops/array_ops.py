# SPDX-License-Identifier: MIT
"""Shapes: reshaping, joining, slicing, looking up, making."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow.framework import dtypes, late
from tensorflow.framework.context import active, current
from tensorflow.framework.dispatch import apply, same_type
from tensorflow.framework.errors import InvalidArgumentError
from tensorflow.framework.facts import operation
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import AxisLike, DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable


def constant(value: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None,
             name: str = "Const") -> Tensor:
    """A tensor with this value."""
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, (EagerTensor, np.ndarray, np.generic)):
        value = np.asarray(value) if dtype is None else np.asarray(value).astype(dtype.as_numpy_dtype)
    out = convert_to_tensor(value, dtype)
    if shape is not None:
        shape = tuple(TensorShape(shape))
        array = out.array
        array = np.full(shape, array) if array.size == 1 else array.reshape(shape)
        out = EagerTensor(array.astype(out.dtype.as_numpy_dtype), out.dtype)
    graph = active()
    return graph.taken(out) if graph is not None else out


def _shape_tensor(shape):
    """A shape as a tensor; one that has traced parts is stacked."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (int, np.integer)):
        shape = [shape]
    if any(isinstance(d, SymbolicTensor) for d in shape):
        known = [constant_value(d) if isinstance(d, Tensor) else d for d in shape]
        if all(d is not None for d in known):
            return np.array(known, np.int32)
        return stack([convert_to_tensor(d, dtypes.int32) if not isinstance(d, Tensor) else d for d in shape])
    return np.array([int(d) for d in shape], np.int32)


operation("Reshape", lambda x, shape: np.reshape(x, tuple(int(d) for d in shape)), (1,))


def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    return apply("Reshape", [convert_to_tensor(tensor), _shape_tensor(shape)], name=name)


operation("Shape", lambda x: np.array(x.shape, np.int32))
operation("Size", lambda x: np.array(x.size, np.int32))


def shape(input: TensorLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape as a tensor."""
    x = convert_to_tensor(input)
    if x.shape.is_fully_defined():
        return EagerTensor(np.array(x.shape.as_list(), dtypes.as_dtype(out_type).as_numpy_dtype))
    return apply("Shape", [x], out_types=[dtypes.as_dtype(out_type)], name=name)


def size(input: TensorLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements, as a tensor."""
    x = convert_to_tensor(input)
    if x.shape.is_fully_defined():
        return EagerTensor(np.array(x.shape.num_elements(), dtypes.as_dtype(out_type).as_numpy_dtype))
    return apply("Size", [x], name=name)


def dims(x):
    """The dimensions of a tensor: numbers, and tensors for those that are not known yet."""
    whole = None if x.shape.is_fully_defined() else shape(x)
    return [whole[d] if n is None else n for d, n in enumerate(x.shape)]


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions, as a tensor."""
    return EagerTensor(np.array(convert_to_tensor(input).shape.rank, np.int32))


operation("Transpose", lambda x, perm: np.transpose(x, perm), (1,))
operation("ExpandDims", lambda x, axis: np.expand_dims(x, int(axis)), (1,))
operation("Squeeze", lambda x, squeeze_dims=(): np.squeeze(x, tuple(squeeze_dims) if squeeze_dims else None))


def transpose(a: TensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """Dimensions in another order; without one, reversed."""
    a = convert_to_tensor(a)
    perm = list(range(a.shape.rank))[::-1] if perm is None else perm
    return apply("Transpose", [a, np.asarray(perm, np.int32)], name=name)


def expand_dims(input: TensorLike, axis: AxisLike | None = None, name: str | None = None,
                dim: AxisLike | None = None) -> Tensor:
    """Adds a dimension of size 1."""
    place: AxisLike = dim if axis is None else axis
    return apply("ExpandDims", [convert_to_tensor(input), np.int32(place)], name=name)


def squeeze(input: TensorLike, axis: AxisLike | None = None, name: str | None = None,
            squeeze_dims: AxisLike | None = None) -> Tensor:
    """Drops dimensions of size 1."""
    axis = squeeze_dims if axis is None else axis
    axes = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return apply("Squeeze", [convert_to_tensor(input)], {"squeeze_dims": axes}, name=name)


operation("BroadcastTo", lambda x, shape: np.broadcast_to(x, shape).copy(), (1,))
operation("Tile", lambda x, times: np.tile(x, times), (1,))


def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Repeats along dimensions of size 1 until it has the shape."""
    return apply("BroadcastTo", [convert_to_tensor(input), _shape_tensor(shape)], name=name)


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """Repeats the whole tensor along each dimension."""
    return apply("Tile", [convert_to_tensor(input), _shape_tensor(multiples)], name=name)


def repeat(input: TensorLike, repeats: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Repeats elements along an axis."""
    x = convert_to_tensor(input)
    if axis is None:
        x, axis = reshape(x, [-1]), 0
    index = np.repeat(np.arange(x.shape[axis]), repeats).astype(np.int32)
    return gather(x, index, axis=axis)


def _padded(x, pads, value=0):
    return np.pad(x, pads, constant_values=value)


operation("Pad", _padded, (1,))
operation("PadV2", _padded, (1, 2))
operation("MirrorPad", lambda x, pads, mode="REFLECT": np.pad(x, pads, mode=mode.lower()), (1,))
operation("ReverseV2", lambda x, axes: np.flip(x, tuple(int(a) for a in np.atleast_1d(axes))), (1,))


def pad(tensor: TensorLike, paddings: list, mode: str = "CONSTANT", constant_values: TensorLike = 0,
        name: str | None = None) -> Tensor:
    """Adds elements at the ends of dimensions: a constant, or mirrored."""
    x = convert_to_tensor(tensor)
    paddings = np.asarray(paddings, np.int32)
    if mode.upper() == "CONSTANT":
        return apply("PadV2", [x, paddings, same_type(x, constant_values)[1]], name=name)
    return apply("MirrorPad", [x, paddings], {"mode": mode.upper()}, name=name)


def reverse(tensor: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """The order along axes turned round."""
    return apply("ReverseV2", [convert_to_tensor(tensor), np.atleast_1d(np.asarray(axis, np.int32))], name=name)


def roll(input: TensorLike, shift: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """Moves elements along an axis; what leaves one end enters the other."""
    x = convert_to_tensor(input)
    for s, a in zip(np.atleast_1d(shift), np.atleast_1d(axis)):
        x = gather(x, np.roll(np.arange(x.shape[int(a)]), int(s)).astype(np.int32), axis=int(a))
    return x


operation("ConcatV2", lambda *parts: np.concatenate(parts[:-1], int(parts[-1])), (-1,))
operation("Pack", lambda *parts, axis=0: np.stack(parts, axis))
operation("Unpack", lambda x, axis=0, num=None: [np.take(x, i, axis) for i in range(x.shape[axis])])


def concat(values: TensorLike, axis: AxisLike, name: str = "concat") -> Tensor:
    """Joins along an axis that is there."""
    values = [convert_to_tensor(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    return values[0] if len(values) == 1 else apply("ConcatV2", [*values, np.int32(axis)], name=name)


def stack(values: TensorLike, axis: AxisLike = 0, name: str = "stack") -> Tensor:
    """Joins along a new axis."""
    values = list(values)
    first = next((v for v in values if isinstance(v, (Tensor, Variable))), None)
    values = [same_type(v, first)[0] if first is not None else convert_to_tensor(v) for v in values]
    return apply("Pack", values, {"axis": int(axis)}, name=name)


def unstack(value: TensorLike, num: int | None = None, axis: AxisLike = 0, name: str = "unstack") -> list:
    """The slices along an axis, as a list."""
    x = convert_to_tensor(value)
    num = x.shape[axis] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
    out = apply("Unpack", [x], {"axis": axis, "num": int(num)}, outputs=int(num), name=name)
    return [out] if num == 1 else list(out)


def _split_v(x, sizes, axis):
    sizes = np.where(sizes < 0, x.shape[int(axis)] - sizes[sizes >= 0].sum(), sizes)
    return np.split(x, np.cumsum(sizes)[:-1], int(axis))


operation("Split", lambda axis, x, num_split: np.split(x, num_split, int(axis)), (0,))
operation("SplitV", _split_v, (1, 2))


def split(value: TensorLike, num_or_size_splits: int | list, axis: AxisLike = 0, num: int | None = None,
          name: str = "split") -> list:
    """Cuts into parts along an axis."""
    x = convert_to_tensor(value)
    if isinstance(num_or_size_splits, (int, np.integer)):
        n = int(num_or_size_splits)
        out = apply("Split", [np.int32(axis), x], {"num_split": n}, outputs=n, name=name)
        return [out] if n == 1 else list(out)
    sizes = np.asarray(num_or_size_splits, np.int32)
    out = apply("SplitV", [x, sizes, np.int32(axis)], outputs=len(sizes), name=name)
    return [out] if len(sizes) == 1 else list(out)


def _sliced(x, begin, size):
    return x[tuple(slice(int(b), x.shape[d] if s < 0 else int(b + s)) for d, (b, s) in enumerate(zip(begin, size)))]


def _strided(x, begin, end, strides):
    return x[tuple(slice(b, None if e < 0 else e, s) for b, e, s in zip(begin, end, strides))]


operation("Slice", _sliced, (2,))
operation("StridedSlice", _strided)


def slice_(input_: TensorLike, begin: TensorLike, size: int | Sequence[int], name: str | None = None) -> Tensor:
    """A part: `size` elements from `begin` on."""
    begin = begin if isinstance(begin, Tensor) else _shape_tensor(begin)
    return apply("Slice", [convert_to_tensor(input_), begin, _shape_tensor(size)], name=name)


def getitem(x, key):
    """x[key]: integers, slices, None, ..., a mask that is known; an index that is traced is looked up."""
    x = convert_to_tensor(x)
    keys = list(key) if isinstance(key, tuple) else [key]
    if len(keys) == 1 and _is_mask(keys[0]):
        return boolean_mask(x, keys[0])
    used = sum(k is not None and k is not Ellipsis for k in keys)
    if used > x.shape.rank:
        raise IndexError(f"{used} indices for a tensor of {x.shape.rank} dimensions")
    if Ellipsis in [k for k in keys if not isinstance(k, (Tensor, np.ndarray))]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        keys[at:at + 1] = [slice(None)] * (x.shape.rank - used)
    begin, end, strides, dropped, fresh, traced = [], [], [], [], [], []
    out_dim = 0
    for k in keys:
        d = len(begin)
        if k is None:
            fresh.append(out_dim)
            out_dim += 1
            continue
        extent = x.shape[d]
        if isinstance(k, slice):
            begin_, end_, step = _bounds(k, extent)
            out_dim += 1
        else:
            known = constant_value(k) if isinstance(k, Tensor) else k
            if known is None:
                traced.append((d, k))
                begin_, end_, step = 0, _whole(extent), 1
                out_dim += 1
                dropped.append((d, True))
            else:
                i = int(known)
                if extent is not None and not -extent <= i < extent:
                    raise InvalidArgumentError(None, None, f"slice index {i} of dimension {d} out of bounds.")
                i = i + extent if i < 0 and extent is not None else i
                begin_, end_, step = i, i + 1, 1
                dropped.append((d, False))
        begin.append(begin_)
        end.append(end_)
        strides.append(step)
    out = apply("StridedSlice", [x], {"begin": begin, "end": end, "strides": strides}) if begin else x
    for d, index in traced:
        out = apply("GatherV2", [out, reshape(index, [1]), np.int32(d)], {"from_end": True}, out_types=[out.dtype])
    if dropped:
        out = squeeze(out, [d for d, _ in dropped])
    gone = {d for d, _ in dropped}
    position = 0
    d = 0
    for k in keys:
        if k is None:
            out = expand_dims(out, position)
            position += 1
        else:
            position += d not in gone
            d += 1
    return out


def strided_slice(input_: TensorLike, begin: TensorLike, end: TensorLike, strides: int | Sequence[int] | None = None,
                  begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0,
                  shrink_axis_mask: int = 0, var: Variable | None = None, name: str | None = None) -> Tensor:
    """input_[begin[0]:end[0]:strides[0], ...]. Bit i of a mask: entry i has no begin or end, stands for all dimensions left
    over, is a new dimension, or is an index whose dimension goes."""
    if var is not None:
        raise NotImplementedError("tf.strided_slice(var=...) is not there: assign to the variable.")
    starts, ends = (np.atleast_1d(_known(v, "strided_slice")) for v in (begin, end))
    steps = np.ones_like(starts) if strides is None else np.atleast_1d(_known(strides, "strided_slice"))
    keys: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, ends, steps)):
        bit = 1 << i
        if ellipsis_mask & bit:
            keys.append(Ellipsis)
        elif new_axis_mask & bit:
            keys.append(None)
        elif shrink_axis_mask & bit:
            keys.append(int(start))
        else:
            keys.append(slice(None if begin_mask & bit else int(start), None if end_mask & bit else int(stop), int(step)))
    return getitem(input_, tuple(keys))


def _known(value, what):
    known = constant_value(convert_to_tensor(value))
    if known is None:
        raise late.needs(ValueError(f"tf.{what}: its bounds must be known when the graph is built. Use tf.gather or "
                                    "tf.slice."), value)
    return known


def _whole(extent):
    return 2 ** 31 - 1 if extent is None else extent


def _is_mask(k):
    return isinstance(k, (Tensor, np.ndarray)) and (k.dtype == dtypes.bool_ if isinstance(k, Tensor) else k.dtype == bool)


def _bounds(k, extent):
    values = [None if v is None else int(constant_value(v)) if isinstance(v, Tensor) else int(v)
              for v in (k.start, k.stop, k.step)]
    if extent is not None:
        begin, end, step = slice(*values).indices(extent)
        if (end - begin) * step <= 0:
            end = begin
        return begin, end, step
    begin, end, step = values
    if (step or 1) < 0 or (begin or 0) < 0:
        raise ValueError("Slices of a dimension that is not known must go forward.")
    return begin or 0, 2 ** 31 - 1 if end is None else end, step or 1  # a negative end counts from the end


def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """The elements where the mask is true."""
    known = constant_value(convert_to_tensor(mask))
    if known is None:
        raise ValueError("boolean_mask with a mask that is only known at run time has no fixed shape, which the IPU needs. "
                         "Use tf.where.")
    x = convert_to_tensor(tensor)
    axis = 0 if axis is None else axis
    x = reshape(x, [*x.shape.as_list()[:axis], -1, *x.shape.as_list()[axis + known.ndim:]])
    return gather(x, np.flatnonzero(known).astype(np.int32), axis=axis)


def _gathered(x, at, axis=0, batch_dims=0, from_end=False):
    """from_end: negative indices count from there."""
    if batch_dims:
        return np.stack([_gathered(x[i], at[i], int(axis) - 1, batch_dims - 1) for i in range(len(x))])
    size = x.shape[int(axis)]
    _check_range(np.where(at < 0, at + size, at) if from_end else at, size)
    return np.take(x, at, int(axis))


def _check_range(at, size):
    """numpy would count negative indices from the end."""
    wrong = np.argwhere((at < 0) | (at >= size))
    if len(wrong):
        place = ", ".join(map(str, wrong[0]))
        raise InvalidArgumentError(None, None, f"indices[{place}] = {at[tuple(wrong[0])]} is not in [0, {size})")


def _gathered_nd(x, at, batch_dims=0):
    if batch_dims:
        return np.stack([_gathered_nd(x[i], at[i], batch_dims - 1) for i in range(len(x))])
    for d in range(at.shape[-1]):
        _check_range(at[..., d], x.shape[d])
    return x[tuple(np.moveaxis(at, -1, 0))]


operation("GatherV2", _gathered, (2,))
operation("GatherNd", _gathered_nd)


def gather(params: TensorLike, indices: TensorLike, validate_indices: Any = None, axis: AxisLike | None = None,
           batch_dims: int = 0, name: str | None = None) -> Tensor:
    """Slices by index along an axis."""
    x, at = convert_to_tensor(params), convert_to_tensor(indices)
    given = batch_dims if axis is None else axis
    place: Any = constant_value(given) if isinstance(given, Tensor) else given
    return apply("GatherV2", [x, at, np.int32(place)], {"batch_dims": int(batch_dims)},
                 out_types=[x.dtype], name=name)


def gather_nd(params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """Slices by indices of several dimensions."""
    x = convert_to_tensor(params)
    return apply("GatherNd", [x, convert_to_tensor(indices)], {"batch_dims": batch_dims}, out_types=[x.dtype], name=name)


def _one_hot(indices, depth, on, off, axis=-1):
    out = np.where(np.expand_dims(indices, axis) == np.arange(depth).reshape(
        [-1 if d == (axis % (indices.ndim + 1)) else 1 for d in range(indices.ndim + 1)]), on, off)
    return out.astype(on.dtype)


operation("OneHot", _one_hot, (1,))


def one_hot(indices: TensorLike, depth: int, on_value: TensorLike | None = None, off_value: TensorLike | None = None,
            axis: AxisLike | None = None, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """on_value at the index, off_value elsewhere."""
    dtype = dtypes.as_dtype(dtype or dtypes.float32)
    on, off = (dtype.as_numpy_dtype(default if v is None else v) for v, default in ((on_value, 1), (off_value, 0)))
    return apply("OneHot", [convert_to_tensor(indices), np.int32(depth), on, off], {"axis": -1 if axis is None else axis},
                 out_types=[dtype], name=name)


def _columns(x, at):
    for d in range(at.shape[-1]):
        _check_range(at[..., d], x.shape[d])
    return tuple(np.moveaxis(at, -1, 0))


def _scattered(x, at, rows):
    out = x.copy()
    out[_columns(x, at)] = rows
    return out


def _scattered_sum(x, at, rows):
    out = x.copy()
    np.add.at(out, _columns(x, at), rows)
    return out


operation("TensorScatterUpdate", _scattered)
operation("TensorScatterAdd", _scattered_sum)


def tensor_scatter_nd_update(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """The tensor with updates set at indices."""
    return apply("TensorScatterUpdate", [convert_to_tensor(t) for t in (tensor, indices, updates)], name=name)


def tensor_scatter_nd_add(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """The tensor with updates added at indices."""
    return apply("TensorScatterAdd", [convert_to_tensor(t) for t in (tensor, indices, updates)], name=name)


def scatter_nd(indices: TensorLike, updates: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """A tensor of zeros with updates added at indices."""
    updates = convert_to_tensor(updates)
    return tensor_scatter_nd_add(zeros(shape, updates.dtype), indices, updates, name)


def _cast(x, DstT):
    if x.dtype.kind == "f" and DstT._numpy.kind in "iu":
        x = np.trunc(x)
    return x.astype(DstT._numpy)


operation("Cast", _cast, keeps_order=True)


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts to another type."""
    dtype = dtypes.as_dtype(dtype)
    x = convert_to_tensor(x)
    return x if x.dtype is dtype else apply("Cast", [x], {"DstT": dtype}, out_types=[dtype], name=name)


operation("Fill", lambda shape, value: np.full(shape, value, value.dtype), (0,))
operation("ZerosLike", np.zeros_like)
operation("OnesLike", np.ones_like)
operation("Range", lambda start, limit, delta: np.arange(start, limit, delta, dtype=start.dtype), (0, 1, 2))


def fill(dims: ShapeLike, value: TensorLike, name: str | None = None) -> Tensor:
    """A tensor whose elements are all the same."""
    return apply("Fill", [_shape_tensor(dims), convert_to_tensor(value)], name=name)


def zeros(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """All elements zero."""
    return _filled(shape, 0, dtype)


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """All elements one."""
    return _filled(shape, 1, dtype)


def _filled(shape, value, dtype):
    shape = _shape_tensor(shape)
    value = dtypes.as_dtype(dtype).as_numpy_dtype(value)
    if isinstance(shape, SymbolicTensor):
        return fill(shape, value)
    return EagerTensor(np.full(tuple(int(d) for d in np.atleast_1d(np.asarray(shape))), value))


def zeros_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape of a tensor."""
    x = convert_to_tensor(input)
    out = apply("ZerosLike", [x], name=name)
    return out if dtype is None else cast(out, dtype)


def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Ones in the shape of a tensor."""
    x = convert_to_tensor(input)
    out = apply("OnesLike", [x], name=name)
    return out if dtype is None else cast(out, dtype)


class OpenRange:
    """A range whose bounds a program computes, for `for` in a tf.function."""
    MESSAGE = ("tf.range: its bounds must be known when the graph is built, but for `for i in tf.range(n)` in a tf.function.")

    def __init__(self, start, limit, delta):
        self.bounds = [convert_to_tensor(v) for v in (start, limit, delta)]

    def __array__(self, dtype=None):
        raise ValueError(self.MESSAGE)

    def __getattr__(self, name):
        raise AttributeError(f"{name}: {self.MESSAGE}")

    def __iter__(self):
        raise ValueError(self.MESSAGE)


def range_(start: TensorLike, limit: TensorLike | None = None, delta: float = 1, dtype: DTypeLike | None = None,
           name: str = "range") -> Tensor:
    """Numbers as Python's range has them."""
    if limit is None:
        start, limit = 0, start
    parts: list[Any] = [constant_value(convert_to_tensor(v)) for v in (start, limit, delta)]
    if any(p is None for p in parts):
        if current.graph is None:
            raise ValueError(OpenRange.MESSAGE)
        return OpenRange(start, limit, delta)
    if dtype is None:
        dtype = dtypes.as_dtype(np.result_type(*[np.asarray(p) for p in parts]))
        given = [v.dtype for v in (start, limit, delta) if isinstance(v, Tensor)]
        dtype = dtypes.float32 if dtype is dtypes.float64 and dtypes.float64 not in given else dtype
    return EagerTensor(np.arange(*[p.item() for p in parts], dtype=dtypes.as_dtype(dtype).as_numpy_dtype))


def linspace(start: TensorLike, stop: TensorLike, num: int, name: str | None = None, axis: AxisLike = 0) -> Tensor:
    """`num` numbers from start to stop, both included."""
    start, stop = (np.asarray(constant_value(convert_to_tensor(v))) for v in (start, stop))
    kind = start.dtype if start.dtype.kind == "f" else np.float32
    return EagerTensor(np.linspace(start, stop, int(num), axis=axis).astype(kind))


def eye(num_rows: int, num_columns: int | None = None, batch_shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The identity matrix."""
    out = np.eye(num_rows, num_columns, dtype=dtypes.as_dtype(dtype).as_numpy_dtype)
    return EagerTensor(np.broadcast_to(out, (*(batch_shape or ()), *out.shape)).copy())


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list:
    """Coordinates of all points of a grid, one tensor for each axis."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing parameter must be either 'xy' or 'ij', got {indexing!r}.")
    xs = [reshape(convert_to_tensor(a), [-1]) for a in args]
    places = [1, 0, *range(2, len(xs))] if indexing == "xy" and len(xs) > 1 else list(range(len(xs)))
    sizes = [0] * len(xs)
    for x, place in zip(xs, places):
        sizes[place] = x.shape[0]
    return [broadcast_to(reshape(x, [sizes[d] if d == place else 1 for d in range(len(xs))]), sizes)
            for x, place in zip(xs, places)]


def sequence_mask(lengths: TensorLike, maxlen: int | None = None, dtype: DTypeLike = dtypes.bool_,
                  name: str | None = None) -> Tensor:
    """True for the first `length` elements of each row."""
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        known = constant_value(lengths)
        if known is None:
            raise ValueError("tf.sequence_mask in a graph needs maxlen: the shape of its result must be known.")
        maxlen = int(known.max())
    steps = np.arange(int(maxlen), dtype=lengths.dtype.as_numpy_dtype)
    return cast(apply("Less", [steps, expand_dims(lengths, -1)]), dtype)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor; an error if its shape is another."""
    x = convert_to_tensor(x)
    x.shape.assert_is_compatible_with(shape)
    return x


operation("UpperTriangle", lambda x, k=0: np.triu(x, k))
operation("LowerTriangle", lambda x, k=0: np.tril(x, k))


def linalg_band_part(input: TensorLike, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """Keeps the diagonal and this many below and above; a negative number keeps all."""
    x = convert_to_tensor(input)
    if num_lower >= 0:
        x = apply("UpperTriangle", [x], {"k": -int(num_lower)})
    return apply("LowerTriangle", [x], {"k": int(num_upper)}) if num_upper >= 0 else x


names = """constant reshape shape size rank transpose expand_dims squeeze broadcast_to tile repeat pad reverse roll concat stack
unstack split boolean_mask gather gather_nd one_hot tensor_scatter_nd_update tensor_scatter_nd_add scatter_nd fill zeros ones
zeros_like ones_like linspace eye meshgrid sequence_mask ensure_shape strided_slice""".split()
late.wrap(globals(), [*names, "cast", "getitem"])
SymbolicTensor.stacked, SymbolicTensor.unstacked = staticmethod(stack), unstack
Tensor.__getitem__ = getitem
Variable.__getitem__ = getitem
Variable.__iter__ = lambda self: iter(self.read_value())
Variable.__len__ = lambda self: len(self.read_value())
