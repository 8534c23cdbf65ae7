# SPDX-License-Identifier: MIT
"""Variables out of numbers, and copies."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import unique_name
from ..dtypes import VarType, to_type
from ..helper import LayerHelper, make_persistable
from ..param_attr import ParamAttr
from ..variable import Variable
from ..typed import DTypeLike, InitializerLike, NumberLike, ParamAttrLike, ShapeLike, TensorLike

__all__ = ["assign", "cast", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like", "rand", "randn", "uniform",
           "normal", "randint", "arange", "create_parameter", "create_global_var"]


def _filled(kind, attrs, dtype):
    return LayerHelper(kind).append(kind, {}, {"dtype": int(to_type(dtype)), **attrs}, stop_gradient=True)


def _shape(shape):
    return [int(d) for d in (shape if isinstance(shape, (list, tuple)) else [shape])]


def full(shape: ShapeLike, fill_value: NumberLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """A tensor whose elements are all the same; of float32 unless told otherwise."""
    value = int(fill_value) if isinstance(fill_value, (bool, np.bool_)) else fill_value
    attrs = {"shape": _shape(shape), "value": float(value), "str_value": str(value)}
    return _filled("fill_constant", attrs, dtype or "float32")


def fill_constant(shape: ShapeLike, dtype: DTypeLike, value: TensorLike, force_cpu: bool = False,
                  out: TensorLike | None = None, name: str | None = None) -> TensorLike:
    """A tensor whose elements are all the same."""
    made = full(shape, value, dtype)
    return made if out is None else assign(made, out)


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """All elements zero."""
    return full(shape, 0.0, dtype or "float32")


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """All elements one."""
    return full(shape, 1.0, dtype or "float32")


def full_like(x: TensorLike, fill_value: NumberLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """A tensor of x's shape whose elements are all the same."""
    attrs = {"value": float(fill_value), "dtype": int(to_type(dtype)) if dtype is not None else -1}
    return LayerHelper("fill_any_like").append("fill_any_like", {"X": x}, attrs, stop_gradient=True)


def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Zeros in x's shape."""
    return full_like(x, 0.0, dtype)


def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Ones in x's shape."""
    return full_like(x, 1.0, dtype)


def uniform(shape: ShapeLike, dtype: DTypeLike | None = None, min: NumberLike = -1.0, max: NumberLike = 1.0, seed: int = 0,
            name: str | None = None) -> TensorLike:
    """Numbers evenly from [min, max)."""
    return _filled("uniform_random", {"shape": _shape(shape), "min": float(min), "max": float(max), "seed": int(seed)},
                   dtype or "float32")


def rand(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Numbers evenly from [0, 1)."""
    return uniform(shape, dtype, 0.0, 1.0)


def normal(mean: TensorLike = 0.0, std: float = 1.0, shape: ShapeLike | None = None, name: str | None = None) -> TensorLike:
    """Numbers from a normal distribution."""
    return _filled("gaussian_random", {"shape": _shape(shape), "mean": float(mean), "std": float(std), "seed": 0}, "float32")


def randn(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """Numbers from the standard normal distribution."""
    return _filled("gaussian_random", {"shape": _shape(shape), "mean": 0.0, "std": 1.0, "seed": 0}, dtype or "float32")


def randint(low: NumberLike = 0, high: NumberLike | None = None, shape: ShapeLike = (1,), dtype: DTypeLike | None = None,
            name: str | None = None) -> TensorLike:
    """Whole numbers evenly from [low, high)."""
    low, high = (0, low) if high is None else (low, high)
    return _filled("randint", {"shape": _shape(shape), "low": int(low), "high": int(high), "seed": 0}, dtype or "int64")


def arange(start: TensorLike = 0, end: TensorLike | None = None, step: int = 1, dtype: DTypeLike | None = None,
           name: str | None = None) -> TensorLike:
    """Numbers from start up to, not including, end."""
    start, end = (0, start) if end is None else (start, end)
    values = np.arange(start, end, step)
    return assign(values.astype(np.int64 if dtype is None and values.dtype.kind == "i" else
                                np.dtype(str(to_type(dtype or "float32"))[len("paddle."):])))


def cast(x: TensorLike, dtype: DTypeLike) -> TensorLike:
    """Converts to another type."""
    kind = to_type(dtype)
    return LayerHelper("cast").append("cast", {"X": x}, {"in_dtype": int(x.dtype), "out_dtype": int(kind)})


def of_type(x, dtype):
    """The variable, cast if it is of another type; None: as it is."""
    return x if dtype is None or to_type(dtype) == x.dtype else cast(x, dtype)


def assign(x: TensorLike, output: TensorLike | None = None) -> TensorLike:
    """A copy of a variable, or a constant of these values."""
    if isinstance(x, Variable):
        if output is None:
            return LayerHelper("assign").append("assign", {"X": x})
        output.block.append_op("assign", {"X": x}, {"Out": output})
        return output
    values = np.asarray(x)
    if values.dtype == np.float64:
        values = values.astype(np.float32)
    kind = to_type(values.dtype)
    names = {VarType.FP32: "fp32_values", VarType.INT32: "int32_values", VarType.INT64: "int64_values",
             VarType.BOOL: "bool_values"}
    if kind not in names:
        raise TypeError(f"assign takes float32, int32, int64 or bool, not {values.dtype}.")
    attrs = {"shape": list(values.shape) or [1], "dtype": int(kind), names[kind]: values.reshape(-1).tolist()}
    if output is not None:
        output.block.append_op("assign_value", {}, {"Out": output}, attrs)
        return output
    return LayerHelper("assign_value").append("assign_value", {}, attrs, stop_gradient=True)


def create_parameter(shape: ShapeLike, dtype: DTypeLike, name: str | None = None, attr: ParamAttrLike = None,
                     is_bias: bool = False, default_initializer: InitializerLike = None) -> Any:
    """A parameter that belongs to no layer."""
    attr = ParamAttr._to_attr(attr)
    if name is not None and attr.name is None:
        attr.name = name
    return LayerHelper("create_parameter").create_parameter(attr, shape, dtype, is_bias, default_initializer)


def create_global_var(shape: ShapeLike, value: TensorLike, dtype: DTypeLike, persistable: bool = False,
                      force_cpu: bool = False, name: str | None = None) -> TensorLike:
    """A variable that keeps its value between runs."""
    return make_persistable(name or unique_name.generate("global_var"), shape, to_type(dtype), value)
