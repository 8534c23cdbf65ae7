# SPDX-License-Identifier: MIT
"""RMSprop.  v = rho v + (1 - rho) g^2;  centred: d = v - a^2 with a = rho a + (1 - rho) g, else d = v
    without momentum:  w -= rate * g / (sqrt(d) + eps)
    with it:           u = momentum u + rate * g / sqrt(d + eps);  w -= u"""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import RateLike
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["RMSprop"]


@registry.add("rmsprop")
class RMSprop(Formula):
    """Steps divided by the root of the mean of squared gradients."""
    _defaults = {"rho": 0.9, "momentum": 0.0, "epsilon": 1e-7, "centered": False}
    _states = (State("v", "rms", device="Accl1"), State("momentum: u", "momentum"), State("centered: a", "mg", device="Accl2"))
    _formula = ("step = g * learning_rate", "momentum: kept = u * momentum", "v = v * rho + square(g) * (1 - rho)", "d = v",
                "centered: a = a * rho + g * (1 - rho)", "centered: d = v - square(a)",
                "not momentum: w -= step / (sqrt(d) + epsilon)", "momentum: u = kept + step / sqrt(d + epsilon)",
                "momentum: w -= u")

    def __init__(self, learning_rate: RateLike = 0.001, rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7,
                 centered: bool = False, name: str = "RMSprop", **kwargs: Any) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        super().__init__(name, learning_rate, rho=rho, momentum=momentum, epsilon=epsilon_of(epsilon), centered=centered,
                         **kwargs)

    @property
    def _same(self):
        # With momentum PopART's form, which has epsilon under the root, starts from ones.
        return None if self.momentum else ("Adaptive", "CenteredRMSProp" if self.centered else "RMSProp",
                                           {"Alpha": "rho", "Momentum": 0.0, "Eps": "epsilon"})
