# SPDX-License-Identifier: MIT
"""First values of parameters: operators of the startup program."""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from . import current
from .dtypes import VarType
from .typed import NumberLike, TensorLike


class Initializer:
    """Kinds have `_append`, which writes the operator into a block."""
    _append: "Callable[..., Any]"

    def __call__(self, param: Any, block: Any = None) -> Any:
        if block is None:
            block = current.default_startup_program().global_block()
        return self._append(param, block)

    def _op(self, block, kind, param, attrs):
        attrs = {"shape": list(param.shape), "dtype": int(param.dtype), **attrs}
        return block.append_op(kind, outputs={"Out": param}, attrs=attrs)


class Constant(Initializer):
    """All elements the same."""
    def __init__(self, value: TensorLike = 0.0) -> None:
        self._value = float(value)

    def _append(self, param, block):
        return self._op(block, "fill_constant", param, {"value": self._value})


class Uniform(Initializer):
    """Evenly from an interval."""
    def __init__(self, low: NumberLike = -1.0, high: NumberLike = 1.0, seed: int = 0, name: str | None = None) -> None:
        self._low, self._high, self._seed = float(low), float(high), seed

    def _append(self, param, block):
        return self._op(block, "uniform_random", param, {"min": self._low, "max": self._high, "seed": self._seed})


class Normal(Initializer):
    """From a normal distribution."""
    def __init__(self, mean: TensorLike = 0.0, std: float = 1.0, seed: int = 0, name: str | None = None) -> None:
        self._mean, self._std, self._seed = float(mean), float(std), seed

    _kind = "gaussian_random"

    def _append(self, param, block):
        return self._op(block, self._kind, param, {"mean": self._mean, "std": self._std, "seed": self._seed})


class TruncatedNormal(Normal):
    """Within two deviations of the mean."""
    _kind = "truncated_gaussian_random"


def _fans(param):
    shape = param.shape
    if len(shape) < 2:
        return (shape[0] if shape else 1,) * 2
    if len(shape) == 2:
        return shape[0], shape[1]
    field = int(np.prod(shape[2:]))
    return shape[1] * field, shape[0] * field


class _Scaled(Initializer):
    """A spread that follows from the numbers of inputs and outputs."""
    _uniform: bool
    _seed: int
    _limit: "Callable[..., float]"

    def _append(self, param, block):
        limit = self._limit(param)
        kind = Uniform(-limit, limit, self._seed) if self._uniform else Normal(0.0, limit, self._seed)
        return kind._append(param, block)


class XavierUniform(_Scaled):
    """Uniform, with a variance of 2 / (inputs + outputs)."""
    _uniform = True

    def __init__(self, fan_in: float | None = None, fan_out: float | None = None, name: str | None = None,
                 seed: int = 0) -> None:
        self._in, self._out, self._seed = fan_in, fan_out, seed

    def _limit(self, param):
        fan_in, fan_out = _fans(param)
        total = (fan_in if self._in is None else self._in) + (fan_out if self._out is None else self._out)
        return math.sqrt((6.0 if self._uniform else 2.0) / float(total))


class XavierNormal(XavierUniform):
    """Normal, with a variance of 2 / (inputs + outputs)."""
    _uniform = False


class KaimingUniform(_Scaled):
    """Uniform, with a variance that keeps that of rectified activations."""
    _uniform = True

    def __init__(self, fan_in: float | None = None, negative_slope: float = 0.0, nonlinearity: str = "relu",
                 seed: int = 0) -> None:
        self._in, self._seed = fan_in, seed
        self._gain = {"relu": math.sqrt(2.0), "leaky_relu": math.sqrt(2.0 / (1 + negative_slope ** 2)),
                      "linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3}[nonlinearity]

    def _limit(self, param):
        fan_in = _fans(param)[0] if self._in is None else self._in
        return self._gain * math.sqrt((3.0 if self._uniform else 1.0) / float(fan_in))


class KaimingNormal(KaimingUniform):
    """Normal, with a variance that keeps that of rectified activations."""
    _uniform = False


class Assign(Initializer):
    """These very values."""

    def __init__(self, value: TensorLike, name: str | None = None) -> None:
        self._value = np.asarray(value)

    def _append(self, param, block):
        if tuple(self._value.shape) != tuple(param.shape):
            raise ValueError(f"Assign has values of shape {list(self._value.shape)} for a parameter of shape "
                             f"{list(param.shape)}.")
        real = param.dtype in (VarType.FP32, VarType.FP16, VarType.FP64)
        name = "fp32_values" if real else "int32_values"
        values = [float(v) for v in self._value.reshape(-1)] if real else [int(v) for v in self._value.reshape(-1)]
        return self._op(block, "assign_value", param, {name: values})


_global = [None, None]


def default(is_bias):
    """The one that set_global_initializer has given; None if it has not."""
    return _global[is_bias]


def set_global_initializer(weight_init: Any, bias_init: Any = None) -> None:
    """What parameters get that say nothing themselves."""
    _global[:] = [weight_init, bias_init]
