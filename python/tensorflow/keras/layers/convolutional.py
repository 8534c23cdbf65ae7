# SPDX-License-Identifier: MIT
"""Conv1D, Conv2D, Conv3D: activation(x * kernel + bias), kernels [field..., in / groups, filters]."""
from __future__ import annotations

from typing import Any, Sequence

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from tensorflow.keras import activations, backend, constraints, initializers, regularizers
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["Conv1D", "Conv2D", "Conv3D", "Convolution1D", "Convolution2D", "Convolution3D"]

_FORMATS = {("channels_last", 1): "NWC", ("channels_last", 2): "NHWC", ("channels_last", 3): "NDHWC",
            ("channels_first", 1): "NCW", ("channels_first", 2): "NCHW", ("channels_first", 3): "NCDHW"}


def spread(value, dims, name):
    """One number or `dims` of them, as a tuple."""
    out = (value,) * dims if isinstance(value, int) else tuple(int(v) for v in value)
    if len(out) != dims:
        raise ValueError(f"The `{name}` argument must be a tuple of {dims} integers. Received: {value}")
    return out


def tensorflow_format(data_format, dims):
    return _FORMATS[(data_format, dims)]


def normal_format(data_format):
    out = data_format or backend.image_data_format()
    if out not in ("channels_last", "channels_first"):
        raise ValueError(f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {out}')
    return out


class Conv(Layer):
    def __init__(self, rank, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, groups=1,
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.rank, self.filters, self.groups = rank, int(filters), groups
        if self.filters % groups:
            raise ValueError(f"The number of filters must be evenly divisible by the number of groups. Received: "
                             f"groups={groups}, filters={filters}")
        self.kernel_size = spread(kernel_size, rank, "kernel_size")
        self.strides, self.dilation_rate = spread(strides, rank, "strides"), spread(dilation_rate, rank, "dilation_rate")
        self.padding = padding.lower()
        if self.padding not in ("valid", "same", "causal"):
            raise ValueError(f"The `padding` argument must be one of \"valid\", \"same\" (or \"causal\", only for `Conv1D`). "
                             f"Received: {padding}")
        if self.padding == "causal" and rank != 1:
            raise ValueError("Causal padding is only supported for `Conv1D`.")
        self.data_format = normal_format(data_format)
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = map(initializers.get, (kernel_initializer, bias_initializer))
        self.kernel_regularizer, self.bias_regularizer = map(regularizers.get, (kernel_regularizer, bias_regularizer))
        self.kernel_constraint, self.bias_constraint = map(constraints.get, (kernel_constraint, bias_constraint))
        self.input_spec = InputSpec(ndim=rank + 2)

    @property
    def _channel_axis(self):
        return -1 if self.data_format == "channels_last" else 1

    def _channels(self, input_shape):
        channels = TensorShape(input_shape)[self._channel_axis]
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        return channels

    def build(self, input_shape):
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ValueError(f"The number of input channels must be evenly divisible by the number of groups. Received "
                             f"groups={self.groups}, but the input has {channels} channels (full input shape is "
                             f"{input_shape}).")
        self.kernel = self.add_weight("kernel", (*self.kernel_size, channels // self.groups, self.filters),
                                      initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        self._add_bias(self.filters)

    def _add_bias(self, count):
        self.bias = self.add_weight("bias", (count,), initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None

    def call(self, inputs):
        inputs = parts.floating(self, inputs)
        padding, data_format = self.padding.upper(), tensorflow_format(self.data_format, self.rank)
        if padding == "CAUSAL":
            before = (self.kernel_size[0] - 1) * self.dilation_rate[0]
            axis = 1 if self.data_format == "channels_last" else 2
            inputs = array_ops.pad(inputs, [[before if d == axis else 0, 0] for d in range(3)])
            padding = "VALID"
        out = nn_ops.conv(self.rank, inputs, math_ops.cast(self.kernel, inputs.dtype), self.strides, padding, data_format,
                          self.dilation_rate)
        return self._finished(out, data_format)

    def _finished(self, out, data_format):
        if self.use_bias:
            out = nn_ops.bias_add(out, math_ops.cast(self.bias, out.dtype), data_format)
        return self.activation(out)

    def get_config(self):
        out = {**super().get_config(), "filters": self.filters, "kernel_size": self.kernel_size, "strides": self.strides,
               "padding": self.padding, "data_format": self.data_format, "dilation_rate": self.dilation_rate,
               "groups": self.groups, "activation": activations.serialize(self.activation), "use_bias": self.use_bias}
        for kind, module in (("initializer", initializers), ("regularizer", regularizers), ("constraint", constraints)):
            for which in ("kernel", "bias"):
                out[f"{which}_{kind}"] = module.serialize(getattr(self, f"{which}_{kind}"))
        return out


class _OfRank(Conv):
    _rank = 1

    def __init__(self, filters: int, kernel_size: int | Sequence[int], strides: int | Sequence[int] = 1,
                 padding: str | int | Sequence = "valid", data_format: str | None = None,
                 dilation_rate: int | Sequence[int] = 1, groups: int = 1, activation: ActivationLike = None,
                 use_bias: bool = True, kernel_initializer: InitializerLike = "glorot_uniform",
                 bias_initializer: InitializerLike = "zeros", kernel_regularizer: RegularizerLike = None,
                 bias_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 kernel_constraint: ConstraintLike = None, bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        super().__init__(self._rank, filters, kernel_size, strides, padding, data_format, dilation_rate, groups, activation,
                         use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                         activity_regularizer, kernel_constraint, bias_constraint, **kwargs)


class Conv1D(_OfRank):
    """A convolution along one dimension."""
    __init__ = parts.with_defaults(_OfRank.__init__, data_format="channels_last")


class Conv2D(_OfRank):
    """A convolution of images."""
    _rank, __init__ = 2, parts.of_rank(2, _OfRank.__init__)


class Conv3D(_OfRank):
    """A convolution of volumes."""
    _rank, __init__ = 3, parts.of_rank(3, _OfRank.__init__)


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
