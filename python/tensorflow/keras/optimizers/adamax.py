# SPDX-License-Identifier: MIT
"""Adamax.  m = b1 m + (1 - b1) g;  v = max(b2 v, |g|);  w -= rate / (1 - b1^t) * m / (v + eps)"""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import RateLike
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["Adamax"]


@registry.add("adamax")
class Adamax(Formula):
    """Adam with the largest past gradient in place of the mean of squares."""
    _defaults = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}
    _states = (State("m", "m", device="Accl1"), State("v", "v", device="Accl2"))
    _formula = ("power = pow(beta_1, t)", "m = m * beta_1 + g * (1 - beta_1)", "v = max(v * beta_2, abs(g))",
                "scale = learning_rate / (1 - power)", "w -= m * scale / (v + epsilon)")
    _same = "Adam", "AdaMax", {"Beta1": "beta_1", "Beta2": "beta_2", "Eps": "epsilon"}

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 name: str = "Adamax", **kwargs: Any) -> None:
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon_of(epsilon), **kwargs)
