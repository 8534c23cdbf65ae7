# SPDX-License-Identifier: MIT
"""Variables out of numbers, and copies."""
import numpy as np

from .. import unique_name
from ..dtypes import VarType, to_type
from ..helper import LayerHelper, make_persistable
from ..param_attr import ParamAttr
from ..variable import Variable

__all__ = ["assign", "cast", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like", "rand", "randn", "uniform",
           "normal", "randint", "arange", "create_parameter", "create_global_var"]


def _filled(kind, attrs, dtype):
    return LayerHelper(kind).append(kind, {}, {"dtype": int(to_type(dtype)), **attrs}, stop_gradient=True)


def _shape(shape):
    return [int(d) for d in (shape if isinstance(shape, (list, tuple)) else [shape])]


def full(shape, fill_value, dtype=None, name=None):
    """A tensor whose elements are all the same."""
    kind = to_type(dtype or ("float32" if isinstance(fill_value, float) else "int64"))
    return _filled("fill_constant", {"shape": _shape(shape), "value": float(fill_value), "str_value": str(fill_value)}, kind)


def fill_constant(shape, dtype, value, force_cpu=False, out=None, name=None):
    """A tensor whose elements are all the same."""
    made = full(shape, value, dtype)
    return made if out is None else assign(made, out)


def zeros(shape, dtype=None, name=None):
    """All elements zero."""
    return full(shape, 0.0, dtype or "float32")


def ones(shape, dtype=None, name=None):
    """All elements one."""
    return full(shape, 1.0, dtype or "float32")


def full_like(x, fill_value, dtype=None, name=None):
    """A tensor of x's shape whose elements are all the same."""
    attrs = {"value": float(fill_value), "dtype": int(to_type(dtype)) if dtype is not None else -1}
    return LayerHelper("fill_any_like").append("fill_any_like", {"X": x}, attrs, stop_gradient=True)


def zeros_like(x, dtype=None, name=None):
    """Zeros in x's shape."""
    return full_like(x, 0.0, dtype)


def ones_like(x, dtype=None, name=None):
    """Ones in x's shape."""
    return full_like(x, 1.0, dtype)


def uniform(shape, dtype=None, min=-1.0, max=1.0, seed=0, name=None):
    """Numbers evenly from [min, max)."""
    return _filled("uniform_random", {"shape": _shape(shape), "min": float(min), "max": float(max), "seed": int(seed)},
                   dtype or "float32")


def rand(shape, dtype=None, name=None):
    """Numbers evenly from [0, 1)."""
    return uniform(shape, dtype, 0.0, 1.0)


def normal(mean=0.0, std=1.0, shape=None, name=None):
    """Numbers from a normal distribution."""
    return _filled("gaussian_random", {"shape": _shape(shape), "mean": float(mean), "std": float(std), "seed": 0}, "float32")


def randn(shape, dtype=None, name=None):
    """Numbers from the standard normal distribution."""
    return _filled("gaussian_random", {"shape": _shape(shape), "mean": 0.0, "std": 1.0, "seed": 0}, dtype or "float32")


def randint(low=0, high=None, shape=(1,), dtype=None, name=None):
    """Whole numbers evenly from [low, high)."""
    low, high = (0, low) if high is None else (low, high)
    return _filled("randint", {"shape": _shape(shape), "low": int(low), "high": int(high), "seed": 0}, dtype or "int64")


def arange(start=0, end=None, step=1, dtype=None, name=None):
    """Numbers from start up to, not including, end."""
    start, end = (0, start) if end is None else (start, end)
    values = np.arange(start, end, step)
    return assign(values.astype(np.int64 if dtype is None and values.dtype.kind == "i" else
                                np.dtype(str(to_type(dtype or "float32"))[len("paddle."):])))


def cast(x, dtype):
    """Converts to another type."""
    kind = to_type(dtype)
    return LayerHelper("cast").append("cast", {"X": x}, {"in_dtype": int(x.dtype), "out_dtype": int(kind)})


def of_type(x, dtype):
    """The variable, cast if it is of another type; None: as it is."""
    return x if dtype is None or to_type(dtype) == x.dtype else cast(x, dtype)


def assign(x, output=None):
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


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter that belongs to no layer."""
    attr = ParamAttr._to_attr(attr)
    if name is not None and attr.name is None:
        attr.name = name
    return LayerHelper("create_parameter").create_parameter(attr, shape, dtype, is_bias, default_initializer)


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable that keeps its value between runs."""
    return make_persistable(name or unique_name.generate("global_var"), shape, to_type(dtype), value)
