# SPDX-License-Identifier: MIT
"""What is wrong with the arguments of a call, in Python's words. The core asks when none of a function's forms fits."""
import builtins
import collections.abc
from typing import Any

import numpy as np
import popart_core as core

Form = list[tuple[str, str, bool]]  # of each parameter its name, its type and whether it has a default


def _described(value: Any) -> str:
    try:
        text = str(value) if isinstance(value, np.generic) else repr(value)  # np.float32(1.5) since NumPy 2
    except Exception:
        return type(value).__name__
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if value is None else f"{type(value).__name__} ({text})"


def _split(text: str) -> list[str]:
    """The types between brackets: "str, list[int]" -> ["str", "list[int]"]."""
    parts: list[str] = []
    depth = start = 0
    for i, c in enumerate(text):
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def _generic(kind: str) -> tuple[str, list[str]]:
    outer, bracket, inner = kind.partition("[")
    return outer, _split(inner[:-1]) if bracket else []


def _wrong_number(kind: str, value: Any) -> str:
    if kind == "int":
        if isinstance(value, float) or not hasattr(value, "__index__"):
            return f"must be an int, not {_described(value)}"
        return f"is out of range: {_described(value)}"
    if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
        return f"must be a float, not {_described(value)}"
    return ""


def _wrong_items(outer: str, kinds: list[str], value: Any) -> str:
    wanted: Any = {"list": collections.abc.Sequence, "set": collections.abc.Set, "dict": collections.abc.Mapping,
              "tuple": (tuple, list)}[outer]
    array = outer == "list" and isinstance(value, np.ndarray)
    if isinstance(value, (str, bytes)) or not isinstance(value, wanted) and not array:
        return f"must be a {outer} of {' and '.join(kinds)}, not {_described(value)}"
    if outer == "dict":
        for key, item in value.items():
            why = _wrong(kinds[0], key)
            if why:
                return f"has a key that {why}"
            why = _wrong(kinds[1], item)
            if why:
                return f"has an item at {key!r} that {why}"
        return ""
    if outer == "tuple" and len(value) != len(kinds):
        return f"must have {len(kinds)} items, not {len(value)}: {_described(value)}"
    for i, item in enumerate(value):
        why = _wrong(kinds[i] if outer == "tuple" else kinds[0], item)
        if why:
            return f"has an item {i} that {why}" if outer != "set" else f"has an item that {why}"
    return ""


def _wrong(kind: str, value: Any) -> str:
    """Why a value is not of a type, or nothing."""
    outer, kinds = _generic(kind)
    if outer == "Optional":
        return "" if value is None else _wrong(kinds[0], value)
    if outer == "Union":
        return "" if any(not _wrong(k, value) for k in kinds) else f"must be one of {', '.join(kinds)}, not {_described(value)}"
    if outer in ("list", "set", "dict", "tuple") and kinds:
        return _wrong_items(outer, kinds, value)
    if kind in ("int", "float"):
        accepted = isinstance(value, (int, np.integer)) or kind == "float" and isinstance(value, (float, np.floating))
        if accepted and not (isinstance(value, int) and abs(value) >= 2**63):
            return ""
        return _wrong_number(kind, value)
    if kind == "bool":
        return "" if isinstance(value, (bool, np.bool_)) else f"must be a bool, not {_described(value)}"
    if kind == "str":
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                return f"is no text that can be written as UTF-8: {ascii(value)}"
            return ""
        return "" if isinstance(value, bytes) else f"must be a str, not {_described(value)}"
    if kind == "DebugContext" and isinstance(value, (str, bytes, core.DebugInfo)):
        return ""
    if kind == "numpy.ndarray":
        return "" if isinstance(value, (np.ndarray, np.generic)) else f"must be a numpy array, not {_described(value)}"
    if outer == "Callable" or kind == "function":
        return "" if callable(value) else f"must be a function, not {_described(value)}"
    known = getattr(core, kind, None) or getattr(builtins, kind, None)
    if isinstance(known, type) and not isinstance(value, known):
        name = kind.strip("_").removesuffix("Core")
        return f"must be {'an' if name[0] in 'AEIOU' else 'a'} {name}, not {_described(value)}"
    return ""


def _problems(form: Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with a call of one form: names of parameters, and why, in their order."""
    found: list[tuple[str, str]] = []
    named = dict(kwargs)
    positional = [p for p in form if not p[0].startswith("*")]
    for i, (name, kind, has_default) in enumerate(positional):
        if i < len(args):
            if name in named:
                found.append((name, "was given twice"))
                named.pop(name)
            value = args[i]
        elif name in named:
            value = named.pop(name)
        elif has_default:
            continue
        else:
            found.append((name, "is missing"))
            continue
        why = _wrong(kind, value) if kind else ""
        if why:
            found.append((name, why))
    if len(args) > len(positional) and len(positional) == len(form):
        found.append(("", f"takes {len(positional)} arguments, but {len(args)} were given"))
    found += [(name, "is not an argument of it") for name in named if len(positional) == len(form)]
    return found


def _shown(form: Form) -> str:
    return "(" + ", ".join(name + (f": {kind}" if kind else "") for name, kind, _ in form if name != "self") + ")"


def _out_of_range(value: Any) -> Any:
    """The first number, in a list or alone, that not every kind of int holds."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return next((v for v in values if isinstance(v, (int, np.integer)) and not 0 <= v < 2**31), None)


def explain(function: str, forms: list[Form], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The message for a call that fits none of the forms: the one that it comes nearest to."""
    if function == "":  # of an attribute
        why = _wrong(forms[0][-1][1], args[-1])
        if not why and _out_of_range(args[-1]) is not None:
            why = f"is out of range: {_described(_out_of_range(args[-1]))}"
        return f"The attribute's value {why or 'is not fit: ' + _described(args[-1])}."

    def misfit(problems: list[tuple[str, str]], form: Form) -> tuple[int, int]:
        """Fewest problems, and those late: what comes before has shown which form is meant."""
        known = [p[0] for p in form]
        return len(problems), -known.index(problems[0][0]) if problems and problems[0][0] in known else 0

    problems = min(((_problems(form, args, kwargs), form) for form in forms), key=lambda both: misfit(*both))[0]
    if problems:
        name, why = problems[0]
        text = f"The argument '{name}' {why}." if name else f"It {why}."
    elif beyond := [v for v in map(_out_of_range, [*args[1:], *kwargs.values()]) if v is not None]:
        text = f"An argument is out of range: {_described(beyond[0])}."
    else:  # nothing that can be seen from here
        text = f"They do not fit: {', '.join(_described(a) for a in args[1:])}."
    if len(forms) > 1:
        text += " It takes " + " or ".join(_shown(form) for form in forms) + "."
    what = "constructor" if function[0].isupper() else "function"
    return f"{function}(): incompatible {what} arguments. {text}"  # words that programs look for
