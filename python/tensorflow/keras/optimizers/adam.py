# SPDX-License-Identifier: MIT
"""Adam.  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;  w -= rate * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps)

The epsilon is added to the uncorrected root; PopART's Adam has a setting for that."""
from __future__ import annotations

from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from typing import Any

from tensorflow.keras.optimizers.base import Optimizer, epsilon_of, registry
from tensorflow.ops import math_ops

__all__ = ["Adam"]


@registry.add("adam")
class Adam(Optimizer):
    """Means of gradients and of their squares, both corrected for their start."""
    _defaults = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7, "amsgrad": False}

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 amsgrad: bool = False, name: str = "Adam", **kwargs: Any) -> None:
        super().__init__(name, learning_rate, beta_1=beta_1, beta_2=beta_2, epsilon=epsilon_of(epsilon), amsgrad=amsgrad,
                         **kwargs)

    def create_slots(self, var: Any) -> None:
        for name in ("m", "v", "vhat")[:3 if self.amsgrad else 2]:
            self.add_slot(var, name)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        step = math_ops.cast(math_ops.add(math_ops.cast(self.iterations, "float32"), 1.0), "float32")
        power = [math_ops.pow(float(b), step) for b in (self.beta_1, self.beta_2)]
        scale = math_ops.divide(math_ops.sqrt(math_ops.subtract(1.0, power[1])), math_ops.subtract(1.0, power[0]))
        g = math_ops.cast(gradient, "float32")
        m_now = math_ops.add(math_ops.multiply(m, self.beta_1), math_ops.multiply(g, 1 - self.beta_1))
        v_now = math_ops.add(math_ops.multiply(v, self.beta_2), math_ops.multiply(math_ops.square(g), 1 - self.beta_2))
        m.assign(m_now)
        v.assign(v_now)
        if self.amsgrad:
            top = self.get_slot(var, "vhat")
            v_now = math_ops.maximum(top, v_now)
            top.assign(v_now)
        change = math_ops.divide(math_ops.multiply(m_now, math_ops.multiply(math_ops.cast(rate, "float32"), scale)),
                                 math_ops.add(math_ops.sqrt(v_now), self.epsilon))
        var.assign_sub(math_ops.cast(change, var.dtype))

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Adam | None:
        if self.amsgrad:
            return None
        out = popart.Adam({"defaultLearningRate": (rate, False), "defaultBeta1": (float(self.beta_1), True),
                           "defaultBeta2": (float(self.beta_2), True), "defaultEps": (float(self.epsilon), True),
                           "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}, popart.AdamMode.Adam,
                          accum_type=accum, clip_norm_settings=clip)
        out.setEpsBeforeCorrection(True)
        return out

    def fused_slots(self) -> dict:
        return {"m": ("Accl1", 1), "v": ("Accl2", 1)}
