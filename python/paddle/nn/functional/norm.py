# SPDX-License-Identifier: MIT
"""Normalisations."""
from __future__ import annotations

from ... import tensor
from ...helper import LayerHelper
from . import pooling
from .common import pad as padding
from ..._names import refuse_options
from ...typed import AxisLike, NumberLike, ShapeLike, TensorLike

__all__ = ["batch_norm", "layer_norm", "group_norm", "instance_norm", "normalize", "local_response_norm"]


def batch_norm(x: TensorLike, running_mean: TensorLike, running_var: TensorLike, weight: TensorLike, bias: TensorLike,
               training: bool = False, momentum: float = 0.9, epsilon: float = 1e-5, data_format: str = "NCHW",
               use_global_stats: bool | None = None, name: str | None = None,
               helper: LayerHelper | None = None) -> TensorLike:
    """The moving statistics are changed while training."""
    helper = helper or LayerHelper("batch_norm")
    block = helper.block
    y, saved_mean, saved_variance = (helper.create_variable_for_type_inference() for _ in range(3))
    saved_mean.stop_gradient = saved_variance.stop_gradient = True
    layout = "NHWC" if data_format in ("NHWC", "NLC", "NDHWC") else "NCHW"
    inputs = {"X": x, "Scale": weight, "Bias": bias, "Mean": running_mean, "Variance": running_var}
    block.append_op("batch_norm", inputs, {"Y": y, "MeanOut": running_mean, "VarianceOut": running_var,
                                           "SavedMean": saved_mean, "SavedVariance": saved_variance}, {
        "momentum": float(momentum), "epsilon": float(epsilon), "is_test": not training, "data_layout": layout,
        "use_mkldnn": False, "fuse_with_relu": False, "use_global_stats": bool(use_global_stats),
        "trainable_statistics": False})
    return y


def layer_norm(x: TensorLike, normalized_shape: ShapeLike, weight: TensorLike | None = None, bias: TensorLike | None = None,
               epsilon: float = 1e-5, name: str | None = None) -> TensorLike:
    """Normalises over the last dimensions."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    axis = len(x.shape) - len(shape)
    if list(x.shape[axis:]) != shape:
        raise ValueError(f"normalized_shape {shape} is not the end of the input's shape {list(x.shape)}.")
    return layer_norm_from(x, axis, weight, bias, epsilon)


def layer_norm_from(x, axis, weight, bias, epsilon, helper=None):
    inputs = {name: v for name, v in (("X", x), ("Scale", weight), ("Bias", bias)) if v is not None}
    return (helper or LayerHelper("layer_norm")).append("layer_norm", inputs, {
        "epsilon": float(epsilon), "begin_norm_axis": int(axis)}, slot="Y", more=("Mean", "Variance"))[0]


def group_norm(x: TensorLike, num_groups: int, epsilon: float = 1e-5, weight: TensorLike | None = None,
               bias: TensorLike | None = None, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Normalises groups of channels."""
    inputs = {name: v for name, v in (("X", x), ("Scale", weight), ("Bias", bias)) if v is not None}
    return LayerHelper("group_norm").append("group_norm", inputs, {
        "epsilon": float(epsilon), "groups": int(num_groups), "data_layout": data_format}, slot="Y",
        more=("Mean", "Variance"))[0]


def instance_norm(x: TensorLike, running_mean: TensorLike | None = None, running_var: TensorLike | None = None,
                  weight: TensorLike | None = None, bias: TensorLike | None = None, use_input_stats: bool = True,
                  momentum: float = 0.9, eps: float = 1e-5, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """By the statistics of the input alone: running ones are kept nowhere, so momentum says nothing."""
    refuse_options("instance_norm", running_mean=running_mean, running_var=running_var,
                   use_input_stats=None if use_input_stats else False,
                   data_format=None if data_format.startswith("NC") else data_format)
    inputs = {name: v for name, v in (("X", x), ("Scale", weight), ("Bias", bias)) if v is not None}
    return LayerHelper("instance_norm").append("instance_norm", inputs, {"epsilon": float(eps)}, slot="Y",
                                               more=("SavedMean", "SavedVariance"))[0]


def normalize(x: TensorLike, p: NumberLike = 2, axis: AxisLike = 1, epsilon: float = 1e-12,
              name: str | None = None) -> TensorLike:
    """Divides by the norm along an axis."""
    return tensor.divide(x, tensor.clip(tensor.norm(x, p, axis, True), min=epsilon))


def local_response_norm(x: TensorLike, size: int, alpha: NumberLike = 1e-4, beta: NumberLike = 0.75,
                        k: float = 1.0, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """Divides by (k + alpha times the mean of squares of `size` neighbouring channels) to the power of beta."""
    last = data_format.endswith("C")
    rank = len(x.shape)
    line = tensor.transpose(x, [0, rank - 1, *range(1, rank - 1)]) if last else x
    shape = [d if d > 0 else -1 for d in line.shape]
    flat = tensor.reshape(tensor.square(line), [shape[0], 1, shape[1], -1])
    around = pooling.avg_pool2d(padding(flat, [0, 0, size // 2, (size - 1) // 2]), [size, 1], 1)
    scaled = tensor.pow(tensor.scale(tensor.reshape(around, shape), float(alpha), float(k)), float(beta))
    y = tensor.divide(line, scaled)
    return tensor.transpose(y, [0, *range(2, rank), 1]) if last else y
