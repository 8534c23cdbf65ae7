# SPDX-License-Identifier: MIT
"""Activations as layers with numbers or weights of their own."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import AxisLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import activations
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import math_ops, nn_ops

__all__ = ["LeakyReLU", "PReLU", "ELU", "ThresholdedReLU", "Softmax", "ReLU"]


class LeakyReLU(Layer):
    """x, or alpha * x below 0."""
    _config = ("alpha",)

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError("The alpha value of a Leaky ReLU layer cannot be None, needs a float. Got None")
        self.alpha, self.supports_masking = float(alpha), True

    def call(self, inputs: TensorLike) -> Tensor:
        return nn_ops.leaky_relu(inputs, self.alpha)


class PReLU(Layer):
    """max(x, 0) + alpha * min(x, 0); alpha has the shape of a sample, with 1 in place of shared axes."""

    def __init__(self, alpha_initializer: InitializerLike = "zeros", alpha_regularizer: RegularizerLike = None,
                 alpha_constraint: ConstraintLike = None, shared_axes: AxisLike | None = None, **kwargs: Any) -> None:
        given = dict(locals())
        super().__init__(**kwargs)
        self.supports_masking = True
        parts.take(self, ("alpha",), given)
        self.shared_axes = None if shared_axes is None else list(
            shared_axes if isinstance(shared_axes, (list, tuple)) else [shared_axes])

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape).as_list()[1:]
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        self.alpha = parts.weight(self, "alpha", shape)

    def call(self, inputs: TensorLike) -> Tensor:
        below = math_ops.multiply(math_ops.cast(self.alpha, inputs.dtype), nn_ops.relu(math_ops.negative(inputs)))
        return math_ops.subtract(nn_ops.relu(inputs), below)

    def get_config(self) -> dict:
        return {**super().get_config(), "shared_axes": self.shared_axes, **parts.config(self, ("alpha",))}


class ELU(Layer):
    """x, or alpha * (exp(x) - 1) below 0."""
    _config = ("alpha",)

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha, self.supports_masking = float(alpha), True

    def call(self, inputs: TensorLike) -> Tensor:
        return activations.elu(inputs, self.alpha)


class ThresholdedReLU(Layer):
    """x above theta, else 0"""
    _config = ("theta",)

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None or theta < 0:
            raise ValueError(f"Theta of a Thresholded ReLU layer cannot be None or negative, got {theta}")
        self.theta, self.supports_masking = float(theta), True

    def call(self, inputs: TensorLike) -> Tensor:
        return math_ops.multiply(inputs, math_ops.cast(math_ops.greater(inputs, self.theta), inputs.dtype))


class Softmax(Layer):
    """axis: one or several; what a mask leaves out has probability 0."""
    _config = ("axis",)

    def __init__(self, axis: AxisLike = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.supports_masking = axis, True

    def call(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor:
        if mask is not None:
            lowest = -65504.0 if inputs.dtype.name == "float16" else -1e9
            left_out = math_ops.subtract(1.0, math_ops.cast(mask, inputs.dtype))
            inputs = math_ops.add(inputs, math_ops.multiply(left_out, lowest))
        if isinstance(self.axis, (tuple, list)):
            if len(self.axis) > 1:
                total = math_ops.reduce_logsumexp(inputs, list(self.axis), keepdims=True)
                return math_ops.exp(math_ops.subtract(inputs, total))
            return activations.softmax(inputs, self.axis[0])
        return activations.softmax(inputs, self.axis)


class ReLU(Layer):
    """max(x, 0), with a largest value and a slope below the threshold if asked for."""
    _config = ("max_value", "negative_slope", "threshold")

    def __init__(self, max_value: TensorLike | None = None, negative_slope: float = 0.0, threshold: float = 0.0,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for value, name in ((max_value, "max_value"), (negative_slope, "negative_slope"), (threshold, "threshold")):
            if value is None and name != "max_value" or value is not None and value < 0:
                raise ValueError(f"{name} of a ReLU layer cannot be a negative value or None. Got: {value}")
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold
        self.supports_masking = True

    def call(self, inputs: TensorLike) -> Tensor:
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)
