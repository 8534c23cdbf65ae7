# SPDX-License-Identifier: MIT
"""Adadelta.  v = rho v + (1 - rho) g^2;  x = g * sqrt(u + eps) / sqrt(v + eps);  u = rho u + (1 - rho) x^2;  w -= rate * x"""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import RateLike
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["Adadelta"]


@registry.add("adadelta")
class Adadelta(Formula):
    """Steps scaled by the means of past gradients and past steps."""
    _defaults = {"rho": 0.95, "epsilon": 1e-7}
    _states = (State("v", "accum_grad", device="Accl1"), State("u", "accum_var", device="Accl2"))
    _formula = ("v = v * rho + square(g) * (1 - rho)", "x = g * (sqrt(u + epsilon) / sqrt(v + epsilon))",
                "u = u * rho + square(x) * (1 - rho)", "w -= x * learning_rate")
    _same = "Adaptive", "AdaDelta", {"Alpha": "rho", "Momentum": 0.0, "Eps": "epsilon"}

    def __init__(self, learning_rate: RateLike = 0.001, rho: float = 0.95, epsilon: float = 1e-7, name: str = "Adadelta",
                 **kwargs: Any) -> None:
        super().__init__(name, learning_rate, rho=rho, epsilon=epsilon_of(epsilon), **kwargs)
