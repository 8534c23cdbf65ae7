# SPDX-License-Identifier: MIT
"""Rates that depend on the step."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from tensorflow.framework.typed import NumberLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.named import Registry, config_of
from tensorflow.ops import math_ops

registry = Registry("learning rate schedule")
serialize, deserialize = registry.serialize, registry.deserialize


class LearningRateSchedule:
    """A rate that depends on the step: called with it."""
    def __call__(self, step: Any) -> Any:
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> Any:
        """The arguments it was made with."""
        found = config_of(self)
        if not found:
            raise NotImplementedError("Learning rate schedule must override get_config")
        return found

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)


class _ByRate(LearningRateSchedule):
    _config = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(self, initial_learning_rate: NumberLike, decay_steps: NumberLike, decay_rate: NumberLike,
                 staircase: bool = False, name: str | None = None) -> None:
        self.initial_learning_rate, self.decay_steps = float(initial_learning_rate), float(decay_steps)
        self.decay_rate, self.staircase, self.name = float(decay_rate), staircase, name

    def _passed(self, step):
        p = math_ops.divide(math_ops.cast(step, "float32"), self.decay_steps)
        return math_ops.floor(p) if self.staircase else p


@registry.add()
class ExponentialDecay(_ByRate):
    """rate * decay_rate ^ (step / decay_steps)"""
    def __call__(self, step: Any) -> Tensor:
        exponent = math_ops.multiply(self._passed(step), float(np.log(self.decay_rate)))
        return math_ops.multiply(math_ops.exp(exponent), self.initial_learning_rate)


@registry.add()
class PiecewiseConstantDecay(LearningRateSchedule):
    """values[i] up to step boundaries[i], the last one from there"""
    _config = ("boundaries", "values", "name")

    def __init__(self, boundaries: Sequence, values: TensorLike, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self.boundaries, self.values, self.name = list(boundaries), list(values), name

    def __call__(self, step: Any) -> Any:
        step = math_ops.cast(step, "float32")
        out = float(self.values[-1])
        for limit, value in reversed(list(zip(self.boundaries, self.values))):
            out = math_ops.where(math_ops.less_equal(step, float(limit)), np.float32(value), out)
        return out


@registry.add()
class PolynomialDecay(LearningRateSchedule):
    """(first - last) * (1 - step / steps)^power + last;  cycle: steps grows to the next multiple"""
    _config = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(self, initial_learning_rate: NumberLike, decay_steps: NumberLike, end_learning_rate: float = 0.0001,
                 power: float = 1.0, cycle: bool = False, name: str | None = None) -> None:
        self.initial_learning_rate, self.decay_steps = float(initial_learning_rate), float(decay_steps)
        self.end_learning_rate, self.power, self.cycle, self.name = float(end_learning_rate), float(power), cycle, name

    def __call__(self, step: Any) -> Tensor:
        step = math_ops.cast(step, "float32")
        if self.cycle:
            rounds = math_ops.maximum(math_ops.ceil(math_ops.divide(step, self.decay_steps)), 1.0)
            p = math_ops.divide(step, math_ops.multiply(rounds, self.decay_steps))
        else:
            p = math_ops.divide(math_ops.minimum(step, self.decay_steps), self.decay_steps)
        left = math_ops.pow(math_ops.subtract(1.0, p), self.power)
        return math_ops.add(math_ops.multiply(left, self.initial_learning_rate - self.end_learning_rate),
                            self.end_learning_rate)


@registry.add()
class InverseTimeDecay(_ByRate):
    """first / (1 + decay_rate * step / decay_steps)"""
    def __call__(self, step: Any) -> Tensor:
        growth = math_ops.multiply(self._passed(step), self.decay_rate)
        return math_ops.divide(self.initial_learning_rate, math_ops.add(growth, 1.0))


@registry.add()
class CosineDecay(LearningRateSchedule):
    """first * ((1 - alpha) * (1 + cos(pi * step / steps)) / 2 + alpha)"""
    _config = ("initial_learning_rate", "decay_steps", "alpha", "name")

    def __init__(self, initial_learning_rate: NumberLike, decay_steps: NumberLike, alpha: float = 0.0,
                 name: str | None = None) -> None:
        self.initial_learning_rate, self.decay_steps = float(initial_learning_rate), float(decay_steps)
        self.alpha, self.name = float(alpha), name

    def __call__(self, step: Any) -> Tensor:
        p = math_ops.divide(math_ops.minimum(math_ops.cast(step, "float32"), self.decay_steps), self.decay_steps)
        wave = math_ops.multiply(math_ops.add(math_ops.cos(math_ops.multiply(p, float(np.pi))), 1.0), 0.5)
        return math_ops.multiply(math_ops.add(math_ops.multiply(wave, 1 - self.alpha), self.alpha),
                                 self.initial_learning_rate)


@registry.add()
class CosineDecayRestarts(LearningRateSchedule):
    """CosineDecay again and again: each time t_mul times longer, from m_mul times the rate."""

    def __init__(self, initial_learning_rate: NumberLike, first_decay_steps: NumberLike, t_mul: NumberLike = 2.0,
                 m_mul: NumberLike = 1.0, alpha: float = 0.0, name: str | None = None) -> None:
        self.initial_learning_rate, self.first_decay_steps = float(initial_learning_rate), float(first_decay_steps)
        self._t_mul, self._m_mul, self.alpha, self.name = float(t_mul), float(m_mul), float(alpha), name

    def __call__(self, step: Any) -> Tensor:
        done = math_ops.divide(math_ops.cast(step, "float32"), self.first_decay_steps)
        if self._t_mul == 1.0:
            times = math_ops.floor(done)
            p = math_ops.subtract(done, times)
        else:
            grown = math_ops.log(math_ops.subtract(1.0, math_ops.multiply(done, 1.0 - self._t_mul)))
            times = math_ops.floor(math_ops.multiply(grown, 1.0 / float(np.log(self._t_mul))))
            before = math_ops.divide(math_ops.subtract(1.0, math_ops.pow(self._t_mul, times)), 1.0 - self._t_mul)
            p = math_ops.divide(math_ops.subtract(done, before), math_ops.pow(self._t_mul, times))
        wave = math_ops.multiply(math_ops.add(math_ops.cos(math_ops.multiply(p, float(np.pi))), 1.0), 0.5)
        wave = math_ops.multiply(wave, math_ops.pow(self._m_mul, times))
        return math_ops.multiply(math_ops.add(math_ops.multiply(wave, 1 - self.alpha), self.alpha),
                                 self.initial_learning_rate)

    def get_config(self) -> dict:
        return {"initial_learning_rate": self.initial_learning_rate, "first_decay_steps": self.first_decay_steps,
                "t_mul": self._t_mul, "m_mul": self._m_mul, "alpha": self.alpha, "name": self.name}
