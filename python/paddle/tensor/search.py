# SPDX-License-Identifier: MIT
"""Order and choice."""
from __future__ import annotations

from ..helper import LayerHelper
from ..typed import AxisLike, TensorLike

__all__ = ["argsort", "sort", "topk", "where"]


def _sorted(x, axis, descending):
    return LayerHelper("argsort").append("argsort", {"X": x}, {"axis": int(axis), "descending": bool(descending)},
                                         more=("Indices",))


def argsort(x: TensorLike, axis: AxisLike = -1, descending: bool = False, name: str | None = None) -> TensorLike:
    """The indices that would sort along an axis."""
    return _sorted(x, axis, descending)[1]


def sort(x: TensorLike, axis: AxisLike = -1, descending: bool = False, name: str | None = None) -> TensorLike:
    """Sorts along an axis."""
    return _sorted(x, axis, descending)[0]


def topk(x: TensorLike, k: int, axis: AxisLike | None = None, largest: bool = True, sorted: bool = True,
         name: str | None = None) -> tuple:
    """The k largest, or smallest, along an axis, and their indices."""
    return LayerHelper("top_k_v2").append("top_k_v2", {"X": x}, {
        "k": int(k), "axis": -1 if axis is None else int(axis), "largest": bool(largest), "sorted": bool(sorted)},
        more=("Indices",))


def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None,
          name: str | None = None) -> TensorLike:
    """x where the condition holds, else y; with the condition alone the indices where it does."""
    if x is None or y is None:
        raise NotImplementedError("(Unimplemented) where(condition) alone has a result whose size depends on values; give x "
                                  "and y.")
    return LayerHelper("where").append("where", {"Condition": condition, "X": x, "Y": y})
