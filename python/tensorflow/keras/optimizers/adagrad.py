# SPDX-License-Identifier: MIT
"""Adagrad.  v += g^2;  w -= rate * g / (sqrt(v) + eps)"""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, epsilon_of, registry
from tensorflow.ops import math_ops

__all__ = ["Adagrad"]


@registry.add("adagrad")
class Adagrad(Optimizer):
    """Steps divided by the root of the sum of squared gradients."""
    _defaults = {"initial_accumulator_value": 0.1, "epsilon": 1e-7}

    def __init__(self, learning_rate: RateLike = 0.001, initial_accumulator_value: float = 0.1, epsilon: float = 1e-7,
                 name: str = "Adagrad", **kwargs: Any) -> None:
        if initial_accumulator_value < 0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        super().__init__(name, learning_rate, initial_accumulator_value=initial_accumulator_value,
                         epsilon=epsilon_of(epsilon), **kwargs)

    def create_slots(self, var: Any) -> None:
        self.add_slot(var, "accumulator", self.initial_accumulator_value)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        slot = self.get_slot(var, "accumulator")
        v = math_ops.add(slot, math_ops.square(gradient))
        slot.assign(v)
        var.assign_sub(math_ops.divide(math_ops.multiply(gradient, rate), math_ops.add(math_ops.sqrt(v), self.epsilon)))

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        if clip:
            return None
        return popart.Adaptive({"defaultLearningRate": (rate, False), "defaultAlpha": (0.0, True),
                                "defaultMomentum": (0.0, True), "defaultEps": (float(self.epsilon), True),
                                "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}, popart.AdaptiveMode.AdaGrad,
                               accum_type=accum)

    def fused_slots(self) -> dict:
        return {"accumulator": ("Accl1", 1)}
