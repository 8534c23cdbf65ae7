# SPDX-License-Identifier: MIT
"""SGD.   v = momentum * v - rate * g;   w += v,  or with Nesterov  w += momentum * v - rate * g

PopART keeps the velocity without the rate (v' = momentum * v' + g, w -= rate * v'), which is another rule when the rate
changes. Its velocity scaling s (v' = momentum * v' + s * g, w -= rate / s * v') makes it this one: s is the rate."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import NumberLike, RateLike
from tensorflow.keras.optimizers.base import registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["SGD"]


@registry.add("sgd")
class SGD(Formula):
    """Gradient descent, with momentum and Nesterov's look ahead if asked for."""
    _defaults = {"momentum": 0.0, "nesterov": False}
    _states: "tuple[State, ...]" = (State("momentum: v", "momentum", device="Accl1", factor=-1),)
    _formula: "tuple[str, ...]" = (
        "step = g * learning_rate", "not momentum: w -= step", "momentum: v = v * momentum - step",
        "momentum, not nesterov: w += v", "momentum, nesterov: w += v * momentum - step")

    def __init__(self, learning_rate: RateLike = 0.01, momentum: float = 0.0, nesterov: bool = False, name: str = "SGD",
                 **kwargs: Any) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        super().__init__(name, learning_rate, momentum=momentum, nesterov=nesterov, **kwargs)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        values = {"defaultLearningRate": (rate, False), "defaultMomentum": (float(self.momentum), True),
                  "nesterov": (bool(self.nesterov), True)}
        if self.momentum:
            scale = max(rate, 1e-30)  # of a rate of zero nothing is left to divide by
            values |= {"defaultVelocityScaling": (scale, False), "defaultLearningRate": (scale, False)}
        return popart.SGD(values, clip, popart.SGDAccumulatorAndMomentum.Separate, accum)
