# SPDX-License-Identifier: MIT
"""Optimisers that are data. A formula's names are those of states, attributes, w, g, learning_rate and t, the number of the
step. Lines and states may begin with modes that they are for: attributes that are not false ("momentum, not nesterov: ...")."""
from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from popart import _rules

from tensorflow.framework.typed import NumberLike, TensorLike
from tensorflow.keras.optimizers.base import Half, Optimizer
from tensorflow.ops import math_ops


class State(NamedTuple):
    """What is kept of a weight."""
    name: str  # in the formula
    slot: str
    first: float | str = 0.0  # or the attribute that says it
    device: str = ""  # what PopART's optimiser calls it
    factor: float = 1  # between PopART's value and the slot's


def _norm(x: TensorLike) -> Any:
    return math_ops.sqrt(math_ops.reduce_sum(math_ops.square(x)))


def _trust_ratio(a: TensorLike, b: TensorLike, *largest: NumberLike) -> Any:
    for bound in largest:
        a = math_ops.minimum(a, bound)
    both = math_ops.logical_and(math_ops.greater(a, 0.0), math_ops.greater(b, 0.0))
    return math_ops.where(both, math_ops.divide(a, math_ops.maximum(b, 1e-30)), 1.0)


_FUNCTIONS = _rules.Functions({
    "add": math_ops.add, "sub": math_ops.subtract, "mul": math_ops.multiply, "div": math_ops.divide,
    "neg": math_ops.negative, "sqrt": math_ops.sqrt, "square": math_ops.square, "abs": math_ops.abs,
    "sign": math_ops.sign, "max": math_ops.maximum, "min": math_ops.minimum, "pow": math_ops.pow, "norm": _norm,
    "trust_ratio": _trust_ratio})


@functools.lru_cache(maxsize=None)
def _asked(states: tuple[State, ...], formula: tuple[str, ...]) -> tuple[str, ...]:
    return _rules.modes_of([*(state.name for state in states), *formula])


@functools.lru_cache(maxsize=None)
def _chosen(states: tuple[State, ...], formula: tuple[str, ...], modes: tuple[bool, ...]) -> Any:
    """States by their names, lines, and what those read beside states, g and learning_rate."""
    on = dict(zip(_asked(states, formula), modes)).__getitem__
    kept = {name: state for state in states if (name := _rules.line_of(state.name, on))}
    lines = tuple(filter(None, (_rules.line_of(line, on) for line in formula)))
    return kept, lines, sorted(_rules.names(lines) - {"g", "learning_rate", *kept})


def _as(x: Any, kind: str) -> Any:
    return x if x.dtype.name == kind else math_ops.cast(x, kind)


class Formula(Optimizer):
    """An optimizer with states and a formula."""
    _states: "tuple[State, ...]" = ()
    _formula: "tuple[str, ...]" = ()
    # PopART's class, its mode, and its numbers by attributes, if it has the very same rule.
    _same: "tuple[str, str, dict[str, float | str]] | None" = None

    def mode(self, name: str, var: Any) -> bool:
        """Whether lines of this mode are for a weight, or for one like all others if there is none."""
        return bool(getattr(self, name))

    def _of(self, var: Any = None) -> Any:
        modes = tuple(self.mode(name, var) for name in _asked(self._states, self._formula))
        return _chosen(self._states, self._formula, modes)

    def create_slots(self, var: Any) -> None:
        for state in self._of(var)[0].values():
            self.add_slot(var, state.slot, getattr(self, state.first) if isinstance(state.first, str) else state.first)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> None:
        weight = var.weight if isinstance(var, Half) else var
        kept, lines, read = self._of(weight)
        slots = {name: self.get_slot(weight, state.slot) for name, state in kept.items()}
        kind = "float32" if slots else var.dtype.name
        values = {name: _as(slot, "float32") for name, slot in slots.items()}
        values |= {"g": _as(gradient, kind), "learning_rate": _as(rate, kind)}
        for name in read:
            values[name] = self._value(name, var, kind)
        for name, how, value in _rules.changes(lines, values, _FUNCTIONS):
            target = var if name == "w" else slots.get(name)
            if target is not None:
                assign = {"": target.assign, "add": target.assign_add, "sub": target.assign_sub}[how]
                assign(_as(value, target.dtype.name))

    def _value(self, name, var, kind):
        if name == "w":
            return _as(var.read_value() if isinstance(var, Half) else var, kind)
        value = self.step_now() if name == "t" else getattr(self, name)
        return float(value) if isinstance(value, (int, float, np.number)) else value

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        if self._same is None or clip and self._same[0] == "Adaptive":
            return None
        kind, mode, numbers = self._same
        values = {f"default{name}": (float(getattr(self, of) if isinstance(of, str) else of), True)
                  for name, of in numbers.items()}
        values |= {"defaultLearningRate": (rate, False), "defaultWeightDecay": (0.0, True), "lossScaling": (1.0, True)}
        return getattr(popart, kind)(values, getattr(getattr(popart, kind + "Mode"), mode), accum_type=accum,
                                     clip_norm_settings=clip)

    def fused_slots(self) -> dict:
        return {state.slot: (state.device, state.factor) for state in self._of()[0].values() if state.device}
