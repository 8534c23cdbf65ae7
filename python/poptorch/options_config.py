# SPDX-License-Identifier: MIT
"""Options from text: files with a call per line, and JSON. Nothing but options can be called from there."""
import ast
import json

import torch

from poptorch import enums
from poptorch.errors import ConfigFileError
from poptorch.options_base import OptionSet
from poptorch.options_locations import TensorLocationSettings


def _names():
    """What arguments may name beside numbers and texts."""
    import poptorch.strategies as strategies
    known = {name: getattr(enums, name) for name in dir(enums) if isinstance(getattr(enums, name), type(enums.OutputMode))
             or isinstance(getattr(enums, name), type) and issubclass(getattr(enums, name), enums.enum.Enum)}
    known.update({name: getattr(strategies, name) for name in strategies.__all__})
    known["TensorLocationSettings"] = TensorLocationSettings
    return known


def _named(path, known):
    """poptorch.OutputMode.All, OutputMode.All, torch.half."""
    if path[0] == "torch" and len(path) == 2 and isinstance(getattr(torch, path[1], None), torch.dtype):
        return getattr(torch, path[1])
    parts = path[1:] if path[0] == "poptorch" else path
    if not parts or parts[0] not in known or any(part.startswith("_") for part in parts):
        raise ValueError(f"{'.'.join(path)} is not known here")
    value = known[parts[0]]
    for part in parts[1:]:
        value = getattr(value, part)
    return value


def _path(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ([node.id] + parts) if isinstance(node, ast.Name) else None


def _value(node, known):
    """What an argument's expression stands for."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        path = _path(node)
        if path:
            return _named(path, known)
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _path(node.func):
            function = getattr(_value(node.func.value, known), node.func.attr)
        else:
            function = _value(node.func, known)
        return _called(function, node, known)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_value(item, known) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict):
        return {_value(k, known): _value(v, known) for k, v in zip(node.keys, node.values)}
    return ast.literal_eval(node)


def _called(function, node, known):
    return function(*(_value(a, known) for a in node.args), **{k.arg: _value(k.value, known) for k in node.keywords})


def _method(options, path):
    """The setter that a.b.c names, and nothing else of the class."""
    owner = options
    for part in path[:-1]:
        if not isinstance(getattr(type(owner), part, None), property) or not isinstance(getattr(owner, part), OptionSet):
            raise ValueError(f"there is no group of options called {part}")
        owner = getattr(owner, part)
    name = path[-1]
    if name.startswith("_") or not callable(getattr(type(owner), name, None)):
        raise ValueError(f"there is no option called {'.'.join(path)}")
    return getattr(owner, name)


def _apply(options, node, known):
    """A call, or a chain of calls, on the options."""
    if not isinstance(node, ast.Call):
        raise ValueError("it is not a call")
    path = _path(node.func)
    if path:
        return _called(_method(options, path), node, known)
    owner = _apply(options, node.func.value, known)
    return _called(_method(owner, [node.func.attr]), node, known)


def load(options, path):
    """Calls what every line of a file says; ConfigFileError for the first line that is no option."""
    known = _names()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            try:
                _apply(options, ast.parse(text.removeprefix("options."), mode="eval").body, known)
            except Exception as error:
                raise ConfigFileError(f'Line {number} of {path} is no option: "{text}": {error}') from error


def from_json(options, text):
    """{"deviceIterations": 2, "_Popart.set": ["name", value]}: a list is several arguments."""
    known = _names()

    def argument(value):
        if isinstance(value, str) and "." in value:
            try:
                return _named(value.split("."), known)
            except (ValueError, AttributeError):
                pass
        return value

    try:
        given = json.loads(text)
        for name, value in given.items():
            values = value if isinstance(value, list) else [value]
            _method(options, name.split("."))(*(argument(v) for v in values))
    except Exception as error:
        raise ConfigFileError(f"These options are not understood: {text}: {error}") from error
