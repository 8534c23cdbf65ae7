# SPDX-License-Identifier: MIT
"""Linear maps, embeddings, dropout, padding and resampling."""
from __future__ import annotations

from typing import NoReturn, Sequence

from ... import tensor
from ...dtypes import FLOATING
from ...helper import LayerHelper
from .windows import repeated
from ...typed import AxisLike, NumberLike, ShapeLike, TensorLike

__all__ = ["linear", "embedding", "one_hot", "dropout", "dropout2d", "pad", "interpolate", "upsample", "cosine_similarity"]


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
        raise NotImplementedError("(Unimplemented) dropout: axis. Drop single elements, or use another rate.")
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise ValueError(f"mode must be 'upscale_in_train' or 'downscale_in_infer', not {mode!r}.")
    how = "downgrade_in_infer" if mode == "downscale_in_infer" else mode
    return LayerHelper("dropout").append("dropout", {"X": x}, {
        "dropout_prob": float(p), "is_test": not training, "fix_seed": False, "seed": 0, "dropout_implementation": how},
        more=("Mask",))[0]


def dropout2d(x: TensorLike, p: NumberLike = 0.5, training: bool = True, data_format: str = "NCHW",
              name: str | None = None) -> NoReturn:
    """Sets whole channels to zero at random, in training, and scales the others."""
    raise NotImplementedError("(Unimplemented) dropout2d. Use dropout.")


def pad(x: TensorLike, pad: ShapeLike, mode: str = "constant", value: TensorLike = 0.0, data_format: str = "NCHW",
        name: str | None = None) -> TensorLike:
    """pad: begin and end of each spatial dimension, the last one first."""
    rank, numbers = len(x.shape), list(pad)
    if len(numbers) != 2 * (rank - 2) or not 3 <= rank <= 5:
        raise ValueError(f"pad needs {2 * max(rank - 2, 1)} numbers for a variable of shape {list(x.shape)}, not {numbers}.")
    last = data_format.endswith("C")
    new = [(1 if last else 2) + i for i in range(5 - rank)]
    wide = tensor.unsqueeze(x, new) if new else x
    y = LayerHelper("pad3d").append("pad3d", {"X": wide}, {
        "paddings": numbers + [0] * (6 - len(numbers)), "mode": mode, "value": float(value),
        "data_format": "NDHWC" if last else "NCDHW"})
    return tensor.squeeze(y, new) if new else y


_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "bilinear", "trilinear": "trilinear", "bicubic": "bicubic"}


def interpolate(x: TensorLike, size: int | Sequence[int] | None = None, scale_factor: NumberLike | None = None,
                mode: str = "nearest", align_corners: bool = False, align_mode: int = 0, data_format: str = "NCHW",
                name: str | None = None) -> TensorLike:
    """Resizes a field, by the nearest element, linearly or cubically."""
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


def upsample(x: TensorLike, size: int | Sequence[int] | None = None, scale_factor: NumberLike | None = None,
             mode: str = "nearest", align_corners: bool = False, align_mode: int = 0, data_format: str = "NCHW",
             name: str | None = None) -> TensorLike:
    """interpolate under its older name."""
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def cosine_similarity(x1: TensorLike, x2: TensorLike, axis: AxisLike = 1, eps: float = 1e-8) -> TensorLike:
    """The cosine of the angle between vectors along an axis."""
    lengths = tensor.multiply(tensor.norm(x1, 2, axis), tensor.norm(x2, 2, axis))
    return tensor.divide(tensor.sum(tensor.multiply(x1, x2), axis), tensor.clip(lengths, min=eps))
