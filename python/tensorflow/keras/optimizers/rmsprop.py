# SPDX-License-Identifier: MIT
"""RMSprop.  v = rho v + (1 - rho) g^2;  centred: d = v - a^2 with a = rho a + (1 - rho) g, else d = v
    without momentum:  w -= rate * g / (sqrt(d) + eps)
    with it:           u = momentum u + rate * g / sqrt(d + eps);  w -= u"""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, epsilon_of, registry
from tensorflow.ops import math_ops

__all__ = ["RMSprop"]


@registry.add("rmsprop")
class RMSprop(Optimizer):
    """Steps divided by the root of the mean of squared gradients."""
    _defaults = {"rho": 0.9, "momentum": 0.0, "epsilon": 1e-7, "centered": False}

    def __init__(self, learning_rate: RateLike = 0.001, rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7,
                 centered: bool = False, name: str = "RMSprop", **kwargs: Any) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        super().__init__(name, learning_rate, rho=rho, momentum=momentum, epsilon=epsilon_of(epsilon), centered=centered,
                         **kwargs)

    def create_slots(self, var: Any) -> None:
        self.add_slot(var, "rms")
        if self.momentum:
            self.add_slot(var, "momentum")
        if self.centered:
            self.add_slot(var, "mg")

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        if self.momentum:
            self.with_momentum(gradient, var, rate)
            return
        step = math_ops.multiply(gradient, rate)
        var.assign_sub(math_ops.divide(step, math_ops.add(math_ops.sqrt(self._spread(gradient, var)), self.epsilon)))

    def _spread(self, gradient, var):
        v = self.mixed(self.get_slot(var, "rms"), math_ops.square(gradient), self.rho)
        if self.centered:
            v = math_ops.subtract(v, math_ops.square(self.mixed(self.get_slot(var, "mg"), gradient, self.rho)))
        return v

    def with_momentum(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        """The formula when there is momentum."""
        slot, step = self.get_slot(var, "momentum"), math_ops.multiply(gradient, rate)
        moved = math_ops.add(math_ops.multiply(slot, self.momentum), math_ops.divide(
            step, math_ops.sqrt(math_ops.add(self._spread(gradient, var), self.epsilon))))
        slot.assign(moved)
        var.assign_sub(moved)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        if self.momentum or clip:
            return None  # PopART's form with epsilon under the root starts from ones
        mode = popart.AdaptiveMode.CenteredRMSProp if self.centered else popart.AdaptiveMode.RMSProp
        return popart.Adaptive({"defaultLearningRate": (rate, False), "defaultAlpha": (float(self.rho), True),
                                "defaultMomentum": (0.0, True), "defaultEps": (float(self.epsilon), True),
                                "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}, mode, accum_type=accum)

    def fused_slots(self) -> dict:
        return {"rms": ("Accl1", 1), **({"mg": ("Accl2", 1)} if self.centered else {})}
