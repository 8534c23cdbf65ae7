# SPDX-License-Identifier: MIT
"""Convolutions of every channel by itself: DepthwiseConv2D; SeparableConv1D and 2D with a convolution over channels behind."""
from __future__ import annotations

from tensorflow.framework.typed import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from typing import Any, Sequence

from tensorflow.keras.layers import parts
from tensorflow.keras.layers.convolutional import Conv, tensorflow_format
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D", "SeparableConvolution1D", "SeparableConvolution2D"]


class DepthwiseConv2D(Conv):
    """Kernel [height, width, in, depth_multiplier]; channel i gives outputs i * depth_multiplier ..."""

    def __init__(self, kernel_size: int | Sequence[int], strides: int | Sequence[int] = (1, 1),
                 padding: str | int | Sequence = "valid", depth_multiplier: int = 1, data_format: str | None = None,
                 dilation_rate: int | Sequence[int] = (1, 1), activation: ActivationLike = None, use_bias: bool = True,
                 depthwise_initializer: InitializerLike = "glorot_uniform", bias_initializer: InitializerLike = "zeros",
                 depthwise_regularizer: RegularizerLike = None, bias_regularizer: RegularizerLike = None,
                 activity_regularizer: RegularizerLike = None, depthwise_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        given = dict(locals())
        super().__init__(2, 1, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias,
                         bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
                         activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs)
        self.depth_multiplier = int(depth_multiplier)
        parts.take(self, ("depthwise",), given)

    def build(self, input_shape: ShapeLike) -> None:
        channels = self._channels(input_shape)
        self.depthwise_kernel = parts.weight(self, "depthwise_kernel", (*self.kernel_size, channels, self.depth_multiplier),
                                             "depthwise")
        self._add_bias(channels * self.depth_multiplier)

    def call(self, inputs: TensorLike) -> Tensor:
        inputs = parts.floating(self, inputs)
        own_format = tensorflow_format(self.data_format, 2)
        out = depthwise(inputs, self.depthwise_kernel, self.strides, self.padding, own_format, self.dilation_rate)
        return self._finished(out, own_format)

    def get_config(self) -> dict:
        out = {**super().get_config(), "depth_multiplier": self.depth_multiplier, **parts.config(self, ("depthwise",))}
        return {k: v for k, v in out.items() if not k.startswith("kernel_") or k == "kernel_size"
                if k not in ("filters", "groups")}


def depthwise(x, kernel, strides, padding, own_format, dilations):
    strides = [1, *strides, 1] if own_format == "NHWC" else [1, 1, *strides]
    return nn_ops.depthwise_conv2d(x, math_ops.cast(kernel, x.dtype), strides, padding.upper(), own_format, dilations)


class _Separable(Conv):
    _rank = 1

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1,
                 padding: str | int | Sequence = "valid", data_format: str | None = None,
                 dilation_rate: int | Sequence[int] = 1, depth_multiplier: int = 1, activation: ActivationLike = None,
                 use_bias: bool = True, depthwise_initializer: InitializerLike = "glorot_uniform",
                 pointwise_initializer: InitializerLike = "glorot_uniform", bias_initializer: InitializerLike = "zeros",
                 depthwise_regularizer: RegularizerLike = None, pointwise_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 depthwise_constraint: ConstraintLike = None, pointwise_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        given = dict(locals())
        super().__init__(self._rank, filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
                         use_bias, activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = int(depth_multiplier)
        parts.take(self, ("depthwise", "pointwise", "bias"), given)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = parts.weight(self, "depthwise_kernel", (*self.kernel_size, channels, self.depth_multiplier),
                                             "depthwise")
        self.pointwise_kernel = parts.weight(self, "pointwise_kernel",
                                             (*[1] * self.rank, channels * self.depth_multiplier, self.filters), "pointwise")
        self._add_bias(self.filters)

    def call(self, inputs):
        inputs = parts.floating(self, inputs)
        own_format = tensorflow_format(self.data_format, self.rank)
        x, strides, dilations, padding = inputs, self.strides, self.dilation_rate, self.padding
        kernel = self.depthwise_kernel
        if self.rank == 1:  # as an image of one row
            axis = 1 if self.data_format == "channels_last" else 2
            if padding == "causal":
                before = (self.kernel_size[0] - 1) * dilations[0]
                x, padding = array_ops.pad(x, [[before if d == axis else 0, 0] for d in range(3)]), "valid"
            x, kernel = array_ops.expand_dims(x, axis), array_ops.expand_dims(kernel, 0)
            strides, dilations = (strides[0],) * 2, (1, dilations[0])
        x = depthwise(x, kernel, strides, padding, tensorflow_format(self.data_format, 2), dilations)
        if self.rank == 1:
            x = array_ops.squeeze(x, [axis])
        out = nn_ops.conv(self.rank, x, math_ops.cast(self.pointwise_kernel, x.dtype), 1, "VALID", own_format, 1)
        return self._finished(out, own_format)

    def get_config(self):
        out = {**super().get_config(), "depth_multiplier": self.depth_multiplier,
               **parts.config(self, ("depthwise", "pointwise"))}
        return {k: v for k, v in out.items() if not k.startswith("kernel_") or k == "kernel_size" if k != "groups"}


class SeparableConv1D(_Separable):
    """A convolution of each channel, then one over channels."""


class SeparableConv2D(_Separable):
    """A convolution of each channel of images, then one over channels."""
    _rank, __init__ = 2, parts.of_rank(2, _Separable.__init__)


SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
