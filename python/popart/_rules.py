# SPDX-License-Identifier: MIT
"""Optimisers that are data (optimizerRules), computed where PopART is not: their lines are Python's too."""
import ast
import functools
import math
import operator
from typing import Any, Mapping

from popart_core import OptimizerRule

_OPERATORS: "dict[type, str]" = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.USub: "neg"}
# Of numbers alone; whoever computes with tensors gives functions of these names for them.
_NUMBERS: "dict[str, Any]" = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sqrt": math.sqrt, "square": lambda x: x * x, "abs": abs, "sign": lambda x: float((x > 0) - (x < 0)), "max": max,
    "min": min}


@functools.lru_cache(maxsize=None)
def _read(line: str) -> "tuple[str, ast.expr]":
    (found,) = ast.parse(line).body
    assert isinstance(found, ast.Assign) and isinstance(found.targets[0], ast.Name)
    return found.targets[0].id, found.value


def _value(part: Any, values: "Mapping[str, Any]", functions: "Mapping[str, Any]") -> Any:
    if isinstance(part, ast.Constant):
        return float(part.value)
    if isinstance(part, ast.Name):
        return values[part.id]
    if isinstance(part, ast.BinOp):
        name, parts = _OPERATORS[type(part.op)], [part.left, part.right]
    elif isinstance(part, ast.UnaryOp):
        name, parts = _OPERATORS[type(part.op)], [part.operand]
    else:
        name, parts = part.func.id, part.args
    given = [_value(one, values, functions) for one in parts]
    numbers = all(isinstance(one, (int, float)) for one in given)
    return (_NUMBERS if numbers else functions)[name](*given)


def after_step(rule: OptimizerRule, values: "Mapping[str, Any]", functions: "Mapping[str, Any]") -> "dict[str, Any]":
    """What a step makes of w, g, the states and the numbers of a rule, by name. functions: add, sub, mul, div, neg, sqrt,
    square, abs, sign, max and min of tensors, of which some arguments may be numbers."""
    out = dict(values)
    for line in rule.formula:
        name, value = _read(line)
        out[name] = _value(value, out, functions)
    return out


def slots(rule: OptimizerRule) -> "dict[str, str]":
    """By what slots a session knows the states (Session.getOptimizerStateIds)."""
    return {name: f"Accl{i}" for i, name in enumerate(rule.states, 1)}
