# SPDX-License-Identifier: MIT
"""SGD.   v = momentum * v - rate * g;   w += v,  or with Nesterov  w += momentum * v - rate * g

PopART keeps the velocity without the rate (v' = momentum * v' + g, w -= rate * v'), which is another rule when the rate
changes. Its velocity scaling s (v' = momentum * v' + s * g, w -= rate / s * v') makes it this one: s is the rate."""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, registry
from tensorflow.ops import math_ops

__all__ = ["SGD"]


@registry.add("sgd")
class SGD(Optimizer):
    """Gradient descent, with momentum and Nesterov's look ahead if asked for."""
    _defaults = {"momentum": 0.0, "nesterov": False}

    def __init__(self, learning_rate: RateLike = 0.01, momentum: float = 0.0, nesterov: bool = False, name: str = "SGD",
                 **kwargs: Any) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        super().__init__(name, learning_rate, momentum=momentum, nesterov=nesterov, **kwargs)

    def create_slots(self, var: Any) -> None:
        if self.momentum:
            self.add_slot(var, "momentum")

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        step = math_ops.multiply(gradient, rate)
        if not self.momentum:
            var.assign_sub(step)
            return
        slot = self.get_slot(var, "momentum")
        v = math_ops.subtract(math_ops.multiply(slot, self.momentum), step)
        slot.assign(v)
        var.assign_add(math_ops.subtract(math_ops.multiply(v, self.momentum), step) if self.nesterov else v)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> SGD:
        values = {"defaultLearningRate": (rate, False), "defaultMomentum": (float(self.momentum), True),
                  "nesterov": (bool(self.nesterov), True)}
        if self.momentum:
            scale = max(rate, 1e-30)  # of a rate of zero nothing is left to divide by
            values |= {"defaultVelocityScaling": (scale, False), "defaultLearningRate": (scale, False)}
        return popart.SGD(values, clip, popart.SGDAccumulatorAndMomentum.Separate, accum)

    def fused_slots(self) -> dict:
        return {"momentum": ("Accl1", -1)} if self.momentum else {}
