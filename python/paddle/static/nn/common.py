# SPDX-License-Identifier: MIT
"""Layers as functions."""
from __future__ import annotations

import math
from typing import Any, Sequence

from ... import unique_name
from ...dtypes import VarType
from ...helper import LayerHelper, make_persistable
from ...nn.functional.conv import conv3d as convolved3d
from ...nn.functional.norm import batch_norm as normalized
from ...nn.functional.norm import layer_norm_from
from ...nn.functional.windows import padding_attributes, repeated
from ...nn.initializer import Constant, Normal
from ...param_attr import ParamAttr
from ...typed import ActivationLike, DTypeLike, ParamAttrLike, TensorLike


def fc(x: TensorLike, size: int, num_flatten_dims: int = 1, weight_attr: ParamAttrLike = None,
       bias_attr: ParamAttrLike = None, activation: ActivationLike = None, name: str | None = None) -> TensorLike:
    """Everything behind num_flatten_dims times a matrix, plus a bias."""
    helper = LayerHelper("fc", name)
    inputs = list(x) if isinstance(x, (list, tuple)) else [x]
    products = []
    for one in inputs:
        axis = num_flatten_dims if num_flatten_dims >= 0 else len(one.shape) + num_flatten_dims
        width = math.prod(one.shape[axis:])
        if width <= 0:
            raise ValueError(f"fc: the dimensions of {one.name!r} behind {axis} must be known, not {list(one.shape)}.")
        weight = helper.create_parameter(weight_attr, [width, size], one.dtype)
        products.append(helper.append("mul", {"X": one, "Y": weight}, {"x_num_col_dims": axis, "y_num_col_dims": 1}))
    total = products[0] if len(products) == 1 else helper.append("sum", {"X": products})
    bias = helper.create_parameter(bias_attr, [size], total.dtype, is_bias=True)
    return helper.append_activation(helper.append_bias(total, bias, len(total.shape) - 1), activation)


def _kernel(size):
    return repeated(size, 2, "filter_size")


def conv2d(input: TensorLike, num_filters: int, filter_size: int, stride: int | Sequence[int] = 1,
           padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int | None = None,
           param_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None, use_cudnn: bool = True,
           act: ActivationLike = None, name: str | None = None, data_format: str = "NCHW") -> TensorLike:
    """A convolution of a field of two dimensions."""
    channels = input.shape[3 if data_format == "NHWC" else 1]
    groups = groups or 1
    if channels % groups:
        raise ValueError(f"The channel of input must be divisible by groups: {channels} channels, groups={groups}.")
    deep = channels == groups and num_filters % channels == 0 and groups != 1
    kind = "depthwise_conv2d" if deep else "conv2d"
    helper, kernel = LayerHelper(kind, name), _kernel(filter_size)
    first = Normal(0.0, math.sqrt(2.0 / (kernel[0] * kernel[1] * channels)))
    weight = helper.create_parameter(param_attr, [num_filters, channels // groups, *kernel], input.dtype,
                                     default_initializer=first)
    pads, algorithm = padding_attributes(padding, 2, data_format)
    y = helper.append(kind, {"Input": input, "Filter": weight}, {
        "strides": repeated(stride, 2, "stride"), "paddings": pads, "dilations": repeated(dilation, 2, "dilation"),
        "groups": groups, "use_cudnn": bool(use_cudnn), "use_mkldnn": False, "fuse_relu_before_depthwise_conv": False,
        "padding_algorithm": algorithm, "data_format": data_format}, slot="Output")
    bias = helper.create_parameter(bias_attr, [num_filters], input.dtype, is_bias=True)
    return helper.append_activation(helper.append_bias(y, bias, 3 if data_format == "NHWC" else 1), act)


def conv3d(input: TensorLike, num_filters: int, filter_size: int | Sequence[int], stride: int | Sequence[int] = 1,
           padding: str | int | Sequence = 0, dilation: int | Sequence[int] = 1, groups: int | None = None,
           param_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None, use_cudnn: bool = True,
           act: ActivationLike = None, name: str | None = None, data_format: str = "NCDHW") -> TensorLike:
    """A convolution of a field of three dimensions."""
    channels = input.shape[4 if data_format == "NDHWC" else 1]
    groups = groups or 1
    if channels % groups:
        raise ValueError(f"The channel of input must be divisible by groups: {channels} channels, groups={groups}.")
    helper, kernel = LayerHelper("conv3d", name), repeated(filter_size, 3, "filter_size")
    first = Normal(0.0, math.sqrt(2.0 / (math.prod(kernel) * channels)))
    weight = helper.create_parameter(param_attr, [num_filters, channels // groups, *kernel], input.dtype,
                                     default_initializer=first)
    bias = helper.create_parameter(bias_attr, [num_filters], input.dtype, is_bias=True)
    return helper.append_activation(convolved3d(input, weight, bias, stride, padding, dilation, groups, data_format), act)


def conv2d_transpose(input: TensorLike, num_filters: int, output_size: int | Sequence[int] | None = None,
                     filter_size: Any = None, padding: str | int | Sequence = 0, stride: int | Sequence[int] = 1,
                     dilation: int | Sequence[int] = 1, groups: int | None = None, param_attr: ParamAttrLike = None,
                     bias_attr: ParamAttrLike = None, use_cudnn: bool = True, act: ActivationLike = None,
                     name: str | None = None, data_format: str = "NCHW") -> TensorLike:
    """The gradient of a convolution of two dimensions, as a layer."""
    helper, groups = LayerHelper("conv2d_transpose", name), groups or 1
    channels = input.shape[3 if data_format == "NHWC" else 1]
    pads, algorithm = padding_attributes(padding, 2, data_format)
    kernel = _kernel(filter_size) if filter_size is not None else _kernel_of_output(input, output_size, pads, algorithm, stride,
                                                                                    dilation, data_format)
    weight = helper.create_parameter(param_attr, [channels, num_filters // groups, *kernel], input.dtype)
    attrs = {"strides": repeated(stride, 2, "stride"), "paddings": pads, "dilations": repeated(dilation, 2, "dilation"),
             "groups": groups, "padding_algorithm": algorithm, "data_format": data_format, "output_padding": []}
    if output_size is not None:
        attrs["output_size"] = repeated(output_size, 2, "output_size")
    y = helper.append("conv2d_transpose", {"Input": input, "Filter": weight}, attrs, slot="Output")
    bias = helper.create_parameter(bias_attr, [num_filters], input.dtype, is_bias=True)
    return helper.append_activation(helper.append_bias(y, bias, 3 if data_format == "NHWC" else 1), act)


def _kernel_of_output(input, output_size, pads, algorithm, stride, dilation, data_format):
    """The filter that makes an output of this size."""
    if output_size is None:
        raise ValueError("output_size must be set when filter_size is None")
    if algorithm == "SAME":
        raise ValueError("conv2d_transpose(padding=\"SAME\") says nothing of the filter: give filter_size.")
    wanted, strides, dilations = (repeated(v, 2, name) for v, name in (
        (output_size, "output_size"), (stride, "stride"), (dilation, "dilation")))
    field = input.shape[1:3] if data_format == "NHWC" else input.shape[2:4]
    pads = [0] * 4 if algorithm == "VALID" else pads if len(pads) == 4 else [p for p in pads for _ in (0, 1)]
    kernel = [(wanted[d] - (field[d] - 1) * strides[d] + pads[2 * d] + pads[2 * d + 1] - 1) // dilations[d] + 1 for d in (0, 1)]
    if min(kernel) < 1:
        raise ValueError(f"conv2d_transpose: no filter makes {list(wanted)} of {list(field)} with stride {list(strides)}.")
    return kernel


def batch_norm(input: TensorLike, act: ActivationLike = None, is_test: bool = False, momentum: float = 0.9,
               epsilon: float = 1e-05, param_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None,
               data_layout: str = "NCHW", in_place: bool = False, name: str | None = None,
               moving_mean_name: str | None = None, moving_variance_name: str | None = None,
               do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False) -> TensorLike:
    """Normalises each channel over the batch."""
    helper = LayerHelper("batch_norm", name)
    channels = [input.shape[-1 if data_layout == "NHWC" else 1]]
    scale = helper.create_parameter(param_attr, channels, VarType.FP32, default_initializer=Constant(1.0))
    bias = helper.create_parameter(bias_attr, channels, VarType.FP32, is_bias=True)
    mean = make_persistable(moving_mean_name or unique_name.generate(f"{helper.name}.w"), channels, VarType.FP32, 0.0)
    variance = make_persistable(moving_variance_name or unique_name.generate(f"{helper.name}.w"), channels, VarType.FP32, 1.0)
    y = normalized(input, mean, variance, scale, bias, not is_test, momentum, epsilon, data_layout, use_global_stats,
                   helper=helper)
    return helper.append_activation(y, act)


def layer_norm(input: TensorLike, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1, epsilon: float = 1e-05,
               param_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None, act: ActivationLike = None,
               name: str | None = None) -> TensorLike:
    """Normalises over the dimensions from begin_norm_axis on."""
    helper = LayerHelper("layer_norm", name)
    width = [math.prod(input.shape[begin_norm_axis:])]
    weight = helper.create_parameter(param_attr, width, input.dtype, default_initializer=Constant(1.0)) if scale else None
    bias = helper.create_parameter(bias_attr, width, input.dtype, is_bias=True) if shift else None
    return helper.append_activation(layer_norm_from(input, begin_norm_axis, weight, bias, epsilon, helper), act)


def group_norm(input: TensorLike, groups: int, epsilon: float = 1e-05, param_attr: ParamAttrLike = None,
               bias_attr: ParamAttrLike = None, act: ActivationLike = None, data_layout: str = "NCHW",
               name: str | None = None) -> TensorLike:
    """Normalises groups of channels."""
    helper = LayerHelper("group_norm", name)
    channels = [input.shape[-1 if data_layout == "NHWC" else 1]]
    scale = helper.create_parameter(param_attr, channels, input.dtype, default_initializer=Constant(1.0))
    bias = helper.create_parameter(bias_attr, channels, input.dtype, is_bias=True)
    inputs = {k: v for k, v in (("X", input), ("Scale", scale), ("Bias", bias)) if v is not None}
    y = helper.append("group_norm", inputs, {"epsilon": float(epsilon), "groups": int(groups), "data_layout": data_layout},
                      slot="Y", more=("Mean", "Variance"))[0]
    return helper.append_activation(y, act)


def instance_norm(input: TensorLike, epsilon: float = 1e-05, param_attr: ParamAttrLike = None,
                  bias_attr: ParamAttrLike = None, name: str | None = None) -> TensorLike:
    """Normalises each channel of each image."""
    helper, channels = LayerHelper("instance_norm", name), [input.shape[1]]
    scale = helper.create_parameter(param_attr, channels, input.dtype, default_initializer=Constant(1.0))
    bias = helper.create_parameter(bias_attr, channels, input.dtype, is_bias=True)
    inputs = {k: v for k, v in (("X", input), ("Scale", scale), ("Bias", bias)) if v is not None}
    return helper.append("instance_norm", inputs, {"epsilon": float(epsilon)}, slot="Y",
                         more=("SavedMean", "SavedVariance"))[0]


def data_norm(input: TensorLike, act: ActivationLike = None, epsilon: float = 1e-05, param_attr: ParamAttrLike = None,
              data_layout: str = "NCHW", in_place: bool = False, name: str | None = None, moving_mean_name: str | None = None,
              moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True, slot_dim: int = -1,
              sync_stats: bool = False, summary_decay_rate: float = 0.9999999,
              enable_scale_and_shift: bool = False) -> TensorLike:
    """in_place and the flag of averages say how Paddle uses memory and averages models; numbers are the same."""
    for option, given, usual in (("slot_dim", slot_dim, -1), ("sync_stats", sync_stats, False), ("moving_mean_name",
                                 moving_mean_name, None), ("moving_variance_name", moving_variance_name, None),
                                 ("summary_decay_rate", summary_decay_rate, 0.9999999)):
        if given != usual:
            raise NotImplementedError(f"(Unimplemented) data_norm({option}={given!r}).")
    helper, channels = LayerHelper("data_norm", name), [input.shape[1 if data_layout == "NCHW" else -1]]
    first = {"batch_size": 1e4, "batch_sum": 0.0, "batch_square": 1e4, "scale_w": 1.0, "bias": 0.0, **(param_attr or {})}
    size, total, squares = (make_persistable(f"{helper.name}.{part}", channels, VarType.FP32, first[key]) for part, key in (
        ("batch_size", "batch_size"), ("batch_sum", "batch_sum"), ("batch_square_sum", "batch_square")))
    inputs = {"X": input, "BatchSize": size, "BatchSum": total, "BatchSquareSum": squares}
    if enable_scale_and_shift:
        for part in ("scale_w", "bias"):
            inputs[part] = helper.create_parameter(ParamAttr(name=f"{helper.name}.{part}", initializer=Constant(first[part])),
                                                   channels, VarType.FP32)
    y = helper.append("data_norm", inputs, {"epsilon": float(epsilon), "data_layout": data_layout,
                                            "enable_scale_and_shift": bool(enable_scale_and_shift)},
                      slot="Y", more=("Means", "Scales"))[0]
    return helper.append_activation(y, act)


def embedding(input: TensorLike, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
              padding_idx: int | None = None, param_attr: ParamAttrLike = None, dtype: DTypeLike = "float32") -> TensorLike:
    """Rows of a table by index."""
    helper = LayerHelper("embedding")
    weight = helper.create_parameter(param_attr, size, dtype)
    index = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    return helper.append("lookup_table_v2", {"Ids": input, "W": weight}, {
        "is_sparse": bool(is_sparse), "is_distributed": False, "remote_prefetch": False, "padding_idx": index})


def prelu(x: TensorLike, mode: str, param_attr: ParamAttrLike = None, data_format: str = "NCHW",
          name: str | None = None) -> TensorLike:
    """max(x, 0) + weight * min(x, 0): one weight, one for each channel, or one for each element."""
    helper = LayerHelper("prelu", name)
    if mode not in ("all", "channel", "element"):
        raise ValueError("mode should be one of all, channel, element.")
    shape = [1] if mode == "all" else [1, x.shape[-1 if data_format == "NHWC" else 1], 1, 1] if mode == "channel" \
        else [1, *x.shape[1:]]
    attr = ParamAttr._to_attr(param_attr)
    alpha = helper.create_parameter(attr, shape, x.dtype, default_initializer=Constant(0.25))
    return helper.append("prelu", {"X": x, "Alpha": alpha}, {"mode": mode, "data_format": data_format})
