# SPDX-License-Identifier: MIT
"""Shapes, parts and joins."""
from __future__ import annotations

from typing import Any, Sequence

from ..helper import LayerHelper
from ..variable import Variable
from ..typed import AxisLike, ShapeLike, TensorLike

__all__ = ["reshape", "transpose", "flatten", "squeeze", "unsqueeze", "concat", "split", "chunk", "stack", "unstack", "slice",
           "strided_slice", "flip", "tile", "expand", "expand_as", "broadcast_to", "gather", "meshgrid", "shape", "t"]


def _numbers(values):
    if isinstance(values, Variable):
        raise TypeError("Shapes and axes must be numbers: they are fixed when a program is compiled.")
    values = values if isinstance(values, (list, tuple)) else [values]
    if any(isinstance(v, Variable) for v in values):
        raise TypeError("Shapes and axes must be numbers: they are fixed when a program is compiled.")
    return [int(v) for v in values]


def _with_shape(kind, x, attrs):
    """Operators whose gradient notes the shape of X."""
    return LayerHelper(kind).append(kind, {"X": x}, attrs, more=("XShape",))[0]


def reshape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> TensorLike:
    """The same elements in another shape; one size may be -1."""
    return _with_shape("reshape2", x, {"shape": _numbers(shape)})


def transpose(x: TensorLike, perm: Sequence, name: str | None = None) -> TensorLike:
    """Dimensions in another order."""
    return _with_shape("transpose2", x, {"axis": _numbers(perm)})


def t(input: TensorLike, name: str | None = None) -> TensorLike:
    """The transpose of a matrix."""
    return transpose(input, [1, 0]) if len(input.shape) == 2 else input


def flatten(x: TensorLike, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> TensorLike:
    """Makes one dimension of several."""
    return _with_shape("flatten_contiguous_range", x, {"start_axis": int(start_axis), "stop_axis": int(stop_axis)})


def squeeze(x: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> TensorLike:
    """Drops dimensions of size 1."""
    return _with_shape("squeeze2", x, {"axes": [] if axis is None else _numbers(axis)})


def unsqueeze(x: TensorLike, axis: AxisLike, name: str | None = None) -> TensorLike:
    """Adds dimensions of size 1."""
    return _with_shape("unsqueeze2", x, {"axes": _numbers(axis)})


def concat(x: TensorLike, axis: AxisLike = 0, name: str | None = None) -> TensorLike:
    """Joins along an axis that is there."""
    if not isinstance(x, (list, tuple)):
        raise TypeError(f"The type of 'x' in concat must be a list of variables, but received {type(x)}.")
    return LayerHelper("concat").append("concat", {"X": list(x)}, {"axis": int(axis)})


def split(x: TensorLike, num_or_sections: int | list, axis: AxisLike = 0, name: str | None = None) -> list:
    """Cuts into parts along an axis."""
    axis = int(axis)
    if isinstance(num_or_sections, int):
        attrs = {"num": num_or_sections, "sections": [], "axis": axis}
        count = num_or_sections
    else:
        sections = _numbers(num_or_sections)
        if -1 in sections:
            sections[sections.index(-1)] = x.shape[axis] - sum(s for s in sections if s != -1)
        attrs, count = {"num": 0, "sections": sections, "axis": axis}, len(sections)
    return LayerHelper("split").append_many("split", {"X": x}, attrs, count)


def chunk(x: TensorLike, chunks: Any, axis: AxisLike = 0, name: str | None = None) -> TensorLike:
    """Cuts into equal parts along an axis."""
    return split(x, chunks, axis)


def stack(x: TensorLike, axis: AxisLike = 0, name: str | None = None) -> TensorLike:
    """Joins along a new axis."""
    return LayerHelper("stack").append("stack", {"X": list(x)}, {"axis": int(axis)}, slot="Y")


def unstack(x: TensorLike, axis: AxisLike = 0, num: int | None = None) -> TensorLike:
    """The slices along an axis, as a list."""
    count = x.shape[axis] if num is None else num
    return LayerHelper("unstack").append_many("unstack", {"X": x}, {"axis": int(axis), "num": int(count)}, count, "Y")


def slice(input: TensorLike, axes: AxisLike, starts: Sequence, ends: Sequence) -> TensorLike:
    """A part: from starts up to, not including, ends along axes."""
    return LayerHelper("slice").append("slice", {"Input": input}, {
        "axes": _numbers(axes), "starts": _numbers(starts), "ends": _numbers(ends), "infer_flags": [1] * len(axes),
        "decrease_axis": []})


def strided_slice(x: TensorLike, axes: AxisLike, starts: Sequence, ends: Sequence, strides: int | Sequence[int],
                  name: str | None = None) -> TensorLike:
    """A part, every strides-th element."""
    return LayerHelper("strided_slice").append("strided_slice", {"Input": x}, {
        "axes": _numbers(axes), "starts": _numbers(starts), "ends": _numbers(ends), "strides": _numbers(strides),
        "infer_flags": [1] * len(axes), "decrease_axis": []})


def flip(x: TensorLike, axis: AxisLike, name: str | None = None) -> TensorLike:
    """Reverses the order along axes."""
    return LayerHelper("flip").append("flip", {"X": x}, {"axis": _numbers(axis)})


def tile(x: TensorLike, repeat_times: Sequence, name: str | None = None) -> TensorLike:
    """Repeats the whole tensor along each dimension."""
    return LayerHelper("tile").append("tile", {"X": x}, {"repeat_times": _numbers(repeat_times)})


def expand(x: TensorLike, shape: ShapeLike, name: str | None = None) -> TensorLike:
    """Repeats along dimensions of size 1 until it has the shape."""
    return LayerHelper("expand").append("expand_v2", {"X": x}, {"shape": _numbers(shape)})


def broadcast_to(x: TensorLike, shape: ShapeLike, name: str | None = None) -> TensorLike:
    """Repeats along dimensions of size 1 until it has the shape."""
    return expand(x, shape)


def expand_as(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """Repeats along dimensions of size 1 until it has y's shape."""
    return LayerHelper("expand_as").append("expand_as_v2", {"X": x, "Y": y}, {"target_shape": list(y.shape)})


def gather(x: TensorLike, index: int, axis: AxisLike | None = None, name: str | None = None) -> TensorLike:
    """Slices by index along an axis."""
    return LayerHelper("gather").append("gather", {"X": x, "Index": index}, {"axis": int(axis or 0), "overwrite": True})


def meshgrid(*args: Any, name: str | None = None) -> TensorLike:
    """Coordinates of all points of a grid, one tensor for each axis."""
    xs = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    return LayerHelper("meshgrid").append_many("meshgrid", {"X": xs}, {}, len(xs))


def shape(input: TensorLike) -> TensorLike:
    """The shape as a tensor."""
    return LayerHelper("shape").append("shape", {"Input": input}, stop_gradient=True)


def getitem(x, item):
    """x[1:3, ..., None, 0]: slices, numbers, None and an ellipsis."""
    items = list(item) if isinstance(item, tuple) else [item]
    rank = sum(1 for i in items if i is not None and i is not Ellipsis)
    if rank > len(x.shape):
        raise IndexError(f"Too many indices for the variable {x.name!r} of shape {list(x.shape)}.")
    if not any(i is Ellipsis for i in items):
        items.append(Ellipsis)
    at = next(n for n, i in enumerate(items) if i is Ellipsis)
    items[at:at + 1] = [_ALL] * (len(x.shape) - rank)
    cuts, drops, news, axis, place = {}, [], [], 0, 0
    for i in items:
        if i is None:
            news.append(place)
            place += 1
            continue
        if isinstance(i, int):
            if x.shape[axis] >= 0 and not -x.shape[axis] <= i < x.shape[axis]:
                raise IndexError(f"Index {i} is outside of dimension {axis} of {x.name!r}, which has {x.shape[axis]}.")
            cuts[axis] = (i, i + 1 if i != -1 else 2**31 - 1, 1)
            drops.append(axis)
            place -= 1
        elif i is not _ALL and i != _ALL:
            if type(i) is not type(_ALL):
                raise TypeError(f"A variable is indexed by numbers, slices, None and ..., not {i!r}; paddle.gather takes "
                                "indices that are computed.")
            step = i.step or 1
            cuts[axis] = (i.start if i.start is not None else (0 if step > 0 else 2**31 - 1),
                          i.stop if i.stop is not None else (2**31 - 1 if step > 0 else -2**31), step)
        axis += 1
        place += 1
    out = x
    if cuts:
        axes = sorted(cuts)
        starts, ends, steps = ([cuts[a][k] for a in axes] for k in range(3))
        out = slice(out, axes, starts, ends) if set(steps) == {1} else strided_slice(out, axes, starts, ends, steps)
    if drops:
        out = squeeze(out, drops) if len(drops) < len(out.shape) else reshape(out, [1])
    return unsqueeze(out, news) if news else out


_ALL = type("", (), {"__getitem__": lambda self, i: i})()[:]
