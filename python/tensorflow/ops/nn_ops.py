# SPDX-License-Identifier: MIT
"""tf.nn: activations, convolutions, pools, softmax and its losses, dropout, normalisation."""
from __future__ import annotations

import inspect
from typing import Any, Sequence

import numpy as np

from tensorflow import _core
from tensorflow.framework import dtypes, facts, late
from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply, same_type
from tensorflow.framework.facts import operation
from tensorflow.framework.tensors import EagerTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import AxisLike, NumberLike, ShapeLike, TensorLike
from tensorflow.ops import array_ops, math_ops, random_ops

sigmoid, tanh, softplus = math_ops.sigmoid, math_ops.tanh, math_ops.softplus
top_k, in_top_k, l2_normalize = math_ops.top_k, math_ops.in_top_k, math_ops.l2_normalize


def embedding_lookup(params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """Rows of a table by index."""
    rows = array_ops.gather(params, ids, name=name)
    if max_norm is None:
        return rows
    return math_ops.clip_by_norm(rows, float(max_norm), axes=[-1])


def _elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))).astype(x.dtype)


operation("Relu", lambda x: np.maximum(x, 0).astype(x.dtype), keeps_order=True)
operation("Relu6", lambda x: np.clip(x, 0, 6), keeps_order=True)
operation("Elu", _elu, keeps_order=True)
operation("Selu", lambda x: (1.0507009873554805 * _elu(x, 1.6732632423543772)).astype(x.dtype), keeps_order=True)
operation("LeakyRelu", lambda x, alpha=0.2: np.where(x > 0, x, alpha * x).astype(x.dtype), keeps_order=True)
operation("Softsign", lambda x: (x / (1 + np.abs(x))).astype(x.dtype), keeps_order=True)
operation("Silu", lambda x: x * facts.of("Sigmoid").numpy(x), keeps_order=True)
operation("Gelu", keeps_order=True)
_rows = {name: row for name, *row in _core.functions()}  # frontends/common/frontend/Functions.cpp


def _of_row(name):
    """The function of a row: its numbers follow the features."""
    own, (op, words, numbers) = name, _rows[name]
    if op not in facts.TABLE:
        operation(op, keeps_order=True)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter("features", kind), *(
        inspect.Parameter(n, kind, default=default) for n, default in (*numbers, ("name", None)))])

    def function(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        features, *values, name = given.arguments.values()
        return apply(op, [convert_to_tensor(features)], {n: float(v) for (n, _), v in zip(numbers, values)}, name=name)
    function.__name__ = function.__qualname__ = own
    function.__doc__, function.__signature__ = words, signature
    return function


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(x, 0)."""
    return apply("Relu", [convert_to_tensor(features)], name=name)


def elu(features: TensorLike, name: str | None = None, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x) - 1) below 0."""
    return apply("Elu", [convert_to_tensor(features)], {"alpha": float(alpha)}, name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """elu, scaled so that variances stay."""
    return apply("Selu", [convert_to_tensor(features)], name=name)


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x, or alpha * x below 0."""
    return apply("LeakyRelu", [convert_to_tensor(features)], {"alpha": float(alpha)}, name=name)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution."""
    return apply("Gelu", [convert_to_tensor(features)], {"approximate": bool(approximate)}, name=name)


relu6, softsign, silu = map(_of_row, ("relu6", "softsign", "silu"))
swish = silu
_others = [_name for _name in _rows if _name not in globals()]
globals().update({_name: _of_row(_name) for _name in _others})


def _last_axis(x, axis):
    """The permutation that brings an axis to the end; None if it is there."""
    axis = -1 if axis is None else axis
    axis %= x.shape.rank
    if axis == x.shape.rank - 1:
        return None
    perm = [d for d in range(x.shape.rank) if d != axis] + [axis]
    return perm


def _along(op, x, axis, name):
    perm = _last_axis(x, axis)
    if perm is None:
        return apply(op, [x], name=name)
    y = apply(op, [array_ops.transpose(x, perm)], name=name)
    return array_ops.transpose(y, np.argsort(perm))


def _softmax(x):
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


operation("Softmax", _softmax)
operation("LogSoftmax", lambda x: x - math_ops.log_sum_exp(x, -1, True))


def softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """exp(x) over its sum along an axis."""
    return _along("Softmax", convert_to_tensor(logits), axis, name)


def log_softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """The logarithm of softmax."""
    return _along("LogSoftmax", convert_to_tensor(logits), axis, name)


def softmax_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None, axis: AxisLike = -1,
                                      name: str | None = None) -> Tensor:
    """The cross entropy of logits and distributions, along an axis."""
    logits, labels = same_type(logits, labels)
    rank = logits.shape.rank
    if axis % rank != rank - 1:
        turned = [d for d in range(rank) if d != axis % rank] + [axis % rank]
        logits, labels = (array_ops.transpose(t, turned) for t in (logits, labels))
    return apply("SoftmaxCrossEntropyWithLogits", [logits, labels], name=name)


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


def sparse_softmax_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None,
                                             name: str | None = None) -> Tensor:
    """The cross entropy of logits and classes by number."""
    return apply("SparseSoftmaxCrossEntropyWithLogits", [convert_to_tensor(logits), convert_to_tensor(labels)], name=name)


def sigmoid_cross_entropy_with_logits(labels: TensorLike | None = None, logits: TensorLike | None = None,
                                      name: str | None = None) -> Tensor:
    """The cross entropy of each logit and its label between 0 and 1."""
    logits, labels = same_type(logits, labels)
    # (1 - z) x + log(1 + exp(-x)): unlike the form with |x| its gradient at 0 is that of the sigmoid.
    return math_ops.add(math_ops.multiply(math_ops.subtract(1.0, labels), logits),
                        math_ops.softplus(math_ops.negative(logits)))


operation("BiasAdd", lambda x, b, data_format="NHWC": x + (
    b if data_format.endswith("C") else b.reshape((-1,) + (1,) * (x.ndim - 2))))


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds a bias to each channel."""
    x, bias = same_type(value, bias)
    return apply("BiasAdd", [x, bias], {"data_format": data_format or "NHWC"}, name=name)


def _spread(given, dims, data_format, what):
    """One number, one per field dimension or one per dimension -> one per dimension."""
    given = [given] * dims if isinstance(given, (int, np.integer)) else [int(v) for v in given]
    if len(given) == 1:
        given = given * dims
    if len(given) == dims + 2:
        return given
    if len(given) != dims:
        raise ValueError(f"{what} must be one number, {dims} or {dims + 2}, not {given}.")
    return [1, *given, 1] if data_format.endswith("C") else [1, 1, *given]


def _padding(padding, dims, data_format):
    if isinstance(padding, str):
        return {"padding": padding.upper()}
    return {"padding": "EXPLICIT", "explicit_paddings": [int(v) for pair in padding for v in pair]}


_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_CONV = {1: "Conv1D", 2: "Conv2D", 3: "Conv3D"}
_TRANSPOSED = {1: "Conv1DBackpropInput", 2: "Conv2DBackpropInput", 3: "Conv3DBackpropInputV2"}
for _op in _TRANSPOSED.values():
    operation(_op, constants=(0,))


def conv(dims, input, filters, strides, padding, data_format=None, dilations=None, name=None):
    data_format = data_format or _FORMATS[dims]
    x, w = same_type(input, filters)
    attributes = {"strides": _spread(strides, dims, data_format, "strides"), "data_format": data_format,
                  "dilations": _spread(1 if dilations is None else dilations, dims, data_format, "dilations"),
                  **_padding(padding, dims, data_format)}
    return apply(_CONV[dims], [x, w], attributes, name=name)


def conv1d(input: TensorLike, filters: TensorLike, stride: int | Sequence[int] = 1, padding: str | int | Sequence = "VALID",
           data_format: str | None = None, dilations: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """A convolution along one dimension."""
    return conv(1, input, filters, stride, padding, data_format, dilations, name)


def conv2d(input: TensorLike, filters: TensorLike | None = None, strides: int | Sequence[int] = 1,
           padding: str | int | Sequence = "VALID", data_format: str | None = None,
           dilations: int | Sequence[int] | None = None, name: str | None = None, filter: TensorLike | None = None,
           use_cudnn_on_gpu: bool = True) -> Tensor:
    """A convolution of images."""
    return conv(2, input, filter if filters is None else filters, strides, padding, data_format, dilations, name)


def conv3d(input: TensorLike, filters: TensorLike, strides: int | Sequence[int] = 1, padding: str | int | Sequence = "VALID",
           data_format: str | None = None, dilations: int | Sequence[int] | None = None, name: str | None = None) -> Any:
    """A convolution of volumes."""
    return conv(3, input, filters, strides, padding, data_format, dilations, name)


def convolution(input: TensorLike, filters: TensorLike, strides: int | Sequence[int] | None = None,
                padding: str | int | Sequence = "VALID", data_format: str | None = None,
                dilations: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """A convolution of one, two or three dimensions."""
    x = convert_to_tensor(input)
    return conv(x.shape.rank - 2, x, filters, 1 if strides is None else strides, padding, data_format, dilations, name)


def depthwise_conv2d(input: TensorLike, filter: TensorLike, strides: int | Sequence[int], padding: str | int | Sequence,
                     data_format: str | None = None, dilations: int | Sequence[int] | None = None,
                     name: str | None = None) -> Tensor:
    """A convolution of each channel by itself."""
    data_format = data_format or "NHWC"
    x, w = same_type(input, filter)
    return apply("DepthwiseConv2dNative", [x, w], {
        "strides": _spread(strides, 2, data_format, "strides"), "data_format": data_format,
        "dilations": _spread(1 if dilations is None else dilations, 2, data_format, "dilations"),
        **_padding(padding, 2, data_format)}, name=name)


def conv_transpose(dims, input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    data_format = data_format or _FORMATS[dims]
    x, w = same_type(input, filters)
    attributes = {"strides": _spread(strides, dims, data_format, "strides"), "data_format": data_format,
                  "dilations": _spread(1 if dilations is None else dilations, dims, data_format, "dilations"),
                  **_padding(padding, dims, data_format)}
    return apply(_TRANSPOSED[dims], [array_ops._shape_tensor(output_shape), w, x], attributes, name=name)


def conv2d_transpose(input: TensorLike, filters: TensorLike, output_shape: ShapeLike, strides: int | Sequence[int],
                     padding: str | int | Sequence = "SAME", data_format: str | None = None,
                     dilations: int | Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """The gradient of a convolution of images, as an operation."""
    return conv_transpose(2, input, filters, output_shape, strides, padding, data_format, dilations, name)


def pool(op, dims, input, ksize, strides, padding, data_format, name=None):
    data_format = data_format or _FORMATS[dims]
    x = convert_to_tensor(input)
    op = op + "3D" if dims == 3 else op
    return apply(op, [x], {"ksize": _spread(ksize, dims, data_format, "ksize"), "data_format": data_format,
                           "strides": _spread(strides, dims, data_format, "strides"),
                           **_padding(padding, dims, data_format)}, name=name)


def max_pool(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str | int | Sequence,
             data_format: str | None = None, name: str | None = None) -> Tensor:
    """Largest elements of windows."""
    x = convert_to_tensor(input)
    return pool("MaxPool", x.shape.rank - 2, x, ksize, strides, padding, data_format, name)


def avg_pool(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str | int | Sequence,
             data_format: str | None = None, name: str | None = None) -> Tensor:
    """Means of windows."""
    x = convert_to_tensor(input)
    return pool("AvgPool", x.shape.rank - 2, x, ksize, strides, padding, data_format, name)


max_pool2d, avg_pool2d, max_pool1d, avg_pool1d = max_pool, avg_pool, max_pool, avg_pool


operation("Dropout", keeps_order=True)  # without noise_shape


def dropout(x: TensorLike, rate: NumberLike | None = None, noise_shape: ShapeLike | None = None, seed: int | None = None,
            name: str | None = None, keep_prob: float | None = None) -> Tensor:
    """Sets elements to zero at random and scales the others."""
    x = convert_to_tensor(x)
    if rate is None:
        if keep_prob is None:
            raise ValueError("tf.nn.dropout needs rate.")
        rate = 1 - keep_prob
    if isinstance(rate, Tensor):
        known = constant_value(rate)
        if known is None:
            return _dropped_by(x, rate, noise_shape)
        rate = float(known)
    if not 0 <= rate < 1:
        raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate}")
    if active() is None and not getattr(x, "is_keras", False):
        shape = x.shape.as_list()
        if noise_shape is not None:
            shape = [own if n is None else int(n) for n, own in zip(noise_shape, shape)]
        kept = random_ops.uniform_array(shape, seed) >= rate
        return math_ops.multiply(x, EagerTensor((kept / (1 - rate)).astype(x.dtype.as_numpy_dtype)))
    attributes = {"rate": float(rate)}
    if noise_shape is not None:
        attributes["noise_shape"] = [-1 if d is None else int(d) for d in noise_shape]
    return apply("Dropout", [x], attributes, name=name)


def _dropped_by(x, rate, noise_shape):
    """Dropout with a rate that a graph computes or is fed."""
    shape = [own if n is None else int(n) for n, own in zip(noise_shape or x.shape.as_list(), x.shape.as_list())]
    kept = math_ops.greater_equal(random_ops.uniform(shape), math_ops.cast(rate, dtypes.float32))
    factor = math_ops.divide(math_ops.cast(kept, dtypes.float32), math_ops.subtract(1.0, math_ops.cast(rate, dtypes.float32)))
    return math_ops.multiply(x, math_ops.cast(factor, x.dtype))


def moments(x: TensorLike, axes: AxisLike, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None,
            keep_dims: bool | None = None) -> tuple:
    """Mean and variance along axes."""
    keep = keepdims if keep_dims is None else keep_dims
    x = convert_to_tensor(x)
    mean = math_ops.reduce_mean(x, axes, True)
    variance = math_ops.reduce_mean(math_ops.squared_difference(x, math_ops.stop_gradient(mean)), axes, keep)
    return (mean if keep else array_ops.squeeze(mean, list(np.atleast_1d(axes)))), variance


def batch_normalization(x: TensorLike, mean: TensorLike, variance: TensorLike, offset: TensorLike, scale: TensorLike,
                        variance_epsilon: float, name: str | None = None) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    inverse = math_ops.rsqrt(math_ops.add(variance, variance_epsilon))
    inverse = inverse if scale is None else math_ops.multiply(inverse, scale)
    y = math_ops.multiply(math_ops.subtract(x, mean), inverse)
    return y if offset is None else math_ops.add(y, offset)


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares."""
    return math_ops.multiply(math_ops.reduce_sum(math_ops.square(t)), 0.5)


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of elements that are zero."""
    return math_ops.reduce_mean(math_ops.cast(math_ops.equal(value, 0), dtypes.float32))


names = """sigmoid tanh softplus top_k in_top_k l2_normalize embedding_lookup relu relu6 elu selu leaky_relu softsign silu swish
gelu softmax log_softmax softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2
sparse_softmax_cross_entropy_with_logits sigmoid_cross_entropy_with_logits bias_add conv1d conv2d conv3d convolution
depthwise_conv2d conv2d_transpose max_pool avg_pool max_pool2d avg_pool2d max_pool1d avg_pool1d dropout moments
batch_normalization l2_loss zero_fraction""".split() + _others
late.wrap(globals(), names)
