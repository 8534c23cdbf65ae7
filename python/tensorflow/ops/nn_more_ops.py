# SPDX-License-Identifier: MIT
"""More of tf.nn, written with other operations: transposed and separable convolutions, blocks of pixels, losses."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow.framework import late
from tensorflow.framework.dispatch import same_type
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, NumberLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops, math_ops, nn_ops, special_ops

log_sigmoid = special_ops.log_sigmoid


def conv1d_transpose(input: TensorLike, filters: int, output_shape: ShapeLike, strides: int | Sequence[int],
                     padding: str | int | Sequence = "SAME", data_format: str = "NWC",
                     dilations: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """The gradient of a convolution along one dimension, as an operation."""
    return nn_ops.conv_transpose(1, input, filters, output_shape, strides, padding, data_format, dilations, name)


def conv3d_transpose(input: TensorLike, filters: int, output_shape: ShapeLike, strides: int | Sequence[int],
                     padding: str | int | Sequence = "SAME", data_format: str = "NDHWC",
                     dilations: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """The gradient of a convolution of volumes, as an operation."""
    return nn_ops.conv_transpose(3, input, filters, output_shape, strides, padding, data_format, dilations, name)


def separable_conv2d(input: TensorLike, depthwise_filter: TensorLike, pointwise_filter: TensorLike,
                     strides: int | Sequence[int], padding: str | int | Sequence, data_format: str | None = None,
                     dilations: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """A convolution of each channel, then one over channels."""
    deep = nn_ops.depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return nn_ops.conv2d(deep, pointwise_filter, 1, "VALID", data_format)


def atrous_conv2d(value: TensorLike, filters: TensorLike, rate: NumberLike, padding: str | int | Sequence,
                  name: str | None = None) -> Tensor:
    """A convolution of images with a dilated filter."""
    return nn_ops.conv2d(value, filters, 1, padding, dilations=rate)


def max_pool3d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str | int | Sequence,
               data_format: str = "NDHWC", name: str | None = None) -> Tensor:
    """Largest elements of windows of volumes."""
    return nn_ops.pool("MaxPool", 3, input, ksize, strides, padding, data_format, name)


def avg_pool3d(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str | int | Sequence,
               data_format: str = "NDHWC", name: str | None = None) -> Tensor:
    """Means of windows of volumes."""
    return nn_ops.pool("AvgPool", 3, input, ksize, strides, padding, data_format, name)


def crelu(features: TensorLike, axis: AxisLike = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x), joined along an axis."""
    x = convert_to_tensor(features)
    return nn_ops.relu(array_ops.concat([x, math_ops.negative(x)], axis))


def _of_images(data_format):
    if data_format not in (None, "NHWC"):
        raise NotImplementedError(f"data_format {data_format} of blocks of pixels is not there: NHWC is.")


def depth_to_space(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels become blocks of the image."""
    _of_images(data_format)
    x, n = convert_to_tensor(input), int(block_size)
    b, h, w, c = array_ops.dims(x)
    x = array_ops.reshape(x, [b, h, w, n, n, c // (n * n)])
    return array_ops.reshape(array_ops.transpose(x, [0, 1, 3, 2, 4, 5]), [b, h * n, w * n, c // (n * n)])


def space_to_depth(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of the image become channels."""
    _of_images(data_format)
    x, n = convert_to_tensor(input), int(block_size)
    b, h, w, c = array_ops.dims(x)
    x = array_ops.reshape(x, [b, h // n, n, w // n, n, c])
    return array_ops.reshape(array_ops.transpose(x, [0, 1, 3, 2, 4, 5]), [b, h // n, w // n, n * n * c])


def local_response_normalization(input: TensorLike, depth_radius: int = 5, bias: TensorLike = 1, alpha: float = 1,
                                 beta: TensorLike = 0.5, name: str | None = None) -> Tensor:
    """x / (bias + alpha * sum of squares of channels at most depth_radius away)^beta"""
    x = convert_to_tensor(input)
    c = x.shape[-1]
    near = (np.abs(np.arange(c)[:, None] - np.arange(c)) <= depth_radius).astype(x.dtype.as_numpy_dtype)
    total = math_ops.matmul(math_ops.square(x), near)
    size = math_ops.add(math_ops.multiply(total, float(alpha)), float(bias))
    return math_ops.divide(x, math_ops.pow(size, float(beta)))


lrn = local_response_normalization


def weighted_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None,
                                       pos_weight: TensorLike | None = None, name: str | None = None) -> Tensor:
    """(1 - t) x + (1 + (q - 1) t) softplus(-x)"""
    logits, labels = same_type(logits, labels)
    weight = math_ops.add(math_ops.multiply(labels, math_ops.subtract(pos_weight, 1.0)), 1.0)
    soft = nn_ops.softplus(math_ops.negative(logits))
    return math_ops.add(math_ops.multiply(math_ops.subtract(1.0, labels), logits), math_ops.multiply(weight, soft))


def log_poisson_loss(targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False,
                     name: str | None = None) -> Tensor:
    """exp(log_input) - log_input * targets."""
    if compute_full_loss:
        raise NotImplementedError("tf.nn.log_poisson_loss(compute_full_loss=True) is not there; docs/tensorflow.md lists "
                                  "what is.")
    x, t = same_type(log_input, targets)
    return math_ops.subtract(math_ops.exp(x), math_ops.multiply(x, t))


names = """log_sigmoid conv1d_transpose conv3d_transpose separable_conv2d atrous_conv2d max_pool3d avg_pool3d crelu
depth_to_space space_to_depth local_response_normalization lrn weighted_cross_entropy_with_logits log_poisson_loss""".split()
late.wrap(globals(), names)
