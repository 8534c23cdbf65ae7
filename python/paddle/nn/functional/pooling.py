# SPDX-License-Identifier: MIT
"""Pools."""
from __future__ import annotations

from typing import Sequence

from ...helper import LayerHelper
from ...tensor.manipulation import squeeze, unsqueeze
from .windows import padding_attributes, repeated
from ..._names import refuse_options
from ...typed import TensorLike

__all__ = ["max_pool1d", "avg_pool1d", "adaptive_avg_pool1d", "adaptive_max_pool1d", "max_pool2d", "avg_pool2d",
           "adaptive_avg_pool2d", "adaptive_max_pool2d", "max_pool3d", "avg_pool3d", "adaptive_avg_pool3d",
           "adaptive_max_pool3d"]


def pool2d(x, kind, kernel, stride, padding, ceil_mode=False, exclusive=True, global_pooling=False, adaptive=False,
           data_format="NCHW", name=None, dims=2):
    pads, algorithm = padding_attributes(padding, dims, data_format)
    return LayerHelper(f"pool{dims}d", name).append(f"pool{dims}d", {"X": x}, {
        "pooling_type": kind, "ksize": repeated(kernel, dims, "kernel_size"), "global_pooling": bool(global_pooling),
        "strides": repeated(kernel if stride is None else stride, dims, "stride"), "paddings": pads,
        "padding_algorithm": algorithm, "use_cudnn": True, "ceil_mode": bool(ceil_mode), "use_mkldnn": False,
        "exclusive": bool(exclusive), "adaptive": bool(adaptive), "data_format": data_format})


def max_pool2d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: str | int | Sequence = 0, return_mask: bool = False, ceil_mode: bool = False,
               data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Largest elements of windows."""
    if return_mask:
        pads, _ = padding_attributes(padding, 2, data_format)
        return LayerHelper("max_pool2d_with_index").append("max_pool2d_with_index", {"X": x}, {
            "ksize": repeated(kernel_size, 2, "kernel_size"), "paddings": pads, "global_pooling": False, "adaptive": False,
            "strides": repeated(kernel_size if stride is None else stride, 2, "stride")}, more=("Mask",))
    return pool2d(x, "max", kernel_size, stride, padding, ceil_mode, data_format=data_format)


def avg_pool2d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: str | int | Sequence = 0, ceil_mode: bool = False, exclusive: bool = True,
               divisor_override: int | None = None, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Means of windows."""
    if divisor_override is not None:
        raise NotImplementedError("(Unimplemented) avg_pool2d: divisor_override. Multiply the result instead.")
    return pool2d(x, "avg", kernel_size, stride, padding, ceil_mode, exclusive, data_format=data_format)


def adaptive_avg_pool2d(x: TensorLike, output_size: int | Sequence[int], data_format: str = "NCHW",
                        name: str | None = None) -> TensorLike:
    """Means of windows that give a field of this size."""
    return pool2d(x, "avg", _sizes(output_size), 1, 0, adaptive=True, data_format=data_format)


def adaptive_max_pool2d(x: TensorLike, output_size: int | Sequence[int], return_mask: bool = False,
                        name: str | None = None) -> TensorLike:
    """Largest elements of windows that give a field of this size."""
    if return_mask:
        raise NotImplementedError("(Unimplemented) adaptive_max_pool2d: return_mask=True.")
    return pool2d(x, "max", _sizes(output_size), 1, 0, adaptive=True)


def _sizes(size, dims=2):
    sizes = list(size) if isinstance(size, (list, tuple)) else [size] * dims
    return [-1 if s is None else s for s in sizes]


def max_pool3d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: int | Sequence[int] = 0, return_mask: bool = False, ceil_mode: bool = False, data_format: str = "NCDHW",
               name: str | None = None) -> TensorLike:
    """Largest elements of windows of a volume."""
    _refuse_mask("max_pool3d", return_mask)
    return pool2d(x, "max", kernel_size, stride, padding, ceil_mode, data_format=data_format, dims=3)


def avg_pool3d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, exclusive: bool = True,
               divisor_override: int | None = None, data_format: str = "NCDHW", name: str | None = None) -> TensorLike:
    """Means of windows of a volume."""
    refuse_options("avg_pool3d", divisor_override=divisor_override)
    return pool2d(x, "avg", kernel_size, stride, padding, ceil_mode, exclusive, data_format=data_format, dims=3)


def adaptive_avg_pool3d(x: TensorLike, output_size: int | Sequence[int], data_format: str = "NCDHW",
                        name: str | None = None) -> TensorLike:
    """Means of windows that give a volume of this size."""
    return pool2d(x, "avg", _sizes(output_size, 3), 1, 0, adaptive=True, data_format=data_format, dims=3)


def adaptive_max_pool3d(x: TensorLike, output_size: int | Sequence[int], return_mask: bool = False,
                        name: str | None = None) -> TensorLike:
    """Largest elements of windows that give a volume of this size."""
    _refuse_mask("adaptive_max_pool3d", return_mask)
    return pool2d(x, "max", _sizes(output_size, 3), 1, 0, adaptive=True, data_format="NCDHW", dims=3)


def _refuse_mask(function, wanted):
    refuse_options(function, return_mask=wanted or None)


def _row(x, kind, kernel, stride, padding, **options):
    """A pool of a line as one of a picture of one row."""
    stride = kernel if stride is None else stride
    one = [repeated(v, 1, what)[0] for v, what in ((kernel, "kernel_size"), (stride, "stride"))]
    if not isinstance(padding, str):
        pads, _ = padding_attributes(padding, 1, "NCL")
        padding = [0, *pads] if len(pads) == 1 else [0, 0, *pads]
    return squeeze(pool2d(unsqueeze(x, 2), kind, [1, one[0]], [1, one[1]], padding, **options), 2)


def max_pool1d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: int | Sequence[int] = 0, return_mask: bool = False, ceil_mode: bool = False,
               name: str | None = None) -> TensorLike:
    """Largest elements of windows of a line."""
    _refuse_mask("max_pool1d", return_mask)
    return _row(x, "max", kernel_size, stride, padding, ceil_mode=ceil_mode)


def avg_pool1d(x: TensorLike, kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None,
               padding: int | Sequence[int] = 0, exclusive: bool = True, ceil_mode: bool = False,
               name: str | None = None) -> TensorLike:
    """Means of windows of a line."""
    return _row(x, "avg", kernel_size, stride, padding, exclusive=exclusive, ceil_mode=ceil_mode)


def adaptive_avg_pool1d(x: TensorLike, output_size: int | Sequence[int], name: str | None = None) -> TensorLike:
    """Means of windows that give a line of this length."""
    return _row(x, "avg", output_size, 1, 0, adaptive=True)


def adaptive_max_pool1d(x: TensorLike, output_size: int | Sequence[int], return_mask: bool = False,
                        name: str | None = None) -> TensorLike:
    """Largest elements of windows that give a line of this length."""
    _refuse_mask("adaptive_max_pool1d", return_mask)
    return _row(x, "max", output_size, 1, 0, adaptive=True)
