# SPDX-License-Identifier: MIT
"""Adadelta.  v = rho v + (1 - rho) g^2;  x = g * sqrt(u + eps) / sqrt(v + eps);  u = rho u + (1 - rho) x^2;  w -= rate * x"""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, epsilon_of, registry
from tensorflow.ops import math_ops

__all__ = ["Adadelta"]


@registry.add("adadelta")
class Adadelta(Optimizer):
    """Steps scaled by the means of past gradients and past steps."""
    _defaults = {"rho": 0.95, "epsilon": 1e-7}

    def __init__(self, learning_rate: RateLike = 0.001, rho: float = 0.95, epsilon: float = 1e-7, name: str = "Adadelta",
                 **kwargs: Any) -> None:
        super().__init__(name, learning_rate, rho=rho, epsilon=epsilon_of(epsilon), **kwargs)

    def create_slots(self, var: Any) -> None:
        for name in ("accum_grad", "accum_var"):
            self.add_slot(var, name)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        u = self.get_slot(var, "accum_var")
        v = self.mixed(self.get_slot(var, "accum_grad"), math_ops.square(gradient), self.rho)
        x = math_ops.multiply(gradient, math_ops.divide(math_ops.sqrt(math_ops.add(u, self.epsilon)),
                                                        math_ops.sqrt(math_ops.add(v, self.epsilon))))
        self.mixed(u, math_ops.square(x), self.rho)
        var.assign_sub(math_ops.multiply(x, rate))

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        if clip:
            return None
        return popart.Adaptive({"defaultLearningRate": (rate, False), "defaultAlpha": (float(self.rho), True),
                                "defaultMomentum": (0.0, True), "defaultEps": (float(self.epsilon), True),
                                "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}, popart.AdaptiveMode.AdaDelta,
                               accum_type=accum)

    def fused_slots(self) -> dict:
        return {"accum_grad": ("Accl1", 1), "accum_var": ("Accl2", 1)}
