# SPDX-License-Identifier: MIT
"""Linear maps, embeddings, dropout, padding and resampling."""
from __future__ import annotations

from typing import Sequence

from ... import tensor
from ...dtypes import FLOATING
from ...helper import LayerHelper
from . import pooling
from .windows import repeated
from ...typed import AxisLike, NumberLike, ShapeLike, TensorLike

__all__ = ["linear", "embedding", "one_hot", "dropout", "dropout2d", "dropout3d", "pad", "zeropad2d", "interpolate", "upsample",
           "cosine_similarity", "pixel_shuffle", "label_smooth"]


def linear(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, name: str | None = None) -> TensorLike:
    """x times a matrix, plus a bias."""
    helper = LayerHelper("linear")
    y = helper.append("matmul_v2", {"X": x, "Y": weight}, {"trans_x": False, "trans_y": False})
    return helper.append_bias(y, bias, len(x.shape) - 1)


def embedding(x: TensorLike, weight: TensorLike, padding_idx: int | None = None, sparse: bool = False,
              name: str | None = None) -> TensorLike:
    """Rows of a table by index."""
    if x.dtype in FLOATING:
        raise TypeError("The indices of an embedding must be integers.")
    index = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else weight.shape[0] + padding_idx
    return LayerHelper("embedding").append("lookup_table_v2", {"Ids": x, "W": weight}, {
        "is_sparse": bool(sparse), "is_distributed": False, "remote_prefetch": False, "padding_idx": index})


def one_hot(x: TensorLike, num_classes: int, name: str | None = None) -> TensorLike:
    """1 at the index, 0 elsewhere."""
    return LayerHelper("one_hot_v2").append("one_hot_v2", {"X": x}, {"depth": int(num_classes),
                                                                     "allow_out_of_range": False}, stop_gradient=True)


def dropout(x: TensorLike, p: NumberLike = 0.5, axis: AxisLike | None = None, training: bool = True,
            mode: str = "upscale_in_train", name: str | None = None) -> TensorLike:
    """Sets elements to zero at random, in training, and scales the others."""
    if axis is not None:
        return _dropped_along(x, p, [axis] if isinstance(axis, int) else list(axis), training, mode)
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise ValueError(f"mode must be 'upscale_in_train' or 'downscale_in_infer', not {mode!r}.")
    how = "downgrade_in_infer" if mode == "downscale_in_infer" else mode
    return LayerHelper("dropout").append("dropout", {"X": x}, {
        "dropout_prob": float(p), "is_test": not training, "fix_seed": False, "seed": 0, "dropout_implementation": how},
        more=("Mask",))[0]


def dropout2d(x: TensorLike, p: NumberLike = 0.5, training: bool = True, data_format: str = "NCHW",
              name: str | None = None) -> TensorLike:
    """Sets whole channels to zero at random, in training, and scales the others."""
    return dropout(x, p, [0, 3 if data_format == "NHWC" else 1], training)


def dropout3d(x: TensorLike, p: NumberLike = 0.5, training: bool = True, data_format: str = "NCDHW",
              name: str | None = None) -> TensorLike:
    """Sets whole channels of volumes to zero at random, in training, and scales the others."""
    return dropout(x, p, [0, 4 if data_format == "NDHWC" else 1], training)


def _dropped_along(x, p, axes, training, mode):
    """One draw for all elements that differ in other axes only."""
    rank = len(x.shape)
    axes = [a % rank for a in axes]
    others = [a for a in range(rank) if a not in axes]
    ones = tensor.ones_like(tensor.mean(x, others, keepdim=True) if others else x)
    return tensor.multiply(x, dropout(ones, p, None, training, mode))


def pad(x: TensorLike, pad: ShapeLike, mode: str = "constant", value: TensorLike = 0.0, data_format: str = "NCHW",
        name: str | None = None) -> TensorLike:
    """pad: begin and end of each spatial dimension, the last one first; or of all dimensions, the first one first."""
    rank = len(x.shape)
    numbers = [pad] * (2 * (rank - 2)) if isinstance(pad, int) else list(pad)
    if len(numbers) == 2 * rank and mode == "constant":  # of all dimensions, the first one first
        return pad_all(x, numbers, value)
    if len(numbers) != 2 * (rank - 2) or not 3 <= rank <= 5:
        raise ValueError(f"pad needs {2 * max(rank - 2, 1)} numbers for a variable of shape {list(x.shape)}, not {numbers}.")
    last = data_format.endswith("C")
    new = [(1 if last else 2) + i for i in range(5 - rank)]
    wide = tensor.unsqueeze(x, new) if new else x
    y = LayerHelper("pad3d").append("pad3d", {"X": wide}, {
        "paddings": numbers + [0] * (6 - len(numbers)), "mode": mode, "value": float(value),
        "data_format": "NDHWC" if last else "NCDHW"})
    return tensor.squeeze(y, new) if new else y


def pad_all(x, paddings, value=0.0):
    """Constants before and after each dimension."""
    for axis, (before, after) in enumerate(zip(paddings[::2], paddings[1::2])):
        parts = [_constant(x, axis, before, value), x, _constant(x, axis, after, value)]
        parts = [part for part in parts if part is not None]
        x = tensor.concat(parts, axis) if len(parts) > 1 else x
    return x


def _constant(x, axis, count, value):
    shape = [count if d == axis else extent for d, extent in enumerate(x.shape)]
    if not count:
        return None
    if -1 in shape:
        raise NotImplementedError(f"(Unimplemented) pad of shape {list(x.shape)}: give the batch, or pad before it is unknown.")
    return tensor.full(shape, float(value), x.dtype)


def zeropad2d(x: TensorLike, padding: int | Sequence[int], data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Zeros around pictures: left, right, above, below."""
    return pad(x, padding, "constant", 0.0, data_format)


_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "bilinear", "trilinear": "trilinear", "bicubic": "bicubic"}


def interpolate(x: TensorLike, size: int | Sequence[int] | None = None, scale_factor: NumberLike | None = None,
                mode: str = "nearest", align_corners: bool = False, align_mode: int = 0, data_format: str = "NCHW",
                name: str | None = None) -> TensorLike:
    """Resizes a field, by the nearest element, linearly or cubically."""
    if mode == "area":
        return _of_area(x, size, scale_factor, data_format)
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(_MODES)}, not {mode!r}.")
    if (size is None) == (scale_factor is None):
        raise ValueError("One of size and scale_factor must be given.")
    n = len(x.shape) - 2
    attrs = {"out_d": -1, "out_h": -1, "out_w": -1, "interp_method": mode, "align_corners": bool(align_corners),
             "align_mode": int(align_mode), "data_layout": data_format, "scale": []}
    if size is not None:
        attrs.update(zip(("out_d", "out_h", "out_w")[3 - n:], repeated(size, n, "size")))
    else:
        factors = list(scale_factor) if isinstance(scale_factor, (list, tuple)) else [scale_factor] * n
        attrs["scale"] = [float(f) for f in factors]
    return LayerHelper(f"{mode}_interp_v2").append(f"{mode}_interp_v2", {"X": x}, attrs)


def _of_area(x, size, scale_factor, data_format):
    """Means of what each element of the result covers."""
    field = x.shape[2:] if data_format.startswith("NC") else x.shape[1:-1]
    if size is None:
        factors = list(scale_factor) if isinstance(scale_factor, (list, tuple)) else [scale_factor] * len(field)
        size = [int(n * f) for n, f in zip(field, factors)]
    sizes = repeated(size, len(field), "size")
    if len(field) == 1:
        return pooling.adaptive_avg_pool1d(x, sizes[0])
    return (pooling.adaptive_avg_pool2d if len(field) == 2 else pooling.adaptive_avg_pool3d)(x, sizes, data_format)


def upsample(x: TensorLike, size: int | Sequence[int] | None = None, scale_factor: NumberLike | None = None,
             mode: str = "nearest", align_corners: bool = False, align_mode: int = 0, data_format: str = "NCHW",
             name: str | None = None) -> TensorLike:
    """interpolate under its older name."""
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def cosine_similarity(x1: TensorLike, x2: TensorLike, axis: AxisLike = 1, eps: float = 1e-8) -> TensorLike:
    """The cosine of the angle between vectors along an axis."""
    lengths = tensor.multiply(tensor.norm(x1, 2, axis), tensor.norm(x2, 2, axis))
    return tensor.divide(tensor.sum(tensor.multiply(x1, x2), axis), tensor.clip(lengths, min=eps))


def pixel_shuffle(x: TensorLike, upscale_factor: int, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Channels become rows and columns: [n, c r r, h, w] -> [n, c, h r, w r]."""
    r, last = int(upscale_factor), data_format == "NHWC"
    x = tensor.transpose(x, [0, 3, 1, 2]) if last else x
    _, channels, height, width = x.shape
    if channels % (r * r):
        raise ValueError(f"pixel_shuffle: {channels} channels are not a multiple of {r} x {r}.")
    x = tensor.transpose(tensor.reshape(x, [-1, channels // (r * r), r, r, height, width]), [0, 1, 4, 2, 5, 3])
    x = tensor.reshape(x, [-1, channels // (r * r), height * r, width * r])
    return tensor.transpose(x, [0, 2, 3, 1]) if last else x


def label_smooth(label: TensorLike, prior_dist: TensorLike | None = None, epsilon: float = 0.1,
                 name: str | None = None) -> TensorLike:
    """Of a share epsilon every class has as much, or as prior_dist says."""
    kept = tensor.scale(label, 1.0 - epsilon)
    if prior_dist is None:
        return tensor.scale(kept, 1.0, epsilon / label.shape[-1])
    return tensor.add(kept, tensor.scale(prior_dist, float(epsilon)))
