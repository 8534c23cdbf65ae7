# SPDX-License-Identifier: MIT
"""Optimisers that are data: a class for each of popart.optimizerRules(), as Lion. Hyperparameters and slots have the rule's
names."""
import popart
from popart import _rules

from tensorflow.keras.optimizers.base import Optimizer, registry
from tensorflow.ops import math_ops

_FUNCTIONS = {"add": math_ops.add, "sub": math_ops.subtract, "mul": math_ops.multiply, "div": math_ops.divide,
              "neg": math_ops.negative, "sqrt": math_ops.sqrt, "square": math_ops.square, "abs": math_ops.abs,
              "sign": math_ops.sign, "max": math_ops.maximum, "min": math_ops.minimum}


class RuleOptimizer(Optimizer):
    """What they share. rule: the popart.OptimizerRule."""
    rule: popart.OptimizerRule

    def __init__(self, learning_rate=None, name=None, **kwargs):
        first = self.rule.numbers["learning_rate"]
        super().__init__(name or self.rule.name, first if learning_rate is None else learning_rate, **kwargs)

    def create_slots(self, var):
        for name, first in self.rule.states.items():
            self.add_slot(var, name, first)

    def update(self, gradient, var, rate):
        slots = {name: self.get_slot(var, name) for name in self.rule.states}
        values = {name: float(getattr(self, name)) for name in self._defaults}
        values |= {name: slot.read_value() for name, slot in slots.items()}
        values |= {name: math_ops.cast(value, "float32") for name, value in (("w", var), ("g", gradient),
                                                                            ("learning_rate", rate))}
        after = _rules.after_step(self.rule, values, _FUNCTIONS)
        for name, slot in slots.items():
            slot.assign(after[name])
        var.assign(math_ops.cast(after["w"], var.dtype))

    def fused(self, popart, rate, clip, accum):
        values = {name: (float(getattr(self, name)), True) for name in self._defaults}
        return popart.RuleOptimizer(self.rule, {**values, "learning_rate": (rate, False)}, clip, accum_type=accum)

    def fused_slots(self):
        return {name: (slot, 1) for name, slot in _rules.slots(self.rule).items()}


def _class_of(rule):
    numbers = {name: value for name, value in rule.numbers.items() if name != "learning_rate"}
    members = {"rule": rule, "_defaults": numbers, "__doc__": rule.doc, "__module__": __name__}
    return registry.add(rule.name.lower())(type(rule.name, (RuleOptimizer,), members))


RULES = {rule.name: _class_of(rule) for rule in popart.optimizerRules()}
globals().update(RULES)
__all__ = [*RULES]
