# SPDX-License-Identifier: MIT
"""Order and choice."""
from ..helper import LayerHelper

__all__ = ["argsort", "sort", "topk", "where"]


def _sorted(x, axis, descending):
    return LayerHelper("argsort").append("argsort", {"X": x}, {"axis": int(axis), "descending": bool(descending)},
                                         more=("Indices",))


def argsort(x, axis=-1, descending=False, name=None):
    """The indices that would sort along an axis."""
    return _sorted(x, axis, descending)[1]


def sort(x, axis=-1, descending=False, name=None):
    """Sorts along an axis."""
    return _sorted(x, axis, descending)[0]


def topk(x, k, axis=None, largest=True, sorted=True, name=None):
    """The k largest, or smallest, along an axis, and their indices."""
    return LayerHelper("top_k_v2").append("top_k_v2", {"X": x}, {
        "k": int(k), "axis": -1 if axis is None else int(axis), "largest": bool(largest), "sorted": bool(sorted)},
        more=("Indices",))


def where(condition, x=None, y=None, name=None):
    """x where the condition holds, else y; with the condition alone the indices where it does."""
    if x is None or y is None:
        raise NotImplementedError("(Unimplemented) where(condition) alone has a result whose size depends on values; give x "
                                  "and y.")
    return LayerHelper("where").append("where", {"Condition": condition, "X": x, "Y": y})
