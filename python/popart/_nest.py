# SPDX-License-Identifier: MIT
"""Structures of lists, tuples, named tuples and dictionaries."""
from typing import Any, Callable


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The same structure with function(leaf) in the place of each leaf, dictionaries in their own order."""
    if isinstance(value, (list, tuple)):
        items = [mapped(function, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: mapped(function, item) for key, item in value.items()}
    return function(value)
