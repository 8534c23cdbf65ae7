# SPDX-License-Identifier: MIT
"""Nadam: Adam with Nesterov's look ahead. With u(t) = b1 (1 - 0.96^(0.004 t) / 2) and U(t) = u(1) ... u(t):
    m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
    w -= rate * ((1 - u(t)) g / (1 - U(t)) + u(t+1) m / (1 - U(t) u(t+1))) / (sqrt(v / (1 - b2^t)) + eps)"""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.context import eagerly
from tensorflow.framework.typed import RateLike
from tensorflow.framework.variables import Variable
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State
from tensorflow.keras.optimizers.schedules import LearningRateSchedule
from tensorflow.ops import math_ops

__all__ = ["Nadam"]


@registry.add("nadam")
class Nadam(Formula):
    """Adam with Nesterov's look ahead."""
    _defaults = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}
    _states = (State("m", "m"), State("v", "v"))
    _formula = ("m = m * beta_1 + g * (1 - beta_1)", "v = v * beta_2 + square(g) * (1 - beta_2)",
                "of_g = (1 - _now) / (1 - _so_far)", "of_m = _next / (1 - _so_far * _next)",
                "w -= (g * of_g + m * of_m) * learning_rate / (sqrt(v / _correction) + epsilon)")

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 name: str = "Nadam", **kwargs: Any) -> None:
        if isinstance(learning_rate, LearningRateSchedule):
            raise ValueError("The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the "
                             "learning rate.")
        kwargs["decay"] = kwargs.pop("schedule_decay", kwargs.get("decay", 0.004))
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon_of(epsilon), **kwargs)
        self._of_momentum, self.decay = self.decay, 0.0  # the decay is the momentum's, not the rate's
        with eagerly():
            self._product = Variable(np.float32(1), False, name=f"{self._name}/m_cache")

    def _own_weights(self):
        return [self._product]

    def _momentum(self, step):
        return math_ops.multiply(math_ops.subtract(1.0, math_ops.multiply(math_ops.pow(
            0.96, math_ops.multiply(step, self._of_momentum)), 0.5)), float(self.beta_1))

    def prepare(self) -> None:
        step = self.step_now()
        self._now, self._next = self._momentum(step), self._momentum(math_ops.add(step, 1.0))
        self._so_far = math_ops.multiply(self._product, self._now)
        self._product.assign(self._so_far)
        self._correction = math_ops.subtract(1.0, math_ops.pow(float(self.beta_2), step))

    def get_config(self) -> dict:
        return {**super().get_config(), "decay": self._of_momentum}
