# SPDX-License-Identifier: MIT
"""Optimizers that are data: a class for each of popart.optimizerRules(), as paddle.optimizer.Lion. The operator has the rule's
name in small letters, slots and attributes have the rule's names."""
import popart
from popart import _rules

from .base import Optimizer


class RuleOptimizer(Optimizer):
    """What they share. rule: the popart.OptimizerRule."""
    rule: popart.OptimizerRule

    def __init__(self, learning_rate=None, parameters=None, weight_decay=None, grad_clip=None, name=None, **numbers):
        first = dict(self.rule.numbers)
        rate = first.pop("learning_rate")
        if "weight_decay" in first:  # of the rule's own; what regularisation adds to the gradient is another thing
            numbers.update({} if weight_decay is None else {"weight_decay": weight_decay})
            weight_decay = None
        unknown = sorted(set(numbers) - set(first))
        if unknown:
            raise TypeError(f"{self.rule.name} has no {unknown[0]!r}; its numbers are {', '.join(self.rule.numbers)}.")
        super().__init__(rate if learning_rate is None else learning_rate, parameters, weight_decay, grad_clip, name)
        self._numbers = {name: float(value) for name, value in {**first, **numbers}.items()}

    def _attributes(self, param):
        return self._numbers


def slot(state):
    """Paddle's slot of a state."""
    return state[0].upper() + state[1:]


def _class_of(rule):
    states = {name: (slot(name), first, False) for name, first in rule.states.items()}
    if _rules.counts(rule):
        states["step"] = ("Step", 0.0, True)
    members = {"rule": rule, "_type": rule.name.lower(), "_state": states, "__doc__": rule.doc, "__module__": __name__}
    return type(rule.name, (RuleOptimizer,), members)


RULES = {rule.name: _class_of(rule) for rule in popart.optimizerRules()}
