# SPDX-License-Identifier: MIT
"""Activations: functions of one tensor."""
from __future__ import annotations

from typing import Any, Callable

from tensorflow import _names
from tensorflow.framework.typed import AxisLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.named import Registry
from tensorflow.ops import math_ops, nn_ops
from tensorflow.ops.math_ops import exp as _exp

_all = Registry("activation function")
serialize, deserialize = _all.serialize, _all.deserialize


def get(identifier: Any) -> Callable:
    """An activation by its name, or the function itself."""
    if identifier is None:
        return linear
    return _all.get(identifier)


@_all.add()
def linear(x: TensorLike) -> Tensor:
    """x."""
    return x


@_all.add()
def relu(x: TensorLike, alpha: float = 0.0, max_value: TensorLike | None = None, threshold: float = 0.0) -> Tensor:
    """x above the threshold up to max_value; alpha * (x - threshold) below."""
    if alpha == 0 and max_value is None and threshold == 0:
        return nn_ops.relu(x)
    if threshold == 0 and max_value is None:
        return nn_ops.leaky_relu(x, alpha)
    below = math_ops.multiply(math_ops.subtract(x, threshold), alpha)
    top = x if max_value is None else math_ops.minimum(x, max_value)
    return math_ops.where(math_ops.greater_equal(x, threshold), top, below)


@_all.add()
def softmax(x: TensorLike, axis: AxisLike = -1) -> Tensor:
    """exp(x) over its sum along an axis."""
    out = nn_ops.softmax(x, axis)
    if axis in (-1, out.shape.rank - 1):
        out._keras_logits = x
    return out


@_all.add()
def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x) - 1) below 0."""
    return nn_ops.elu(x, alpha=alpha)


@_all.add()
def selu(x: TensorLike) -> Tensor:
    """elu, scaled so that variances stay."""
    return nn_ops.selu(x)


@_all.add()
def softplus(x: TensorLike) -> Tensor:
    """log(1 + exp(x))."""
    return nn_ops.softplus(x)


@_all.add()
def softsign(x: TensorLike) -> Tensor:
    """x / (1 + |x|)."""
    return nn_ops.softsign(x)


@_all.add("silu")
def swish(x: TensorLike) -> Tensor:
    """x * sigmoid(x)."""
    return nn_ops.silu(x)


@_all.add()
def gelu(x: TensorLike, approximate: bool = False) -> Tensor:
    """x times the normal distribution."""
    return nn_ops.gelu(x, approximate)


@_all.add()
def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
    return nn_ops.tanh(x)


@_all.add()
def sigmoid(x: TensorLike) -> Tensor:
    """1 / (1 + exp(-x))."""
    out = nn_ops.sigmoid(x)
    out._keras_sigmoid_of = x
    return out


@_all.add()
def exponential(x: TensorLike) -> Tensor:
    """exp(x)."""
    return _exp(x)


@_all.add()
def hard_sigmoid(x: TensorLike) -> Tensor:
    """0.2 x + 0.5, between 0 and 1."""
    return math_ops.clip_by_value(math_ops.add(math_ops.multiply(x, 0.2), 0.5), 0.0, 1.0)


_names.explain_missing(globals())
