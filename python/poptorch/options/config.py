# SPDX-License-Identifier: MIT
"""Options from text: files with a call per line, and JSON. Both are data: setters of the options and of the classes below
can be named, members of enumerations, types of torch and literals, and nothing else is looked up or called."""
import ast
import enum
import inspect
import json

import torch

from poptorch import enums
from poptorch.errors import ConfigFileError
from poptorch.options import strategies
from poptorch.options.base import OptionSet, Own
from poptorch.options.locations import PopartOptions, TensorLocationSettings

# What arguments may make, and the setters that may be called on it.
_MADE: "dict[type, set[str]]" = {
    TensorLocationSettings: {"minElementsForOffChip", "minElementsForReplicatedTensorSharding", "useOnChipStorage",
                             "useReplicatedTensorSharding", "useIOTilesToLoad", "useIOTilesToStore"},
    strategies.Stage: {"ipu"},
    strategies.Phase: {"ipus"},
    strategies.PipelinedExecution: set(),
    strategies.ShardedExecution: set(),
    strategies.SerialPhasedExecution: {"setTensorsLiveness", "useSeparateBackwardPhase"},
    strategies.ParallelPhasedExecution: {"sendTensorsOffChipAfterFwd", "useSeparateBackwardPhase"},
}
_CLASSES = {kind.__name__: kind for kind in _MADE}
_ENUMS = {name: kind for name, kind in vars(enums).items() if isinstance(kind, enum.EnumMeta)}
_CODE = ("customCodelets", "customCodeletCompileFlags")  # of PopART's: what they name is run


def _member(path):
    """poptorch.OutputMode.All, OutputMode.All, torch.half."""
    if path[0] == "torch" and len(path) == 2 and isinstance(vars(torch).get(path[1]), torch.dtype):
        return vars(torch)[path[1]]
    parts = path[1:] if path[0] == "poptorch" else path
    if len(parts) != 2 or parts[0] not in _ENUMS or parts[1] not in _ENUMS[parts[0]].__members__:
        raise ValueError(f"{'.'.join(path)} is not known here")
    return _ENUMS[parts[0]][parts[1]]


def _path(node):
    """["a", "b"] of a.b; None of anything else."""
    parts: "list[str]" = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ([node.id] + parts) if isinstance(node, ast.Name) else None


def _value(node):
    """What an argument's expression stands for."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        path = _path(node)
        if path:
            return _member(path)
    if isinstance(node, ast.Call):
        return _made(node)
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_value(item) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {_value(k): _value(v) for k, v in zip(node.keys, node.values)}
    return ast.literal_eval(node)


def _made(node):
    """Stage("a").ipu(1): a class of those above, and its setters."""
    path = _path(node.func)
    if path:
        kind = _CLASSES.get(".".join(path[1:] if path[0] == "poptorch" else path))
        if kind is None:
            raise ValueError(f"{'.'.join(path)} cannot be called here")
        return _called(kind, node)
    if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Call):
        raise ValueError("what is called there has no name")
    owner, name = _made(node.func.value), node.func.attr
    if name not in _MADE[type(owner)]:
        raise ValueError(f"{type(owner).__name__} has no setting called {name}")
    return _called(getattr(owner, name), node)


def _called(function, node):
    if any(keyword.arg is None for keyword in node.keywords):
        raise ValueError("arguments are written one by one, without **")
    return _checked_call(function, [_value(a) for a in node.args], {k.arg: _value(k.value) for k in node.keywords})


def _checked_call(function, arguments, named):
    if getattr(function, "__func__", None) is PopartOptions.set and any(
            key in _CODE for key in (*arguments[:1], named.get("key"))):
        raise ValueError("codelets are code, which a text of options cannot bring in: call _Popart.set in the program")
    return function(*arguments, **named)


def _is_setter(kind, name):
    function = inspect.getattr_static(kind, name, None)
    return (inspect.isfunction(function) and not name.startswith("_") and name not in ("loadFromFile", "from_json")
            and not hasattr(OptionSet, name) and function.__annotations__.get("return") is Own)


def _setter(options, path):
    """The setter that a.b.c names, and nothing else of the class."""
    owner = options
    for part in path[:-1]:
        if not isinstance(inspect.getattr_static(type(owner), part, None), property) or not isinstance(
                getattr(owner, part), OptionSet):
            raise ValueError(f"there is no group of options called {part}")
        owner = getattr(owner, part)
    if not _is_setter(type(owner), path[-1]):
        raise ValueError(f"there is no option called {'.'.join(path)}")
    return getattr(owner, path[-1])


def _apply(options, node):
    """A call, or a chain of calls, on the options."""
    if not isinstance(node, ast.Call):
        raise ValueError("it is not a call")
    path = _path(node.func)
    if path:
        return _called(_setter(options, path), node)
    if not isinstance(node.func, ast.Attribute):
        raise ValueError("what is called there has no name")
    return _called(_setter(_apply(options, node.func.value), [node.func.attr]), node)


def load(options, path):
    """Calls what every line of a file says; ConfigFileError for the first line that is no option."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            try:
                _apply(options, ast.parse(text.removeprefix("options."), mode="eval").body)
            except Exception as error:
                raise ConfigFileError(f'Line {number} of {path} is no option: "{text}": {error}') from error


def from_json(options, text):
    """{"deviceIterations": 2, "_Popart.set": ["name", value]}: a list is several arguments."""
    def argument(value):
        if isinstance(value, str) and "." in value:
            try:
                return _member(value.split("."))
            except ValueError:
                pass
        return value

    try:
        given = json.loads(text)
        for name, value in given.items():
            values = value if isinstance(value, list) else [value]
            _checked_call(_setter(options, name.split(".")), [argument(v) for v in values], {})
    except Exception as error:
        raise ConfigFileError(f"These options are not understood: {text}: {error}") from error
