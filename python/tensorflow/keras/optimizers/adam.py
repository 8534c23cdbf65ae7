# SPDX-License-Identifier: MIT
"""Adam.  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;  w -= rate * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps)

The epsilon is added to the uncorrected root; PopART's Adam has a setting for that."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.typed import NumberLike, RateLike
from tensorflow.keras.optimizers.base import epsilon_of, registry
from tensorflow.keras.optimizers.formulas import Formula, State

__all__ = ["Adam"]


@registry.add("adam")
class Adam(Formula):
    """Means of gradients and of their squares, both corrected for their start."""
    _defaults = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7, "amsgrad": False}
    debiasing = True  # a mode of its formula
    _states = (State("m", "m", device="Accl1"), State("v", "v", device="Accl2"), State("amsgrad: vhat", "vhat"))
    _formula = ("debiasing: power_1 = pow(beta_1, t)", "debiasing: power_2 = pow(beta_2, t)",
                "debiasing: scale = sqrt(1 - power_2) / (1 - power_1)", "not debiasing: scale = 1",
                "m = m * beta_1 + g * (1 - beta_1)", "v = v * beta_2 + square(g) * (1 - beta_2)", "size = v",
                "amsgrad: vhat = max(vhat, v)", "amsgrad: size = vhat",
                "w -= m * (learning_rate * scale) / (sqrt(size) + epsilon)")
    _same = "Adam", "Adam", {"Beta1": "beta_1", "Beta2": "beta_2", "Eps": "epsilon"}

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 amsgrad: bool = False, name: str = "Adam", **kwargs: Any) -> None:
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon_of(epsilon), amsgrad=amsgrad,
                         **kwargs)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        out = None if self.amsgrad else super().fused(popart, rate, clip, accum)
        if out is not None:
            out.setEpsBeforeCorrection(True)
        return out
