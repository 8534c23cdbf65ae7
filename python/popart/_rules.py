# SPDX-License-Identifier: MIT
"""Optimisers that are data (optimizerRules), computed where PopART is not: their lines are Python's too."""
import ast
import functools
import math
import operator
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping

from popart_core import OptimizerRule

_OPERATORS: "dict[type, str]" = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.USub: "neg"}
# Of numbers alone; whoever computes with tensors gives functions of these names for them.
_NUMBERS: "dict[str, Any]" = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sqrt": math.sqrt, "square": lambda x: x * x, "abs": abs, "sign": lambda x: float((x > 0) - (x < 0)), "max": max,
    "min": min, "pow": operator.pow, "norm": abs,
    "trust_ratio": lambda a, b, *largest: min(a, *largest) / b if a > 0 and b > 0 else 1.0}


class Functions(Dict[str, Any]):
    """add, sub, mul, div, neg, sqrt, square, abs, sign, max, min, pow, norm and trust_ratio of tensors, of which some
    arguments may be numbers; of numbers alone they are Python's."""

    def __init__(self, of_tensors: "Mapping[str, Any]"):
        super().__init__({name: _either(_NUMBERS[name], function) for name, function in of_tensors.items()}, __builtins__={})


def _either(of_numbers: Any, of_tensors: Any) -> Any:
    def call(*given: Any) -> Any:
        for one in given:
            if not isinstance(one, (int, float)):
                return of_tensors(*given)
        return of_numbers(*given)
    return call


class _Calls(ast.NodeTransformer):
    """Operators as calls of the functions."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self._call(_OPERATORS[type(node.op)], node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self._call(_OPERATORS[type(node.op)], node.operand)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id  # type: ignore[attr-defined]
        if name == "correction":
            beta = node.args[0].id  # type: ignore[attr-defined]
            return self.visit(ast.parse(f"1 / (1 - pow({beta}, t))", mode="eval").body)
        return self._call(name, *node.args)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Constant(float(node.value))

    def _call(self, name: str, *parts: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), [self.visit(part) for part in parts], [])


@functools.lru_cache(maxsize=None)
def _code(line: str) -> "tuple[str, str, Any, set[str]]":
    """What it changes, how ("w += x": by "add"), the code of the value, and what that reads."""
    (found,) = ast.parse(line).body
    assert isinstance(found, (ast.Assign, ast.AugAssign))
    target = found.targets[0] if isinstance(found, ast.Assign) else found.target
    how = "" if isinstance(found, ast.Assign) else _OPERATORS[type(found.op)]
    reads = {part.id for part in ast.walk(found.value) if isinstance(part, ast.Name)}
    code = ast.fix_missing_locations(ast.Expression(_Calls().visit(found.value)))
    return target.id, how, compile(code, line, "eval"), reads  # type: ignore[attr-defined]


def modes_of(lines: "Iterable[str]") -> "tuple[str, ...]":
    """All that lines ask for."""
    found = {mode.removeprefix("not ") for line in lines if ": " in line for mode in line.partition(": ")[0].split(", ")}
    return tuple(sorted(found))


def line_of(line: str, on: "Callable[[str], bool]") -> str:
    """What follows the modes that a line is for ("l2, not tf: ..."), or "" if one of them is not on."""
    modes, colon, rest = line.partition(": ")
    if not colon:
        return line
    return rest if all(on(mode.removeprefix("not ")) != mode.startswith("not ") for mode in modes.split(", ")) else ""


@functools.lru_cache(maxsize=None)
def names(lines: "tuple[str, ...]") -> "frozenset[str]":
    """What lines read that none before has made, with t, the number of the update, where biases are corrected."""
    found: "set[str]" = set()
    made = {*_NUMBERS, "correction"}
    for name, how, _, reads in map(_code, lines):
        found |= (reads | {"t"} if "correction" in reads else reads) - made
        made |= set() if how else {name}
    return frozenset(found)


def counts(rule: OptimizerRule) -> bool:
    """Whether it corrects biases, so that the number of updates is kept, by the slot Step."""
    return "t" in names(tuple(rule.formula))


def changes(lines: "Iterable[str]", values: "Mapping[str, Any]", functions: Functions) -> "Iterator[tuple[str, str, Any]]":
    """What lines make, one after the other: (name, "", value), or of "w += x" (w, "add", x), of "w -= x" (w, "sub", x)."""
    now = dict(values)
    for name, how, code, _ in map(_code, lines):
        value = eval(code, functions, now)
        if not how or name in now:
            now[name] = functions[how](now[name], value) if how else value
        yield name, how, value


def after_step(rule: OptimizerRule, values: "Mapping[str, Any]", functions: "Mapping[str, Any]") -> "dict[str, Any]":
    """What a step makes of w, g, the states and the numbers of a rule, by name; t is its number if biases are corrected."""
    known = functions if isinstance(functions, Functions) else Functions(functions)
    return {**values, **{name: value for name, _, value in changes(rule.formula, values, known)}}


def slots(rule: OptimizerRule) -> "dict[str, str]":
    """By what slots a session knows the states (Session.getOptimizerStateIds)."""
    return {name: f"Accl{i}" for i, name in enumerate(rule.states, 1)}
