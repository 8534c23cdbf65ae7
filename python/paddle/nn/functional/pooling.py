# SPDX-License-Identifier: MIT
"""Pools."""
from __future__ import annotations

from typing import Sequence

from ...helper import LayerHelper
from .windows import padding_attributes, repeated
from ...typed import TensorLike

__all__ = ["max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "adaptive_max_pool2d"]


def pool2d(x, kind, kernel, stride, padding, ceil_mode=False, exclusive=True, global_pooling=False, adaptive=False,
           data_format="NCHW", name=None):
    pads, algorithm = padding_attributes(padding, 2, data_format)
    return LayerHelper("pool2d", name).append("pool2d", {"X": x}, {
        "pooling_type": kind, "ksize": repeated(kernel, 2, "kernel_size"), "global_pooling": bool(global_pooling),
        "strides": repeated(kernel if stride is None else stride, 2, "stride"), "paddings": pads,
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


def _sizes(size):
    sizes = list(size) if isinstance(size, (list, tuple)) else [size, size]
    return [-1 if s is None else s for s in sizes]
