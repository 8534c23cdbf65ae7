# SPDX-License-Identifier: MIT
"""More of tf.nn, written with other operations: transposed and separable convolutions, blocks of pixels, losses."""
import numpy as np

from tensorflow.framework import late
from tensorflow.framework.dispatch import same_type
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.ops import array_ops, math_ops, nn_ops, special_ops

log_sigmoid = special_ops.log_sigmoid


def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None):
    """The gradient of a convolution along one dimension, as an operation."""
    return nn_ops.conv_transpose(1, input, filters, output_shape, strides, padding, data_format, dilations, name)


def conv3d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None):
    """The gradient of a convolution of volumes, as an operation."""
    return nn_ops.conv_transpose(3, input, filters, output_shape, strides, padding, data_format, dilations, name)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None,
                     name=None):
    """A convolution of each channel, then one over channels."""
    deep = nn_ops.depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return nn_ops.conv2d(deep, pointwise_filter, 1, "VALID", data_format)


def atrous_conv2d(value, filters, rate, padding, name=None):
    """A convolution of images with a dilated filter."""
    return nn_ops.conv2d(value, filters, 1, padding, dilations=rate)


def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Largest elements of windows of volumes."""
    return nn_ops.pool("MaxPool", 3, input, ksize, strides, padding, data_format, name)


def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Means of windows of volumes."""
    return nn_ops.pool("AvgPool", 3, input, ksize, strides, padding, data_format, name)


def crelu(features, axis=-1, name=None):
    """relu(x) and relu(-x), joined along an axis."""
    x = convert_to_tensor(features)
    return nn_ops.relu(array_ops.concat([x, math_ops.negative(x)], axis))


def _of_images(data_format):
    if data_format not in (None, "NHWC"):
        raise NotImplementedError(f"data_format {data_format} of blocks of pixels is not there: NHWC is.")


def depth_to_space(input, block_size, data_format="NHWC", name=None):
    """Channels become blocks of the image."""
    _of_images(data_format)
    x, n = convert_to_tensor(input), int(block_size)
    b, h, w, c = array_ops.dims(x)
    x = array_ops.reshape(x, [b, h, w, n, n, c // (n * n)])
    return array_ops.reshape(array_ops.transpose(x, [0, 1, 3, 2, 4, 5]), [b, h * n, w * n, c // (n * n)])


def space_to_depth(input, block_size, data_format="NHWC", name=None):
    """Blocks of the image become channels."""
    _of_images(data_format)
    x, n = convert_to_tensor(input), int(block_size)
    b, h, w, c = array_ops.dims(x)
    x = array_ops.reshape(x, [b, h // n, n, w // n, n, c])
    return array_ops.reshape(array_ops.transpose(x, [0, 1, 3, 2, 4, 5]), [b, h // n, w // n, n * n * c])


def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """x / (bias + alpha * sum of squares of channels at most depth_radius away)^beta"""
    x = convert_to_tensor(input)
    c = x.shape[-1]
    near = (np.abs(np.arange(c)[:, None] - np.arange(c)) <= depth_radius).astype(x.dtype.as_numpy_dtype)
    total = math_ops.matmul(math_ops.square(x), near)
    size = math_ops.add(math_ops.multiply(total, float(alpha)), float(bias))
    return math_ops.divide(x, math_ops.pow(size, float(beta)))


lrn = local_response_normalization


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None):
    """(1 - t) x + (1 + (q - 1) t) softplus(-x)"""
    logits, labels = same_type(logits, labels)
    weight = math_ops.add(math_ops.multiply(labels, math_ops.subtract(pos_weight, 1.0)), 1.0)
    soft = nn_ops.softplus(math_ops.negative(logits))
    return math_ops.add(math_ops.multiply(math_ops.subtract(1.0, labels), logits), math_ops.multiply(weight, soft))


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """exp(log_input) - log_input * targets."""
    if compute_full_loss:
        raise NotImplementedError("tf.nn.log_poisson_loss(compute_full_loss=True) is not there; docs/tensorflow.md lists "
                                  "what is.")
    x, t = same_type(log_input, targets)
    return math_ops.subtract(math_ops.exp(x), math_ops.multiply(x, t))


names = """log_sigmoid conv1d_transpose conv3d_transpose separable_conv2d atrous_conv2d max_pool3d avg_pool3d crelu
depth_to_space space_to_depth local_response_normalization lrn weighted_cross_entropy_with_logits log_poisson_loss""".split()
late.wrap(globals(), names)
