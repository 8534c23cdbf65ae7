# SPDX-License-Identifier: MIT
"""Comparisons of results."""
from typing import Any

import torch


def allclose(out: Any, expected: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether two results are nearly equal: tensors, or tensors within tuples, lists and dicts of one structure."""
    further: "dict[str, Any]" = dict(rtol=rtol, atol=atol, equal_nan=equal_nan)
    if isinstance(expected, torch.Tensor) or isinstance(out, torch.Tensor):
        if not isinstance(expected, torch.Tensor) or not isinstance(out, torch.Tensor) or out.shape != expected.shape:
            return False
        if expected.is_floating_point() or out.is_floating_point():
            return torch.allclose(out.double(), expected.double(), **further)
        return bool((out == expected).all())
    if isinstance(expected, dict) or isinstance(out, dict):
        return (isinstance(expected, dict) and isinstance(out, dict) and expected.keys() == out.keys()
                and all(allclose(out[key], value, **further) for key, value in expected.items()))
    if isinstance(expected, (list, tuple)) or isinstance(out, (list, tuple)):
        return (isinstance(expected, (list, tuple)) and isinstance(out, (list, tuple)) and len(out) == len(expected)
                and all(allclose(a, b, **further) for a, b in zip(out, expected)))
    if isinstance(expected, float) and isinstance(out, (int, float)):
        return allclose(torch.tensor(float(out)), torch.tensor(expected), **further)
    return out == expected
