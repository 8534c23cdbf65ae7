# SPDX-License-Identifier: MIT
"""tf.nn of TensorFlow 1: the functions of tf.nn with the names, the order and the defaults of arguments that they had. Those
that are not in here are the same in both."""
from __future__ import annotations

import typing as _typing

import numpy as _np

from tensorflow import _names
from tensorflow.compat.v1.older_arguments import either as _either
from tensorflow.compat.v1.older_arguments import needed as _needed
from tensorflow.framework.tape import GradientTape as _GradientTape
from tensorflow.framework.tensors import constant_value, convert_to_tensor
from tensorflow.ops import array_ops, math_ops
from tensorflow.ops import candidate_ops as _candidates
from tensorflow.ops import nn_more_ops as _more
from tensorflow.ops import nn_ops as _ops
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Sequence
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import AxisLike, NumberLike, ShapeLike, TensorLike

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _more, _more.names)
_names.export(globals(), _candidates, _candidates.samplers)


def _named_only(sentinel, function, labels, logits):
    if sentinel is not None:
        raise ValueError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...).")
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


def dropout(x: TensorLike, keep_prob: TensorLike | None = None, noise_shape: ShapeLike | None = None, seed: int | None = None,
            name: str | None = None, rate: NumberLike | None = None) -> Tensor:
    """keep_prob: the share that stays."""
    if keep_prob is not None:
        keep_prob = _number(keep_prob)
        if isinstance(keep_prob, float) and not 0 < keep_prob <= 1:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob}")
        keep_prob = 1 - keep_prob
    rate = _either(rate, keep_prob, "rate", "keep_prob")
    return _ops.dropout(x, _number(_needed(rate, "rate", "keep_prob")), noise_shape, seed, name)


def _number(value):
    """A float, or the tensor where a graph computes it."""
    known = constant_value(convert_to_tensor(value))
    return convert_to_tensor(value) if known is None else float(known)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: int, name: str | None = None) -> Tensor:
    """Whether each target is among its row's k largest predictions."""
    return _ops.in_top_k(targets, predictions, k, name)


def softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None, dim: AxisLike | None = None) -> Tensor:
    """exp(x) over its sum along an axis, the last one if none is given."""
    return _ops.softmax(logits, _either(axis, dim, "axis", "dim"), name)


def log_softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None,
                dim: AxisLike | None = None) -> Tensor:
    """The logarithm of softmax."""
    return _ops.log_softmax(logits, _either(axis, dim, "axis", "dim"), name)


def l2_normalize(x: TensorLike, axis: AxisLike | None = None, epsilon: float = 1e-12, name: str | None = None,
                 dim: AxisLike | None = None) -> Tensor:
    """x over the square root of its sum of squares along an axis."""
    return _ops.l2_normalize(x, _either(axis, dim, "axis", "dim"), epsilon, name)


def crelu(features: TensorLike, name: str | None = None, axis: AxisLike = -1) -> Tensor:
    """relu(x) and relu(-x), one behind the other along an axis."""
    return _more.crelu(features, axis, name)


# ---- losses

def softmax_cross_entropy_with_logits(_sentinel: Any = None, labels: TensorLike | None = None,
                                      logits: TensorLike | None = None, dim: AxisLike = -1, name: str | None = None,
                                      axis: AxisLike | None = None) -> Tensor:
    """No gradient goes to the labels; with softmax_cross_entropy_with_logits_v2 one does."""
    _named_only(_sentinel, "softmax_cross_entropy_with_logits", labels, logits)
    return _ops.softmax_cross_entropy_with_logits(math_ops.stop_gradient(labels), logits, dim if axis is None else axis, name)


def softmax_cross_entropy_with_logits_v2(labels: TensorLike, logits: TensorLike, axis: AxisLike | None = None,
                                         name: str | None = None, dim: AxisLike | None = None) -> Tensor:
    """The cross-entropy of each row; gradients go to the labels, too."""
    axis = _either(axis, dim, "axis", "dim")
    return _ops.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis, name)


def sparse_softmax_cross_entropy_with_logits(_sentinel: Any = None, labels: TensorLike | None = None,
                                             logits: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The cross-entropy of each row of logits and its class number."""
    _named_only(_sentinel, "sparse_softmax_cross_entropy_with_logits", labels, logits)
    return _ops.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


def sigmoid_cross_entropy_with_logits(_sentinel: Any = None, labels: TensorLike | None = None,
                                      logits: TensorLike | None = None, name: str | None = None) -> Tensor:
    """The cross-entropy of sigmoid(logits) and labels, element by element."""
    _named_only(_sentinel, "sigmoid_cross_entropy_with_logits", labels, logits)
    return _ops.sigmoid_cross_entropy_with_logits(labels, logits, name)


def weighted_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None,
                                       pos_weight: TensorLike | None = None, name: str | None = None,
                                       targets: TensorLike | None = None) -> Tensor:
    """The same with the losses of positive labels multiplied by pos_weight."""
    return _more.weighted_cross_entropy_with_logits(_either(labels, targets, "labels", "targets"), logits, pos_weight, name)


# ---- pools and convolutions

def max_pool(value: TensorLike | None = None, ksize: int | Sequence[int] | None = None,
             strides: int | Sequence[int] | None = None, padding: str | int | Sequence | None = None,
             data_format: str = "NHWC", name: str | None = None, input: TensorLike | None = None) -> Tensor:
    """The largest element of each window."""
    return _ops.max_pool(_either(input, value, "input", "value"), _needed(ksize, "ksize"), _needed(strides, "strides"),
                       _needed(padding, "padding"), data_format, name)


def avg_pool(value: TensorLike | None = None, ksize: int | Sequence[int] | None = None,
             strides: int | Sequence[int] | None = None, padding: str | int | Sequence | None = None,
             data_format: str = "NHWC", name: str | None = None, input: TensorLike | None = None) -> Tensor:
    """The mean of each window."""
    return _ops.avg_pool(_either(input, value, "input", "value"), _needed(ksize, "ksize"), _needed(strides, "strides"),
                       _needed(padding, "padding"), data_format, name)


avg_pool2d = avg_pool


def conv1d(value: TensorLike | None = None, filters: TensorLike | None = None, stride: int | Sequence[int] | None = None,
           padding: str | int | Sequence | None = None, use_cudnn_on_gpu: bool | None = None, data_format: str | None = None,
           name: str | None = None, input: TensorLike | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """A convolution of sequences."""
    return _ops.conv1d(_either(input, value, "input", "value"), filters, _needed(stride, "stride"),
                       _needed(padding, "padding"), data_format, dilations, name)


def conv2d(input: TensorLike, filter: TensorLike | None = None, strides: int | Sequence[int] | None = None,
           padding: str | int | Sequence | None = None, use_cudnn_on_gpu: bool = True, data_format: str = "NHWC",
           dilations: int | Sequence[int] = (1, 1, 1, 1), name: str | None = None,
           filters: TensorLike | None = None) -> Tensor:
    """A convolution of images."""
    return _ops.conv2d(input, _either(filters, filter, "filters", "filter"), _needed(strides, "strides"),
                       _needed(padding, "padding"), data_format, dilations, name)


def conv3d(input: TensorLike, filter: TensorLike | None = None, strides: int | Sequence[int] | None = None,
           padding: str | int | Sequence | None = None, data_format: str = "NDHWC",
           dilations: int | Sequence[int] = (1, 1, 1, 1, 1), name: str | None = None,
           filters: TensorLike | None = None) -> Any:
    """A convolution of volumes."""
    return _ops.conv3d(input, _either(filters, filter, "filters", "filter"), _needed(strides, "strides"),
                       _needed(padding, "padding"), data_format, dilations, name)


def conv2d_transpose(value: TensorLike | None = None, filter: TensorLike | None = None, output_shape: ShapeLike | None = None,
                     strides: int | Sequence[int] | None = None, padding: str | int | Sequence = "SAME",
                     data_format: str = "NHWC", name: str | None = None, input: TensorLike | None = None,
                     filters: TensorLike | None = None, dilations: int | Sequence[int] | None = None) -> Tensor:
    """The gradient of conv2d as a layer of its own: larger images."""
    return _ops.conv2d_transpose(_either(input, value, "input", "value"), _either(filters, filter, "filters", "filter"),
                                 output_shape, _needed(strides, "strides"), padding, data_format, dilations, name)


def conv3d_transpose(value: TensorLike | None = None, filter: TensorLike | None = None, output_shape: ShapeLike | None = None,
                     strides: int | Sequence[int] | None = None, padding: str | int | Sequence = "SAME",
                     data_format: str = "NDHWC", name: str | None = None, input: TensorLike | None = None,
                     filters: TensorLike | None = None, dilations: int | Sequence[int] | None = None) -> Any:
    """The gradient of conv3d as a layer of its own: larger volumes."""
    return _more.conv3d_transpose(_either(input, value, "input", "value"), _either(filters, filter, "filters", "filter"),
                                  output_shape, _needed(strides, "strides"), padding, data_format, dilations, name)


def conv2d_backprop_input(input_sizes: ShapeLike, filter: TensorLike | None = None, out_backprop: TensorLike | None = None,
                          strides: int | Sequence[int] | None = None, padding: str | int | Sequence | None = None,
                          use_cudnn_on_gpu: bool = True, data_format: str = "NHWC",
                          dilations: int | Sequence[int] = (1, 1, 1, 1), name: str | None = None,
                          filters: TensorLike | None = None) -> Tensor:
    """The gradient of a convolution by what it was of."""
    return _ops.conv2d_transpose(out_backprop, _either(filters, filter, "filters", "filter"), input_sizes,
                                 _needed(strides, "strides"), _needed(padding, "padding"), data_format, dilations, name)


def conv2d_backprop_filter(input: TensorLike, filter_sizes: ShapeLike, out_backprop: TensorLike,
                           strides: int | Sequence[int] | None = None, padding: str | int | Sequence | None = None,
                           use_cudnn_on_gpu: bool = True, data_format: str = "NHWC",
                           dilations: int | Sequence[int] = (1, 1, 1, 1), name: str | None = None) -> Tensor:
    """The gradient of a convolution by its kernel."""
    x = convert_to_tensor(input)
    kernel = array_ops.zeros(filter_sizes, x.dtype)
    with _GradientTape() as tape:
        tape.watch(kernel)
        y = _ops.conv2d(x, kernel, _needed(strides, "strides"), _needed(padding, "padding"), data_format, dilations, name)
    return tape.gradient(y, kernel, convert_to_tensor(out_backprop))


def convolution(input: TensorLike, filter: TensorLike | None = None, padding: str | int | Sequence | None = None,
                strides: int | Sequence[int] | None = None, dilation_rate: int | Sequence[int] | None = None,
                name: str | None = None, data_format: str | None = None, filters: TensorLike | None = None,
                dilations: int | Sequence[int] | None = None) -> Tensor:
    """A convolution of one to three spatial dimensions."""
    return _ops.convolution(input, _either(filters, filter, "filters", "filter"), strides, _needed(padding, "padding"),
                            data_format, _either(dilations, dilation_rate, "dilations", "dilation_rate"), name)


def depthwise_conv2d(input: TensorLike, filter: TensorLike, strides: int | Sequence[int], padding: str | int | Sequence,
                     rate: NumberLike | None = None, name: str | None = None, data_format: str | None = None,
                     dilations: int | Sequence[int] | None = None) -> Tensor:
    """A convolution of each channel with filters of its own."""
    return _ops.depthwise_conv2d(input, filter, strides, padding, data_format, _either(dilations, rate, "dilations", "rate"),
                                 name)


def depthwise_conv2d_native(input: TensorLike, filter: TensorLike, strides: int | Sequence[int],
                            padding: str | int | Sequence, data_format: str = "NHWC",
                            dilations: int | Sequence[int] = (1, 1, 1, 1), name: str | None = None) -> Any:
    """depthwise_conv2d with strides and dilations of four elements."""
    return _ops.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name)


def separable_conv2d(input: TensorLike, depthwise_filter: TensorLike, pointwise_filter: TensorLike,
                     strides: int | Sequence[int], padding: str | int | Sequence, rate: NumberLike | None = None,
                     name: str | None = None, data_format: str | None = None,
                     dilations: int | Sequence[int] | None = None) -> Any:
    """A depthwise convolution, then one of 1 x 1."""
    return _more.separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format,
                                  _either(dilations, rate, "dilations", "rate"), name)


def space_to_depth(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Blocks of pixels become channels."""
    return _more.space_to_depth(input, block_size, data_format, name)


def depth_to_space(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Any:
    """Channels become blocks of pixels."""
    return _more.depth_to_space(input, block_size, data_format, name)


# ---- others

def moments(x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, name: str | None = None,
            keep_dims: bool | None = None, keepdims: bool | None = None) -> tuple:
    """Mean and variance over axes."""
    return _ops.moments(x, axes, shift, bool(_either(keepdims, keep_dims, "keepdims", "keep_dims")), name)


def _table(params, function):
    """The one tensor of a table that TensorFlow 1 may have in parts."""
    if isinstance(params, (list, tuple)):
        if len(params) > 1:
            raise NotImplementedError(f"{function} of {len(params)} tensors (partition_strategy) is not there: join them "
                                      "with tf.concat.")
        return params[0]
    return params


def embedding_lookup(params: TensorLike, ids: TensorLike, partition_strategy: str = "mod", name: str | None = None,
                     validate_indices: bool = True, max_norm: Any = None) -> Tensor:
    """Rows of a table."""
    return _ops.embedding_lookup(_table(params, "embedding_lookup"), ids, max_norm, name)


def sampled_softmax_loss(weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int,
                         num_classes: int, num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
                         partition_strategy: str = "mod", name: str = "sampled_softmax_loss", seed: int | None = None) -> Any:
    """The cross-entropy of each row among its label and classes drawn by the host."""
    return _candidates.sampled_softmax_loss(_table(weights, "sampled_softmax_loss"), biases, labels, inputs, num_sampled,
                                            num_classes, num_true, sampled_values, remove_accidental_hits, seed, name)


def nce_loss(weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike, num_sampled: int,
             num_classes: int, num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
             partition_strategy: str = "mod", name: str = "nce_loss") -> Tensor:
    """The noise-contrastive loss of each row: its labels against classes drawn by the host."""
    return _candidates.nce_loss(_table(weights, "nce_loss"), biases, labels, inputs, num_sampled, num_classes, num_true,
                                sampled_values, remove_accidental_hits, name)


def fused_batch_norm(x: TensorLike, scale: TensorLike, offset: TensorLike, mean: TensorLike | None = None,
                     variance: TensorLike | None = None, epsilon: float = 0.001, data_format: str = "NHWC",
                     is_training: bool = True, name: str | None = None, exponential_avg_factor: float = 1.0) -> tuple:
    """(y, mean, variance). In training y is by the batch's statistics, and the others are a moving mean and variance after it;
    else y is by those that are given, which come back."""
    x = convert_to_tensor(x)
    channels = 1 if data_format.startswith("NC") else x.shape.rank - 1
    axes = [a for a in range(x.shape.rank) if a != channels]

    def spread(t):
        return array_ops.reshape(t, [x.shape[channels] if a == channels else 1 for a in range(x.shape.rank)])
    if not is_training:
        y_mean, y_variance = _needed(mean, "mean"), _needed(variance, "variance")
    else:
        y_mean, y_variance = _ops.moments(math_ops.cast(x, "float32"), axes)
    y = math_ops.cast(_ops.batch_normalization(math_ops.cast(x, "float32"), spread(y_mean), spread(y_variance), spread(offset),
                                               spread(scale), max(epsilon, 1.001e-5)), x.dtype)
    if not is_training:
        return y, y_mean, y_variance
    count = int(_np.prod([x.shape[a] for a in axes]))
    return y, *[batch if exponential_avg_factor == 1.0 else math_ops.add(
        math_ops.multiply(_needed(old, what), 1.0 - exponential_avg_factor), math_ops.multiply(batch, exponential_avg_factor))
        for batch, old, what in ((y_mean, mean, "mean"), (math_ops.multiply(y_variance, count / max(count - 1, 1)), variance,
                                                          "variance"))]


def batch_norm_with_global_normalization(t: TensorLike | None = None, m: TensorLike | None = None,
                                         v: TensorLike | None = None, beta: TensorLike | None = None,
                                         gamma: TensorLike | None = None, variance_epsilon: float | None = None,
                                         scale_after_normalization: bool | None = None, name: str | None = None,
                                         input: TensorLike | None = None, mean: TensorLike | None = None,
                                         variance: TensorLike | None = None) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon), scaled if asked for, plus beta."""
    x, mean = _either(input, t, "input", "t"), _either(mean, m, "mean", "m")
    return _ops.batch_normalization(x, mean, _either(variance, v, "variance", "v"), beta,
                                    gamma if scale_after_normalization else None,
                                    _needed(variance_epsilon, "variance_epsilon"), name)


def xw_plus_b(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """x weights + biases."""
    return _ops.bias_add(math_ops.matmul(x, weights), biases, name=name)


def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """relu(x weights + biases)."""
    return _ops.relu(xw_plus_b(x, weights, biases), name)


def weighted_moments(x: TensorLike, axes: AxisLike, frequency_weights: TensorLike, name: str | None = None,
                     keep_dims: bool | None = None, keepdims: bool | None = None) -> tuple:
    """Mean and variance over axes, each element counted as often as its weight says."""
    keep = bool(_either(keepdims, keep_dims, "keepdims", "keep_dims"))
    x = convert_to_tensor(x)
    weights = math_ops.multiply(array_ops.ones_like(x), math_ops.cast(convert_to_tensor(frequency_weights), x.dtype))
    total = math_ops.reduce_sum(weights, axes, True)

    def mean(values):
        return math_ops.divide(math_ops.reduce_sum(math_ops.multiply(values, weights), axes, True), total)
    center = mean(x)
    out = center, mean(math_ops.squared_difference(x, math_ops.stop_gradient(center)))
    return out if keep else tuple(array_ops.squeeze(t, [int(a) for a in _listed(axes)]) for t in out)


def _listed(axes):
    return list(axes) if isinstance(axes, (list, tuple)) else [axes]


_names.lazy(globals(), {"rnn_cell": "tensorflow.compat.v1.rnn_cell", **{
    name: f"tensorflow.compat.v1.rnn_cell:{name}" for name in ("dynamic_rnn", "static_rnn", "bidirectional_dynamic_rnn")}})
