# SPDX-License-Identifier: MIT
"""Layers with parameters, pools and the like."""
from __future__ import annotations

import math
from typing import Sequence

from .. import tensor
from . import functional as F
from .functional.windows import repeated
from .initializer import Constant, Normal
from .layer import Layer
from ..typed import AxisLike, NumberLike, ParamAttrLike, ShapeLike, TensorLike

__all__ = ["Linear", "Embedding", "Conv2D", "Conv2DTranspose", "BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D",
           "LayerNorm", "GroupNorm", "InstanceNorm2D", "Dropout", "MaxPool2D", "AvgPool2D", "AdaptiveAvgPool2D",
           "AdaptiveMaxPool2D", "Flatten", "Upsample"]


class Linear(Layer):
    """Times a matrix, plus a bias."""
    def __init__(self, in_features: int, out_features: int, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, name: str | None = None) -> None:
        super().__init__("linear")
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, x: TensorLike) -> TensorLike:
        return F.linear(x, self.weight, self.bias)


class Embedding(Layer):
    """Rows of a table by index."""
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, sparse: bool = False,
                 weight_attr: ParamAttrLike = None, name: str | None = None) -> None:
        super().__init__("embedding")
        self._padding = padding_idx
        self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr,
                                            default_initializer=Normal(0.0, 1.0))

    def forward(self, x: TensorLike) -> TensorLike:
        return F.embedding(x, self.weight, self._padding)


class Conv2D(Layer):
    """A convolution of a field of two dimensions."""
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int | Sequence[int], stride: int | Sequence[int] = 1,
                 padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
                 padding_mode: str = "zeros", weight_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None,
                 data_format: str = "NCHW") -> None:
        super().__init__("conv2d")
        if padding_mode != "zeros":
            raise NotImplementedError(f"(Unimplemented) Conv2D: padding_mode={padding_mode!r}. Use paddle.nn.functional.pad.")
        if in_channels % groups:
            raise ValueError(f"in_channels {in_channels} must be divisible by groups {groups}.")
        kernel = repeated(kernel_size, 2, "kernel_size")
        self._window = (stride, padding, dilation, groups, data_format)
        fan = in_channels // groups * kernel[0] * kernel[1]
        self.weight = self.create_parameter([out_channels, in_channels // groups, *kernel], weight_attr,
                                            default_initializer=Normal(0.0, math.sqrt(2.0 / (fan * groups))))
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: TensorLike) -> TensorLike:
        return F.conv2d(x, self.weight, self.bias, *self._window)


class Conv2DTranspose(Layer):
    """The gradient of a convolution of two dimensions, as a layer."""
    def __init__(self, in_channels: int, out_channels: int, kernel_size: int | Sequence[int], stride: int | Sequence[int] = 1,
                 padding: str | int | Sequence = 0, output_padding: int | Sequence[int] = 0,
                 dilation: int | Sequence[int] = 1, groups: int = 1, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, data_format: str = "NCHW") -> None:
        super().__init__("conv2d_transpose")
        kernel = repeated(kernel_size, 2, "kernel_size")
        self._window: dict = dict(stride=stride, padding=padding, output_padding=output_padding, dilation=dilation,
                                  groups=groups, data_format=data_format)
        self.weight = self.create_parameter([in_channels, out_channels // groups, *kernel], weight_attr)
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: TensorLike, output_size: int | Sequence[int] | None = None) -> TensorLike:
        return F.conv2d_transpose(x, self.weight, self.bias, output_size=output_size, **self._window)


class BatchNorm(Layer):
    """Normalises each channel over the batch."""
    def __init__(self, num_features: int, momentum: float = 0.9, epsilon: float = 1e-5, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, data_format: str = "NCHW", use_global_stats: bool | None = None,
                 name: str | None = None) -> None:
        super().__init__("batch_norm")
        self._numbers: dict = dict(momentum=momentum, epsilon=epsilon, data_format=data_format,
                                   use_global_stats=use_global_stats)
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        self.register_buffer("_mean", self._statistic(0.0, [num_features]))
        self.register_buffer("_variance", self._statistic(1.0, [num_features]))

    def forward(self, x: TensorLike) -> TensorLike:
        return F.batch_norm(x, self._mean, self._variance, self.weight, self.bias, self.training, **self._numbers)


class BatchNorm1D(BatchNorm):
    """Normalises each channel of [batch, channels] or [batch, channels, length] over the batch."""
    pass


class BatchNorm2D(BatchNorm):
    """Normalises each channel of images over the batch."""
    pass


class BatchNorm3D(BatchNorm):
    """Normalises each channel of volumes over the batch."""
    pass


class LayerNorm(Layer):
    """Normalises over the last dimensions."""
    def __init__(self, normalized_shape: ShapeLike, epsilon: float = 1e-5, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, name: str | None = None) -> None:
        super().__init__("layer_norm")
        self._shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._epsilon = epsilon
        count = math.prod(self._shape)
        self.weight = self.create_parameter([count], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([count], bias_attr, is_bias=True)

    def forward(self, x: TensorLike) -> TensorLike:
        return F.layer_norm(x, self._shape, self.weight, self.bias, self._epsilon)


class GroupNorm(Layer):
    """Normalises groups of channels."""
    def __init__(self, num_groups: int, num_channels: int, epsilon: float = 1e-5, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__("group_norm")
        self._numbers = num_groups, epsilon, data_format
        self.weight = self.create_parameter([num_channels], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, x: TensorLike) -> TensorLike:
        groups, epsilon, data_format = self._numbers
        return F.group_norm(x, groups, epsilon, self.weight, self.bias, data_format)


class InstanceNorm2D(Layer):
    """Normalises each channel of each image."""
    def __init__(self, num_features: int, epsilon: float = 1e-5, momentum: float = 0.9, weight_attr: ParamAttrLike = None,
                 bias_attr: ParamAttrLike = None, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__("instance_norm")
        self._epsilon, self._format = epsilon, data_format
        self.scale = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def forward(self, x: TensorLike) -> TensorLike:
        return F.instance_norm(x, weight=self.scale, bias=self.bias, eps=self._epsilon, data_format=self._format)


class Dropout(Layer):
    """Sets elements to zero at random, in training, and scales the others."""
    def __init__(self, p: NumberLike = 0.5, axis: AxisLike | None = None, mode: str = "upscale_in_train",
                 name: str | None = None) -> None:
        super().__init__()
        self._arguments = p, axis, mode

    def forward(self, x: TensorLike) -> TensorLike:
        p, axis, mode = self._arguments
        return F.dropout(x, p, axis, self.training, mode)


def of_function(name, function, arguments):
    """A layer of a function of one variable."""
    def init(self, *args, name=None, **kwargs):
        Layer.__init__(self)
        given = {**dict(zip(arguments, args)), **kwargs}
        unknown = set(given) - set(arguments)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no argument {', '.join(unknown)}.")
        self._given = given

    def forward(self, x):
        """The function of x."""
        return getattr(F, function)(x, **self._given)
    return type(name, (Layer,), {"__init__": init, "forward": forward, "__doc__": f"functional.{function} as a layer."})


MaxPool2D = of_function("MaxPool2D", "max_pool2d", ("kernel_size", "stride", "padding", "return_mask", "ceil_mode",
                                                    "data_format"))
AvgPool2D = of_function("AvgPool2D", "avg_pool2d", ("kernel_size", "stride", "padding", "ceil_mode", "exclusive",
                                                    "divisor_override", "data_format"))
AdaptiveAvgPool2D = of_function("AdaptiveAvgPool2D", "adaptive_avg_pool2d", ("output_size", "data_format"))
AdaptiveMaxPool2D = of_function("AdaptiveMaxPool2D", "adaptive_max_pool2d", ("output_size", "return_mask"))
Upsample = of_function("Upsample", "upsample", ("size", "scale_factor", "mode", "align_corners", "align_mode", "data_format"))


class Flatten(Layer):
    """Makes one dimension of several."""
    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self._axes = start_axis, stop_axis

    def forward(self, x: TensorLike) -> TensorLike:
        return tensor.flatten(x, *self._axes)
