# SPDX-License-Identifier: MIT
"""Optimisers that say in which types they keep their state: SGD, Adam and LAMB."""
from __future__ import annotations

import re as _re
import typing as _typing

from tensorflow import _names
from tensorflow.framework import dtypes as _dtypes
from tensorflow.keras.optimizers.adam import Adam as _Adam
from tensorflow.keras.optimizers.base import registry as _registry
from tensorflow.keras.optimizers.sgd import SGD as _SGD
from tensorflow.ops import math_ops as _math
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any
    from tensorflow.framework.typed import NumberLike, RateLike


class _Typed:
    """The types of slots by their names, and gradients of a loss that was scaled."""

    def _take(self, types, loss_scaling=1.0, optimizer_compute_precisions=None):
        self._types = {name: "float32" if kind is None else _dtypes.as_dtype(kind).name for name, kind in types.items()}
        for name, kind in self._types.items():
            if kind not in ("float32", "float16"):
                raise ValueError(f"{self._name}: the state {name} is kept in float32 or float16, not {kind}.")
        precisions = optimizer_compute_precisions or ("float32",)
        if any(_dtypes.as_dtype(p).name != "float32" for p in precisions):
            raise NotImplementedError(f"{self._name}: updates are computed in float32; optimizer_compute_precisions is "
                                      f"{precisions}.")
        if loss_scaling <= 0:
            raise ValueError(f"{self._name}: loss_scaling must be positive; it is {loss_scaling}.")
        self.loss_scaling = float(loss_scaling)

    @property
    def _plain(self):
        """Whether it is Keras' own rule."""
        return self.loss_scaling == 1 and set(self._types.values()) <= {"float32"}

    def add_slot(self, var, slot_name, initializer=0.0):
        return super().add_slot(var, slot_name, initializer, self._types.get(slot_name, "float32"))

    def _clipped(self, gradients):
        scale = 1 / self.loss_scaling
        return super()._clipped(gradients if scale == 1 else [_math.multiply(g, scale) for g in gradients])

    def hyper(self):
        return (*super().hyper(), self.loss_scaling, *sorted(self._types.items()))

    def get_config(self):
        return {**super().get_config(), "loss_scaling": self.loss_scaling}


@_registry.add()
class SGDIpuOptimizer(_Typed, _SGD):
    """v = momentum * v - rate * g;  w += v"""

    def __init__(self, learning_rate: RateLike = 0.01, momentum: float = 0.0, momentum_accum_dtype: Any = None,
                 nesterov: bool = False, name: str = "SGD", loss_scaling: float = 1.0,
                 optimizer_compute_precisions: Any = None, **kwargs: Any) -> None:
        super().__init__(learning_rate, momentum, nesterov, name, **kwargs)
        self._take({"momentum": momentum_accum_dtype}, loss_scaling, optimizer_compute_precisions)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        """PopART's optimizer that does the same in one operator."""
        return super().fused(popart, rate, clip, accum) if self._plain else None

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {**super().get_config(), "momentum_accum_dtype": self._types["momentum"]}


@_registry.add()
class AdamIpuOptimizer(_Typed, _Adam):
    """Keras' Adam; debiasing=False: means as they are, without 1 / (1 - beta^t)."""

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
                 amsgrad: bool = False, name: str = "Adam", m_dtype: Any = None, v_dtype: Any = None,
                 vhat_dtype: str | None = None, debiasing: bool = True, loss_scaling: float = 1.0,
                 optimizer_compute_precisions: tuple | None = None, **kwargs: Any) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, name, **kwargs)
        self._take({"m": m_dtype, "v": v_dtype, "vhat": vhat_dtype}, loss_scaling, optimizer_compute_precisions)
        self.debiasing = bool(debiasing)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> Any:
        """PopART's optimizer that does the same in one operator."""
        return super().fused(popart, rate, clip, accum) if self._plain and self.debiasing else None

    def hyper(self) -> tuple:
        """The hyper-parameters that the formula uses besides the rate."""
        return (*super().hyper(), self.debiasing)

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        return {**super().get_config(), "debiasing": self.debiasing,
                **{f"{name}_dtype": kind for name, kind in self._types.items()}}


@_registry.add()
class LAMBIpuOptimizer(AdamIpuOptimizer):
    """u = m / (sqrt(v) + epsilon) + weight_decay_rate * w;  w -= rate * |w| / |u| * u, with m and v without their bias.

    Variables whose names match an expression of exclude_from_weight_decay have no decay, those of
    exclude_from_layer_adaptation no ratio. weight_norm_clip: the largest |w| of the ratio."""
    _formula = ("m = m * beta_1 + g * (1 - beta_1)", "v = v * beta_2 + square(g) * (1 - beta_2)", "top = m", "size = v",
                "debiasing: top = m / (1 - pow(beta_1, t))", "debiasing: size = v / (1 - pow(beta_2, t))",
                "x = top / (sqrt(size) + epsilon)", "weight_decay_rate, decayed: x = x + w * weight_decay_rate",
                "rate = learning_rate", "adapted, not bounded: rate = rate * trust_ratio(norm(w), norm(x))",
                "adapted, bounded: rate = rate * trust_ratio(norm(w), norm(x), weight_norm_clip)", "w -= x * rate")

    def __init__(self, learning_rate: RateLike = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-6,
                 weight_decay_rate: float = 0.0, exclude_from_weight_decay: list | None = None,
                 exclude_from_layer_adaptation: list | None = None, name: str = "LAMB", m_dtype: str | None = None,
                 v_dtype: str | None = None, debiasing: bool = True, weight_norm_clip: float | None = None,
                 loss_scaling: float = 1.0, optimizer_compute_precisions: Any = None, **kwargs: Any) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, False, name, m_dtype, v_dtype, None, debiasing, loss_scaling,
                         optimizer_compute_precisions, **kwargs)
        self.weight_decay_rate, self.weight_norm_clip = float(weight_decay_rate), weight_norm_clip
        self.exclude_from_weight_decay = list(exclude_from_weight_decay or ())
        self.exclude_from_layer_adaptation = list(exclude_from_layer_adaptation or self.exclude_from_weight_decay)

    def mode(self, name: str, var: Any) -> bool:
        """Whether lines of this mode are for a weight."""
        if name == "bounded":
            return self.weight_norm_clip is not None
        excluded = {"decayed": self.exclude_from_weight_decay, "adapted": self.exclude_from_layer_adaptation}.get(name)
        if excluded is None:
            return super().mode(name, var)
        return not any(_re.search(e, var.name) for e in excluded)

    def fused(self, popart: Any, rate: NumberLike, clip: list, accum: Any) -> None:
        """PopART's optimizer that does the same in one operator."""
        return None

    def hyper(self) -> tuple:
        """The hyper-parameters that the formula uses besides the rate."""
        return (*super().hyper(), self.weight_decay_rate, self.weight_norm_clip, *self.exclude_from_weight_decay, "",
                *self.exclude_from_layer_adaptation)

    def get_config(self) -> dict:
        """The arguments that make another like it."""
        out = {**super().get_config(), "weight_decay_rate": self.weight_decay_rate, "weight_norm_clip": self.weight_norm_clip,
               "exclude_from_weight_decay": self.exclude_from_weight_decay,
               "exclude_from_layer_adaptation": self.exclude_from_layer_adaptation}
        return {k: v for k, v in out.items() if k not in ("amsgrad", "vhat_dtype")}


_names.explain_missing(globals())
