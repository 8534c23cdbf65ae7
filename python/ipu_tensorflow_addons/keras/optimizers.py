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
    from tensorflow.framework.tensors import Tensor
    from tensorflow.framework.typed import NumberLike, RateLike, TensorLike


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

    def _now(self, var, name):
        return _math.cast(self.get_slot(var, name), "float32")

    def _keep(self, var, name, value):
        self.get_slot(var, name).assign(_math.cast(value, self._types[name]))
        return value

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

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> Tensor | None:
        """Changes one weight. Momentum is kept and added in momentum_accum_dtype."""
        if not self.momentum or self._plain:
            return super().update(gradient, var, rate)
        step = _math.multiply(_math.cast(gradient, "float32"), _math.cast(rate, "float32"))
        v = self._keep(var, "momentum", _math.subtract(_math.multiply(self._now(var, "momentum"), self.momentum), step))
        change = _math.subtract(_math.multiply(v, self.momentum), step) if self.nesterov else v
        return var.assign_add(_math.cast(change, var.dtype))

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

    def _means(self, gradient, var):
        """m and v of this step."""
        g = _math.cast(gradient, "float32")
        values = (("m", self.beta_1, g), ("v", self.beta_2, _math.square(g)))
        return [self._keep(var, name, _math.add(_math.multiply(self._now(var, name), float(b)), _math.multiply(x, 1 - b)))
                for name, b, x in values]

    def _without_bias(self, beta):
        """1 - beta^t, or 1."""
        return _math.subtract(1.0, _math.pow(float(beta), self.step_now())) if self.debiasing else 1.0

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> Tensor:
        """Changes one weight. Both means are kept in their accumulator types; the arithmetic is float32."""
        if self._plain and self.debiasing:
            return super().update(gradient, var, rate)
        m, v = self._means(gradient, var)
        if self.amsgrad:
            v = self._keep(var, "vhat", _math.maximum(self._now(var, "vhat"), v))
        scale = _math.divide(_math.sqrt(_math.multiply(self._without_bias(self.beta_2), 1.0)), self._without_bias(self.beta_1))
        change = _math.divide(_math.multiply(m, _math.multiply(_math.cast(rate, "float32"), scale)),
                              _math.add(_math.sqrt(v), self.epsilon))
        return var.assign_sub(_math.cast(change, var.dtype))

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

    @staticmethod
    def _matches(var, expressions):
        return any(_re.search(e, var.name) for e in expressions)

    def update(self, gradient: TensorLike, var: Any, rate: NumberLike) -> Tensor:
        """Changes one weight: Adam's step plus the weight decay, scaled by the ratio of the norms of weight and step."""
        m, v = self._means(gradient, var)
        m, v = _math.divide(m, self._without_bias(self.beta_1)), _math.divide(v, self._without_bias(self.beta_2))
        w = _math.cast(var, "float32")
        change = _math.divide(m, _math.add(_math.sqrt(v), self.epsilon))
        if self.weight_decay_rate and not self._matches(var, self.exclude_from_weight_decay):
            change = _math.add(change, _math.multiply(w, self.weight_decay_rate))
        rate = _math.cast(rate, "float32")
        if not self._matches(var, self.exclude_from_layer_adaptation):
            rate = _math.multiply(rate, self._ratio(w, change))
        return var.assign_sub(_math.cast(_math.multiply(change, rate), var.dtype))

    def _ratio(self, w, change):
        norm, other = (_math.sqrt(_math.reduce_sum(_math.square(t))) for t in (w, change))
        if self.weight_norm_clip is not None:
            norm = _math.minimum(norm, float(self.weight_norm_clip))
        both = _math.logical_and(_math.greater(norm, 0.0), _math.greater(other, 0.0))
        return _math.where(both, _math.divide(norm, _math.maximum(other, 1e-30)), 1.0)

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
