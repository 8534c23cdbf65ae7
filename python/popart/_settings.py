# SPDX-License-Identifier: MIT
"""Settings of SessionOptions as users of front ends write them: enumerators by name or number, maps as dictionaries."""
import contextlib
from typing import Any, Optional

from popart import _spelling


def member(kind: Any, value: Any) -> Any:
    """The enumerator of this name or number; ValueError names those there are."""
    members = kind.__members__
    if isinstance(value, kind):
        return value
    if value in members:
        return members[value]
    number = int(value) if not isinstance(value, str) or value.isdigit() else None
    for found in members.values():
        if int(found) == number:
            return found
    raise ValueError("one of " + ", ".join(f"{name}={int(found)}" for name, found in members.items()) + " is possible")


def assign(owner: Any, field: str, value: Any) -> None:
    """owner.field = value, whatever its type. TypeError or ValueError says why it cannot be."""
    now = getattr(owner, field)
    if hasattr(now, "update") and isinstance(value, dict):
        now.update({str(k): str(v) if isinstance(v, (int, float, str)) else v for k, v in value.items()})
        return
    if hasattr(type(now), "__members__"):
        value = member(type(now), value)
    elif isinstance(now, (list, set)) and isinstance(value, (list, tuple, set)):
        with contextlib.suppress(TypeError):
            return setattr(owner, field, type(now)(value))
        value = type(now)(int(v) if isinstance(v, str) and v.isdigit() else v for v in value)  # numbers as texts
    setattr(owner, field, value)


def set_option(options: Any, name: str, value: Any, asked: Optional[str] = None) -> None:
    """An option of a session by its name, "a.b" if it is one of a struct's. ValueError calls it what it was asked for by."""
    *parents, last = name.split(".")
    owner, asked = options, asked or name
    for part in parents:
        owner = None if part.startswith("_") else getattr(owner, part, None)
    if owner is None or last.startswith("_") or not hasattr(owner, last):
        known = [n for n in dir(owner or options) if not n.startswith("_")]
        raise ValueError(f'Unknown popart option "{asked}".' + _spelling.hint(last, known, '"{}"'))
    try:
        assign(owner, last, value)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f'The popart option "{asked}" cannot be {value!r}: {error}') from None
