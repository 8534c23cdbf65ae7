# SPDX-License-Identifier: MIT
"""BatchNormalization and LayerNormalization:  y = (x - mean) / sqrt(variance + epsilon) * gamma + beta"""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import AxisLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.keras.engine.base_layer import InputSpec, Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops

__all__ = ["BatchNormalization", "LayerNormalization"]


def _positive(axis, rank):
    out = axis + rank if axis < 0 else axis
    if not 0 <= out < rank:
        raise ValueError(f"Invalid axis: {axis} of an input of {rank} dimensions.")
    return out


class BatchNormalization(Layer):
    """Training: mean and variance of the batch, over all axes but one; the moving ones become
    momentum * moving + (1 - momentum) * batch. Else, and if it is not trainable: the moving ones.

    The moving variance of images gets the batch's of n - 1, that of other inputs of n, as Keras has it."""

    def __init__(self, axis: AxisLike = -1, momentum: float = 0.99, epsilon: float = 0.001, center: bool = True,
                 scale: bool = True, beta_initializer: InitializerLike = "zeros", gamma_initializer: InitializerLike = "ones",
                 moving_mean_initializer: InitializerLike = "zeros", moving_variance_initializer: InitializerLike = "ones",
                 beta_regularizer: RegularizerLike = None, gamma_regularizer: RegularizerLike = None,
                 beta_constraint: ConstraintLike = None, gamma_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        given = dict(locals())
        for name in ("renorm", "virtual_batch_size", "adjustment"):
            if kwargs.pop(name, None):
                raise NotImplementedError(f"BatchNormalization(..., {name}=...) is not there; docs/tensorflow.md lists "
                                          "what is.")
        kwargs.pop("fused", None)
        super().__init__(**kwargs)
        axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        if isinstance(axis, list) and len(axis) > 1:
            raise NotImplementedError("BatchNormalization over several axes is not there: axis must be one number.")
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.supports_masking = center, scale, True
        parts.take(self, ("beta", "gamma", "moving_mean", "moving_variance"), given)

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape)
        self._at = _positive(self.axis[0] if isinstance(self.axis, list) else self.axis, shape.rank)
        channels = shape[self._at]
        if channels is None:
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        self.axis = [self._at]
        self.input_spec = InputSpec(ndim=shape.rank, axes={self._at: channels})
        self._sample = shape.rank == 4 and self._at in (1, 3)
        self._channels = channels
        kind = {"dtype": "float32" if self.compute_dtype in ("float16", "bfloat16") else None}
        self.gamma = parts.weight(self, "gamma", (channels,), **kind) if self.scale else None
        self.beta = parts.weight(self, "beta", (channels,), **kind) if self.center else None
        self.moving_mean = parts.weight(self, "moving_mean", (channels,), trainable=False, **kind)
        self.moving_variance = parts.weight(self, "moving_variance", (channels,), trainable=False, **kind)

    def _or(self, weight, value):
        return weight if weight is not None else EagerTensor(np.full(self._channels, value, np.float32))

    def call(self, inputs: TensorLike, training: TensorLike | None = None) -> Tensor:
        training = training if isinstance(training, Tensor) and self.trainable else bool(training) and self.trainable
        x, rank = math_ops.cast(inputs, "float32"), inputs.shape.rank
        second = self._at == 1 and rank > 2
        turned = None
        if not second and self._at != rank - 1:
            turned = [d for d in range(rank) if d != self._at] + [self._at]
            x = array_ops.transpose(x, turned)
        if not isinstance(training, Tensor):
            y, changes = self._normalized(x, second, training)
        else:  # known when the program runs
            (y, changes), (plain, _) = self._normalized(x, second, True), self._normalized(x, second, False)
            fed = math_ops.cast(training, "bool")
            y = math_ops.where(fed, y, plain)
            changes = [math_ops.where(fed, change, array_ops.zeros_like(change)) for change in changes]
        for moving, change in zip((self.moving_mean, self.moving_variance), changes):
            moving.assign_sub(change)
        if turned is not None:
            y = array_ops.transpose(y, np.argsort(turned))
        return math_ops.cast(y, inputs.dtype)

    def _normalized(self, x, second, training):
        """The result, and what the moving statistics become less."""
        y, mean, variance = apply("FusedBatchNormV3", [x, self._or(self.gamma, 1), self._or(self.beta, 0), self.moving_mean,
                                                       self.moving_variance],
                                  {"epsilon": float(self.epsilon), "is_training": training,
                                   "data_format": "NCHW" if second else "NHWC", "sample_variance": self._sample,
                                   "replica_group_size": 1 if active() is None else active().root.norm_replicas}, outputs=3)
        pairs = ((self.moving_mean, mean), (self.moving_variance, variance)) if training else ()
        return y, [math_ops.multiply(math_ops.subtract(moving, math_ops.stop_gradient(now)), 1.0 - self.momentum)
                   for moving, now in pairs]

    def get_config(self) -> dict:
        return {**super().get_config(), "axis": self.axis, "momentum": self.momentum, "epsilon": self.epsilon,
                "center": self.center, "scale": self.scale,
                **{k: v for k, v in parts.config(self, ("beta", "gamma", "moving_mean", "moving_variance")).items()}}


class LayerNormalization(Layer):
    """Mean and variance of every sample over `axis`; gamma and beta have the shape of these axes."""

    def __init__(self, axis: AxisLike = -1, epsilon: float = 0.001, center: bool = True, scale: bool = True,
                 beta_initializer: InitializerLike = "zeros", gamma_initializer: InitializerLike = "ones",
                 beta_regularizer: RegularizerLike = None, gamma_regularizer: RegularizerLike = None,
                 beta_constraint: ConstraintLike = None, gamma_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        given = dict(locals())
        super().__init__(**kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.epsilon, self.center, self.scale, self.supports_masking = epsilon, center, scale, True
        parts.take(self, ("beta", "gamma"), given)

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape)
        axes = self.axis if isinstance(self.axis, list) else [self.axis]
        self.axis = [_positive(a, shape.rank) for a in axes]
        if len(set(self.axis)) != len(self.axis):
            raise ValueError(f"Duplicate axis: {axes}")
        own = [shape[a] for a in self.axis]
        self.gamma = parts.weight(self, "gamma", own) if self.scale else None
        self.beta = parts.weight(self, "beta", own) if self.center else None

    def call(self, inputs: TensorLike) -> Tensor:
        rank = inputs.shape.rank
        own = [inputs.shape[a] for a in self.axis]
        weights = [w if w is not None else EagerTensor(np.full(own, value, np.float32))
                   for w, value in ((self.gamma, 1), (self.beta, 0))]
        if self.axis == list(range(rank - len(self.axis), rank)) and len(own) == 1:
            scale, offset = (math_ops.cast(w, inputs.dtype) for w in weights)
            return apply("LayerNorm", [inputs, scale, offset], {"axis": self.axis[0], "epsilon": float(self.epsilon)})
        x = math_ops.cast(inputs, "float32")
        shape = [inputs.shape[d] if d in self.axis else 1 for d in range(rank)]
        order = np.argsort(self.axis)
        scale, offset = (array_ops.reshape(array_ops.transpose(w, order), shape) for w in weights)
        mean = math_ops.reduce_mean(x, self.axis, keepdims=True)
        centred = math_ops.subtract(x, mean)
        variance = math_ops.reduce_mean(math_ops.square(centred), self.axis, keepdims=True)
        y = math_ops.multiply(centred, math_ops.rsqrt(math_ops.add(variance, float(self.epsilon))))
        return math_ops.cast(math_ops.add(math_ops.multiply(y, scale), offset), inputs.dtype)

    def get_config(self) -> dict:
        return {**super().get_config(), "axis": self.axis, "epsilon": self.epsilon, "center": self.center,
                "scale": self.scale, **parts.config(self, ("beta", "gamma"))}
