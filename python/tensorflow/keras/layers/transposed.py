# SPDX-License-Identifier: MIT
"""Conv1DTranspose, Conv2DTranspose, Conv3DTranspose: a convolution turned around, kernels [field..., filters, in]."""
from __future__ import annotations

from tensorflow.framework.typed import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from typing import Any, Sequence

from tensorflow.keras.layers import parts
from tensorflow.keras.layers.convolutional import Conv, spread, tensorflow_format
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "Convolution2DTranspose", "Convolution3DTranspose",
           "Convolution1DTranspose"]


class _ConvTranspose(Conv):
    _rank = 1

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1,
                 padding: str | int | Sequence = "valid", output_padding: int | Sequence[int] | None = None,
                 data_format: str | None = None, dilation_rate: int | Sequence[int] = 1, activation: ActivationLike = None,
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 bias_initializer: InitializerLike = "zeros", kernel_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 kernel_constraint: ConstraintLike = None, bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        kwargs.pop("groups", None)
        super().__init__(self._rank, filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation,
                         use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                         activity_regularizer, kernel_constraint, bias_constraint, **kwargs)
        self.output_padding = None if output_padding is None else spread(output_padding, self.rank, "output_padding")
        for stride, pad in zip(self.strides, self.output_padding or ()):
            if pad >= stride:
                raise ValueError(f"Stride {self.strides} must be greater than output padding {self.output_padding}")

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.kernel = parts.weight(self, "kernel", (*self.kernel_size, self.filters, channels))
        self._add_bias(self.filters)

    def _length(self, n, d):
        """Of the output: what a convolution makes n of."""
        kernel = (self.kernel_size[d] - 1) * self.dilation_rate[d] + 1
        stride = self.strides[d]
        if self.output_padding is None:
            return n * stride if self.padding == "same" else n * stride + max(kernel - stride, 0)
        pad = kernel // 2 if self.padding == "same" else 0
        return (n - 1) * stride + kernel - 2 * pad + self.output_padding[d]

    def call(self, inputs):
        inputs = parts.floating(self, inputs)
        last = self.data_format == "channels_last"
        first = 1 if last else 2
        dims = array_ops.dims(inputs)
        field = [self._length(dims[first + d], d) for d in range(self.rank)]
        kernel, own_format = math_ops.cast(self.kernel, inputs.dtype), tensorflow_format(self.data_format, self.rank)
        shape = [dims[0], *field, self.filters] if last else [dims[0], self.filters, *field]
        padding = self.padding.upper()
        if self.output_padding is not None and padding == "SAME":
            padding = self._explicit(last)
        out = nn_ops.conv_transpose(self.rank, inputs, kernel, shape, self.strides, padding, own_format, self.dilation_rate)
        return self._finished(out, own_format)

    def _explicit(self, last):
        """Half a kernel on both sides: what the length with an output padding is made for."""
        pads = [((k - 1) * r + 1) // 2 for k, r in zip(self.kernel_size, self.dilation_rate)]
        sides = [[p, p] for p in pads]
        return [[0, 0], *sides, [0, 0]] if last else [[0, 0], [0, 0], *sides]

    def get_config(self):
        return {**super().get_config(), "output_padding": self.output_padding}


class Conv1DTranspose(_ConvTranspose):
    """The gradient of a convolution along one dimension, as a layer."""


class Conv2DTranspose(_ConvTranspose):
    """The gradient of a convolution of images, as a layer."""
    _rank, __init__ = 2, parts.of_rank(2, _ConvTranspose.__init__)


class Conv3DTranspose(_ConvTranspose):
    """The gradient of a convolution of volumes, as a layer."""
    _rank, __init__ = 3, parts.of_rank(3, _ConvTranspose.__init__)


Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
