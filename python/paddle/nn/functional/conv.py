# SPDX-License-Identifier: MIT
"""Convolutions."""
from __future__ import annotations

from typing import Sequence

from ...helper import LayerHelper
from ...tensor.manipulation import squeeze, unsqueeze
from .windows import padding_attributes, repeated
from ...typed import TensorLike

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


def convolution(kind, x, weight, bias, stride, padding, dilation, groups, data_format, n, **attrs):
    helper = LayerHelper(kind)
    pads, algorithm = padding_attributes(padding, n, data_format)
    y = helper.append(kind, {"Input": x, "Filter": weight}, {
        "strides": repeated(stride, n, "stride"), "paddings": pads, "dilations": repeated(dilation, n, "dilation"),
        "groups": int(groups), "padding_algorithm": algorithm, "data_format": data_format, **attrs}, slot="Output")
    return helper.append_bias(y, bias, len(x.shape) - 1 if data_format.endswith("C") else 1)


def conv2d(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
           padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = "NCHW",
           name: str | None = None) -> TensorLike:
    """A convolution of a field of two dimensions."""
    channels = x.shape[3 if data_format == "NHWC" else 1]
    deep = groups == channels and groups != 1 and weight.shape[0] % channels == 0
    return convolution("depthwise_conv2d" if deep else "conv2d", x, weight, bias, stride, padding, dilation, groups,
                       data_format, 2)


def conv3d(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
           padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = "NCDHW",
           name: str | None = None) -> TensorLike:
    """A convolution of a field of three dimensions."""
    return convolution("conv3d", x, weight, bias, stride, padding, dilation, groups, data_format, 3)


def conv1d(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
           padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int = 1, data_format: str = "NCL",
           name: str | None = None) -> TensorLike:
    """A picture of one row."""
    last = data_format == "NLC"
    pads, algorithm = padding_attributes(padding, 1, data_format)
    pads = [0, *pads] if len(pads) == 1 else [0, 0, *pads]
    row = 1 if last else 2
    y = conv2d(unsqueeze(x, row), unsqueeze(weight, 2), bias, [1, *repeated(stride, 1, "stride")],
               algorithm if algorithm != "EXPLICIT" else pads, [1, *repeated(dilation, 1, "dilation")], groups,
               "NHWC" if last else "NCHW")
    return squeeze(y, row)


def conv2d_transpose(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
                     padding: str | int | Sequence = 0, output_padding: int | Sequence[int] = 0,
                     dilation: int | Sequence[int] = 1, groups: int = 1, output_size: int | Sequence[int] | None = None,
                     data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """The gradient of a convolution of two dimensions, as a layer."""
    attrs = {"output_padding": repeated(output_padding, 2, "output_padding") if output_padding else []}
    if output_size is not None:
        attrs["output_size"] = repeated(output_size, 2, "output_size")
    return convolution("conv2d_transpose", x, weight, bias, stride, padding, dilation, groups, data_format, 2, **attrs)


def conv1d_transpose(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
                     padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
                     dilation: int | Sequence[int] = 1, output_size: int | Sequence[int] | None = None,
                     data_format: str = "NCL", name: str | None = None) -> TensorLike:
    """The gradient of a convolution of one dimension, as a layer."""
    last = data_format == "NLC"
    pads, algorithm = padding_attributes(padding, 1, data_format)
    pads = [0, *pads] if len(pads) == 1 else [0, 0, *pads]
    row, extra = (1 if last else 2), repeated(output_padding, 1, "output_padding")
    y = conv2d_transpose(unsqueeze(x, row), unsqueeze(weight, 2), bias, [1, *repeated(stride, 1, "stride")],
                         algorithm if algorithm != "EXPLICIT" else pads, [0, *extra] if any(extra) else 0,
                         [1, *repeated(dilation, 1, "dilation")], groups,
                         None if output_size is None else [1, *repeated(output_size, 1, "output_size")],
                         "NHWC" if last else "NCHW")
    return squeeze(y, row)


def conv3d_transpose(x: TensorLike, weight: TensorLike, bias: TensorLike | None = None, stride: int | Sequence[int] = 1,
                     padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
                     dilation: int | Sequence[int] = 1, output_size: int | Sequence[int] | None = None,
                     data_format: str = "NCDHW", name: str | None = None) -> TensorLike:
    """The gradient of a convolution of three dimensions, as a layer."""
    attrs = {"output_padding": repeated(output_padding, 3, "output_padding") if output_padding else []}
    if output_size is not None:
        attrs["output_size"] = repeated(output_size, 3, "output_size")
    return convolution("conv3d_transpose", x, weight, bias, stride, padding, dilation, groups, data_format, 3, **attrs)
