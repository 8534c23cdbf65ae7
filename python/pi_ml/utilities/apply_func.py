# SPDX-License-Identifier: MIT
"""Functions for batches: structures of tensors."""
from __future__ import annotations

from typing import Any, Callable

import torch
from popart import _nest


def apply_to_collection(data: Any, dtype: Any, function: Callable[..., Any], *args: Any, wrong_dtype: Any = None,
                        include_none: bool = True, **kwargs: Any) -> Any:
    """The same structure with function(leaf, ...) for the leaves of a type. Without include_none, those that become None go."""
    def changed(leaf):
        if isinstance(leaf, dtype) and (wrong_dtype is None or not isinstance(leaf, wrong_dtype)):
            return function(leaf, *args, **kwargs)
        return leaf

    made = _nest.mapped(changed, data)
    return made if include_none else _without_none(made)


def _without_none(value):
    if isinstance(value, dict):
        return {k: _without_none(v) for k, v in value.items() if v is not None}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_without_none(v) for v in value if v is not None)
    return value


def move_data_to_device(batch: Any, device: Any) -> Any:
    """Everything that can be moved, moved by its `to`. An IPU takes batches from the CPU."""
    return _nest.mapped(lambda leaf: leaf.to(device) if isinstance(leaf, torch.Tensor) or hasattr(leaf, "to") else leaf, batch)
