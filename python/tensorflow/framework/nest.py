# SPDX-License-Identifier: MIT
"""Structures of lists, tuples, named tuples and dictionaries: their leaves in order (dictionaries by sorted keys)."""
from __future__ import annotations

from tensorflow.framework.typed import Nested, TensorLike
from typing import Any, Callable


def is_nested(value: TensorLike) -> bool:
    """Whether it is a list, tuple, dict or the like."""
    return isinstance(value, (list, tuple, dict))


is_sequence = is_nested


def flatten(value: TensorLike | None, expand_composites: bool = False) -> list:
    """The leaves of a nested structure, in order."""
    out = []
    _flatten(value, out)
    return out


def _flatten(value, out):
    if isinstance(value, dict):
        for key in _keys(value):
            _flatten(value[key], out)
    elif isinstance(value, (list, tuple)):
        for v in value:
            _flatten(v, out)
    else:
        out.append(value)


def _keys(value):
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def pack_sequence_as(structure: Nested | None, flat: list, expand_composites: bool = False) -> Any:
    """Leaves put into a structure."""
    leaves = iter(flat)
    out = _pack(structure, leaves)
    if next(leaves, leaves) is not leaves:
        raise ValueError("Too many elements for the structure.")
    return out


def _pack(structure, leaves):
    if isinstance(structure, dict):
        made = {key: _pack(structure[key], leaves) for key in _keys(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_pack(v, leaves) for v in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([_pack(v, leaves) for v in structure])
    try:
        return next(leaves)
    except StopIteration:
        raise ValueError("Too few elements for the structure.") from None


def map_structure(function: Callable, *structures: Any, **_: Any) -> Any:
    """A function of each leaf, in the same structure."""
    flat = [flatten(s) for s in structures]
    if any(len(f) != len(flat[0]) for f in flat):
        raise ValueError("The two structures don't have the same nested structure.")
    return pack_sequence_as(structures[0], [function(*each) for each in zip(*flat)])


def assert_same_structure(a: TensorLike, b: TensorLike, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises for structures that are nested differently."""
    if len(flatten(a)) != len(flatten(b)):
        raise ValueError(f"The two structures don't have the same nested structure: {a} and {b}.")
