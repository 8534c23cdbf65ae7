# SPDX-License-Identifier: MIT
"""Limits of gradients, written between the backward pass and the updates."""
from __future__ import annotations

from typing import Callable

from .. import guards, tensor
from ..helper import LayerHelper
from ..typed import NumberLike


class _Clip:
    _clipped: "Callable[..., list]"

    def __call__(self, params_grads):
        with guards.name_scope("gradient_clip"):
            return self._clipped(params_grads)


def _chosen(params_grads):
    return [(p, g) for p, g in params_grads if p.need_clip]


class ClipGradByValue(_Clip):
    """Every element between min and max."""

    def __init__(self, max: NumberLike, min: NumberLike | None = None) -> None:
        self.max, self.min = float(max), float(-max if min is None else min)

    def _clipped(self, params_grads):
        return [(p, tensor.clip(g, self.min, self.max) if p.need_clip else g) for p, g in params_grads]


class ClipGradByNorm(_Clip):
    """Every gradient by its own norm."""

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = float(clip_norm)

    def _clipped(self, params_grads):
        return [(p, LayerHelper("clip_by_norm").append("clip_by_norm", {"X": g}, {"max_norm": self.clip_norm})
                 if p.need_clip else g) for p, g in params_grads]


class ClipGradByGlobalNorm(_Clip):
    """All gradients by the norm of all of them."""

    def __init__(self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False) -> None:
        self.clip_norm = float(clip_norm)

    def _clipped(self, params_grads):
        chosen = _chosen(params_grads)
        if not chosen:
            return params_grads
        squares = [LayerHelper("squared_l2_norm").append("squared_l2_norm", {"X": g}) for _, g in chosen]
        norm = tensor.sqrt(tensor.add_n(squares))
        most = tensor.full([1], self.clip_norm, "float32")
        factor = tensor.divide(most, tensor.maximum(most, norm))
        return [(p, tensor.multiply(g, factor) if p.need_clip else g) for p, g in params_grads]
