# SPDX-License-Identifier: MIT
"""Optimizers that are data: a class for each of popart.optimizerRules(), as poptorch.optim.Lion. `lr` is the rule's
learning_rate; its other numbers keep their names. The state of steps on the host has the rule's names."""
from __future__ import annotations

import inspect
import operator
from typing import Any, Dict, Iterable, Optional, Union

import popart
import torch
from popart import _rules

from poptorch.optim.base import HostSteps, Optimizer, given


def _of_two(function):
    return lambda a, b: function(torch.as_tensor(a), torch.as_tensor(b))


def _trust_ratio(a, b, *largest):
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    bounded = torch.clamp(a, max=float(largest[0])) if largest else a
    return torch.where((a > 0) & (b > 0), bounded / b, torch.ones_like(b))


_FUNCTIONS = _rules.Functions({
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sqrt": torch.sqrt, "square": torch.square, "abs": torch.abs, "sign": torch.sign, "max": _of_two(torch.maximum),
    "min": _of_two(torch.minimum), "pow": operator.pow, "norm": torch.linalg.vector_norm, "trust_ratio": _trust_ratio})


class RuleOptimizer(HostSteps, Optimizer, torch.optim.Optimizer):
    """What they share. rule: the popart.OptimizerRule."""

    rule: popart.OptimizerRule
    _ipu_attributes = ("loss_scaling", "accum_type", "state_type", "max_grad_norm")

    def __init__(self, params: Iterable[Union[torch.Tensor, Dict[str, Any]]], lr: Optional[float] = None, *,
                 loss_scaling: Optional[float] = None, accum_type: Optional[torch.dtype] = None,
                 state_type: Optional[torch.dtype] = None, max_grad_norm: Optional[float] = None, **numbers: Optional[float]):
        values = _numbers(self.rule)
        if unknown := sorted(set(numbers) - set(values)):
            raise TypeError(f"{type(self).__name__} has no {unknown[0]!r}; its numbers are {', '.join(values)}.")
        self._begin(lr=lr, **numbers, loss_scaling=loss_scaling)
        chosen = given(lr=lr, **numbers)
        torch.optim.Optimizer.__init__(self, params, {**values, **{name: float(v) for name, v in chosen.items()}})
        self._scales(loss_scaling, max_grad_norm)
        self._types(accum_type=accum_type, state_type=state_type)

    def _step(self, p, group):
        state = self.state[p]
        if not state:
            state.update({name: torch.full_like(p, value) for name, value in self.rule.states.items()})
            if _rules.counts(self.rule):
                state["step"] = 0
        values = {"learning_rate" if name == "lr" else name: value for name, value in group.items() if name != "params"}
        if "step" in state:
            state["step"] += 1
            values["t"] = state["step"]
        after = _rules.after_step(self.rule, {**values, **state, "w": p, "g": p.grad}, _FUNCTIONS)
        for name in self.rule.states:
            state[name] = after[name]
        p.copy_(after["w"])


def _numbers(rule: popart.OptimizerRule) -> Dict[str, float]:
    return {"lr" if name == "learning_rate" else name: value for name, value in rule.numbers.items()}


def _class_of(rule: popart.OptimizerRule) -> type:
    """Its signature names the rule's numbers."""
    own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _numbers(rule) if name != "lr"]
    shared = list(inspect.signature(RuleOptimizer.__init__).parameters.values())[1:-1]
    members = {"rule": rule, "_variables": (*_numbers(rule), "loss_scaling"), "__module__": "poptorch.optim",
               "__doc__": rule.doc, "__signature__": inspect.Signature([*shared, *own])}
    return type(rule.name, (RuleOptimizer,), members)


RULES = {rule.name: _class_of(rule) for rule in popart.optimizerRules()}
