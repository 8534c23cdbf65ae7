# SPDX-License-Identifier: MIT
"""Adagrad.  v += g^2;  w -= rate * g / (sqrt(v) + eps)"""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import RateLike
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["Adagrad"]


@registry.add("adagrad")
class Adagrad(Formula):
    """Steps divided by the root of the sum of squared gradients."""
    _defaults = {"initial_accumulator_value": 0.1, "epsilon": 1e-7}
    _states = (State("v", "accumulator", "initial_accumulator_value", "Accl1"),)
    _formula = ("v = v + square(g)", "w -= g * learning_rate / (sqrt(v) + epsilon)")
    _same = "Adaptive", "AdaGrad", {"Alpha": 0.0, "Momentum": 0.0, "Eps": "epsilon"}

    def __init__(self, learning_rate: RateLike = 0.001, initial_accumulator_value: float = 0.1, epsilon: float = 1e-7,
                 name: str = "Adagrad", **kwargs: Any) -> None:
        if initial_accumulator_value < 0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        super().__init__(name, learning_rate, initial_accumulator_value=initial_accumulator_value,
                         epsilon=epsilon_of(epsilon), **kwargs)
