# SPDX-License-Identifier: MIT
"""Optimisers that are data: a class for each of popart.optimizerRules(), as Lion. Hyperparameters and slots have the rule's
names."""
import popart
from popart import _rules

from tensorflow.keras.optimizers.base import registry
from tensorflow.keras.optimizers.formulas import Formula, State


class RuleOptimizer(Formula):
    """What they share. rule: the popart.OptimizerRule."""
    rule: popart.OptimizerRule

    def __init__(self, learning_rate=None, name=None, **kwargs):
        first = self.rule.numbers["learning_rate"]
        super().__init__(name or self.rule.name, first if learning_rate is None else learning_rate, **kwargs)

    def fused(self, popart, rate, clip, accum):
        values = {name: (float(getattr(self, name)), True) for name in self._defaults}
        return popart.RuleOptimizer(self.rule, {**values, "learning_rate": (rate, False)}, clip, accum_type=accum)


def _class_of(rule):
    numbers = {name: value for name, value in rule.numbers.items() if name != "learning_rate"}
    states = tuple(State(name, name, first, _rules.slots(rule)[name]) for name, first in rule.states.items())
    members = {"rule": rule, "_defaults": numbers, "_states": states, "_formula": tuple(rule.formula), "__doc__": rule.doc,
               "__module__": __name__}
    return registry.add(rule.name.lower())(type(rule.name, (RuleOptimizer,), members))


RULES = {rule.name: _class_of(rule) for rule in popart.optimizerRules()}
globals().update(RULES)
__all__ = [*RULES]
