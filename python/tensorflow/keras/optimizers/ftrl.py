# SPDX-License-Identifier: MIT
"""Ftrl: follow the regularised leader.   n' = n + g^2;  p = -learning_rate_power
    z += g + 2 s w - (n'^p - n^p) / rate * w      (s: l2_shrinkage_regularization_strength)
    w = 0 if |z| <= l1, else (sign(z) l1 - z) / ((beta + n'^p) / rate + 2 l2)"""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, registry
from tensorflow.ops import math_ops

__all__ = ["Ftrl"]


@registry.add("ftrl")
class Ftrl(Optimizer):
    """Follows the regularised leader: for sparse models."""
    _defaults = {"learning_rate_power": -0.5, "initial_accumulator_value": 0.1, "l1_regularization_strength": 0.0,
                 "l2_regularization_strength": 0.0, "l2_shrinkage_regularization_strength": 0.0, "beta": 0.0}

    def __init__(self, learning_rate: RateLike = 0.001, learning_rate_power: float = -0.5,
                 initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
                 l2_regularization_strength: float = 0.0, name: str = "Ftrl",
                 l2_shrinkage_regularization_strength: float = 0.0, beta: TensorLike = 0.0, **kwargs: Any) -> None:
        given = {"learning_rate_power": learning_rate_power, "initial_accumulator_value": initial_accumulator_value,
                 "l1_regularization_strength": l1_regularization_strength,
                 "l2_regularization_strength": l2_regularization_strength,
                 "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength, "beta": beta}
        for key in list(given)[1:5]:
            if given[key] < 0:
                raise ValueError(f"`{key}` needs to be positive or zero. Received: {given[key]}.")
        if learning_rate_power > 0:
            raise ValueError(f"`learning_rate_power` needs to be negative or zero. Received: {learning_rate_power}.")
        super().__init__(name, learning_rate, **given, **kwargs)

    slots_by_variable = True

    def create_slots(self, var: Any) -> None:
        self.add_slot(var, "accumulator", self.initial_accumulator_value)
        self.add_slot(var, "linear")

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        n, z, w = self.get_slot(var, "accumulator"), self.get_slot(var, "linear"), var.read_value()
        power, l1 = -float(self.learning_rate_power), float(self.l1_regularization_strength)
        after = math_ops.add(n, math_ops.square(gradient))
        root, before = math_ops.pow(after, power), math_ops.pow(n, power)
        shrunk = math_ops.add(gradient, math_ops.multiply(w, 2.0 * self.l2_shrinkage_regularization_strength))
        change = math_ops.multiply(math_ops.divide(math_ops.subtract(root, before), rate), w)
        linear = math_ops.subtract(math_ops.add(z, shrunk), change)
        l2 = 2.0 * self.l2_regularization_strength
        size = math_ops.add(math_ops.divide(math_ops.add(root, float(self.beta)), rate), l2)
        moved = math_ops.divide(math_ops.subtract(math_ops.multiply(math_ops.sign(linear), l1), linear), size)
        n.assign(after)
        z.assign(linear)
        var.assign(math_ops.where(math_ops.greater(math_ops.abs(linear), l1), moved, math_ops.multiply(moved, 0.0)))
