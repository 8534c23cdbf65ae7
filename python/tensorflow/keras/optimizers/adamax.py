# SPDX-License-Identifier: MIT
"""Adamax.  m = b1 m + (1 - b1) g;  v = max(b2 v, |g|);  w -= rate / (1 - b1^t) * m / (v + eps)"""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, epsilon_of, registry
from tensorflow.ops import math_ops

__all__ = ["Adamax"]


@registry.add("adamax")
class Adamax(Optimizer):
    """Adam with the largest past gradient in place of the mean of squares."""
    _defaults = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 name: str = "Adamax", **kwargs: Any) -> None:
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon_of(epsilon), **kwargs)

    def create_slots(self, var: Any) -> None:
        for name in ("m", "v"):
            self.add_slot(var, name)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        v = self.get_slot(var, "v")
        power = math_ops.pow(float(self.beta_1), self.step_now())
        m = self.mixed(self.get_slot(var, "m"), gradient, self.beta_1)
        largest = math_ops.maximum(math_ops.multiply(v, float(self.beta_2)), math_ops.abs(gradient))
        v.assign(largest)
        scale = math_ops.divide(math_ops.cast(rate, "float32"), math_ops.subtract(1.0, power))
        var.assign_sub(math_ops.divide(math_ops.multiply(m, scale), math_ops.add(largest, self.epsilon)))

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        return popart.Adam({"defaultLearningRate": (rate, False), "defaultBeta1": (float(self.beta_1), True),
                            "defaultBeta2": (float(self.beta_2), True), "defaultEps": (float(self.epsilon), True),
                            "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}, popart.AdamMode.AdaMax,
                           accum_type=accum, clip_norm_settings=clip)

    def fused_slots(self) -> dict:
        return {"m": ("Accl1", 1), "v": ("Accl2", 1)}
