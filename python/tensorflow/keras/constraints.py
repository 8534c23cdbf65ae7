# SPDX-License-Identifier: MIT
"""Constraints: what a variable becomes after an update."""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.framework.typed import AxisLike, NumberLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.named import Registry, config_of
from tensorflow.ops import math_ops

_all = Registry("constraint")
get, serialize, deserialize = _all.get, _all.serialize, _all.deserialize


class Constraint:
    """A change of a weight after each update of the optimizer."""
    def __call__(self, w: TensorLike) -> Any:
        return w

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return config_of(self)

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)


@_all.add("non_neg")
class NonNeg(Constraint):
    """Sets negative elements to zero."""
    def __call__(self, w: TensorLike) -> Tensor:
        return math_ops.maximum(w, 0.0)


@_all.add("max_norm")
class MaxNorm(Constraint):
    """Scales a weight down whose norm along `axis` is larger than `max_value`."""
    _config = ("max_value", "axis")

    def __init__(self, max_value: TensorLike = 2, axis: AxisLike = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: TensorLike) -> Tensor:
        norms = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(w), self.axis, keepdims=True))
        wanted = math_ops.clip_by_value(norms, 0.0, float(self.max_value))
        return math_ops.multiply(w, math_ops.divide(wanted, math_ops.add(norms, 1e-7)))


@_all.add("unit_norm")
class UnitNorm(Constraint):
    """Scales a weight so that its norm along `axis` is 1."""
    _config = ("axis",)

    def __init__(self, axis: AxisLike = 0) -> None:
        self.axis = axis

    def __call__(self, w: TensorLike) -> Tensor:
        norms = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(w), self.axis, keepdims=True))
        return math_ops.divide(w, math_ops.add(norms, 1e-7))


@_all.add("min_max_norm")
class MinMaxNorm(Constraint):
    """Norms between two bounds; rate: how much of the way they go."""
    _config = ("min_value", "max_value", "rate", "axis")

    def __init__(self, min_value: TensorLike = 0.0, max_value: TensorLike = 1.0, rate: NumberLike = 1.0,
                 axis: AxisLike = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: TensorLike) -> Tensor:
        norms = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(w), self.axis, keepdims=True))
        wanted = math_ops.multiply(math_ops.clip_by_value(norms, float(self.min_value), float(self.max_value)),
                                   float(self.rate))
        wanted = math_ops.add(wanted, math_ops.multiply(norms, 1.0 - float(self.rate)))
        return math_ops.multiply(w, math_ops.divide(wanted, math_ops.add(norms, 1e-7)))


non_neg, max_norm, unit_norm, min_max_norm = NonNeg, MaxNorm, UnitNorm, MinMaxNorm
_names.explain_missing(globals())
