# SPDX-License-Identifier: MIT
"""Arithmetic, functions, comparisons, reductions and products."""
from __future__ import annotations

from ..dtypes import to_type
from ..helper import LayerHelper
from ..variable import Variable
from .creation import assign, of_type
from ..typed import ActivationLike, AxisLike, DTypeLike, NumberLike, TensorLike

__all__ = ["abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "exp", "floor", "log", "log10", "log1p", "log2",
           "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "add",
           "subtract", "multiply", "divide", "maximum", "minimum", "mod", "remainder", "floor_divide", "equal", "not_equal",
           "less_than", "less_equal", "greater_than", "greater_equal", "logical_and", "logical_or", "logical_xor",
           "logical_not", "pow", "scale", "add_n", "sum", "mean", "max", "min", "prod", "all", "any", "logsumexp", "argmax",
           "argmin", "cumsum", "matmul", "mm", "bmm", "dot", "norm", "dist", "clip", "isnan", "stanh"]


def _unary(name):
    def function(x, name=None):
        return LayerHelper(function.__name__).append(function.__name__, {"X": x})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element."
    return function


def _binary(name, op):
    def function(x, y, name=None):
        return LayerHelper(op).append(op, {"X": x, "Y": y}, {"axis": -1})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} element by element, broadcast as numpy does."
    return function


abs, acos, asin, atan, ceil, cos, cosh, erf, exp, floor, log, log10 = map(
    _unary, "abs acos asin atan ceil cos cosh erf exp floor log log10".split())
log1p, log2, reciprocal, round, rsqrt, sigmoid, sign, sin, sinh, sqrt, square, tan, tanh = map(
    _unary, "log1p log2 reciprocal round rsqrt sigmoid sign sin sinh sqrt square tan tanh".split())

add = _binary("add", "elementwise_add")
subtract = _binary("subtract", "elementwise_sub")
multiply = _binary("multiply", "elementwise_mul")
divide = _binary("divide", "elementwise_div")
maximum = _binary("maximum", "elementwise_max")
minimum = _binary("minimum", "elementwise_min")
mod = _binary("mod", "elementwise_mod")
remainder = _binary("remainder", "elementwise_mod")
floor_divide = _binary("floor_divide", "elementwise_floordiv")
equal = _binary("equal", "equal")
not_equal = _binary("not_equal", "not_equal")
less_than = _binary("less_than", "less_than")
less_equal = _binary("less_equal", "less_equal")
greater_than = _binary("greater_than", "greater_than")
greater_equal = _binary("greater_equal", "greater_equal")
logical_and = _binary("logical_and", "logical_and")
logical_or = _binary("logical_or", "logical_or")
logical_xor = _binary("logical_xor", "logical_xor")


def logical_not(x: TensorLike, out: TensorLike | None = None, name: str | None = None) -> TensorLike:
    """The opposite of each element."""
    made = LayerHelper("logical_not").append("logical_not", {"X": x})
    return made if out is None else assign(made, out)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """x to the power of y."""
    if isinstance(y, Variable):
        return LayerHelper("elementwise_pow").append("elementwise_pow", {"X": x, "Y": y}, {"axis": -1})
    return LayerHelper("pow").append("pow", {"X": x}, {"factor": float(y)})


def scale(x: TensorLike, scale: TensorLike = 1.0, bias: TensorLike = 0.0, bias_after_scale: bool = True,
          act: ActivationLike = None, name: str | None = None) -> TensorLike:
    """scale * x + bias, or scale * (x + bias)."""
    helper = LayerHelper("scale", name)
    inputs, attrs = {"X": x}, {"bias": float(bias), "bias_after_scale": bool(bias_after_scale)}
    if isinstance(scale, Variable):
        inputs["ScaleTensor"] = scale
    else:
        attrs["scale"] = float(scale)
    return helper.append_activation(helper.append("scale", inputs, attrs), act)


def stanh(x: TensorLike, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> TensorLike:
    """scale_b * tanh(scale_a * x)."""
    return LayerHelper("stanh").append("stanh", {"X": x}, {"scale_a": float(scale_a), "scale_b": float(scale_b)})


def add_n(inputs: TensorLike, name: str | None = None) -> TensorLike:
    """The sum of several tensors."""
    return LayerHelper("sum").append("sum", {"X": inputs if isinstance(inputs, (list, tuple)) else [inputs]})


def clip(x: TensorLike, min: NumberLike | None = None, max: NumberLike | None = None, name: str | None = None) -> TensorLike:
    """min and max: numbers, or tensors of one."""
    bounds = {"Min": (min, -3.4028235e38), "Max": (max, 3.4028235e38)}
    tensors = {slot: value for slot, (value, _) in bounds.items() if isinstance(value, Variable)}
    return LayerHelper("clip").append("clip", {"X": x, **tensors}, {
        slot.lower(): float(other if value is None or slot in tensors else value) for slot, (value, other) in bounds.items()})


def isnan(x: TensorLike, name: str | None = None) -> TensorLike:
    """Whether each element is not a number."""
    return LayerHelper("isnan").append("not_equal", {"X": x, "Y": x}, {"axis": -1})


def _reduction(op, x, axis, keepdim, **attrs):
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return LayerHelper(op).append(op, {"X": x}, {"dim": axes or [0], "keep_dim": bool(keepdim), "reduce_all": not axes,
                                                 **attrs})


def sum(x: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None, keepdim: bool = False,
        name: str | None = None) -> TensorLike:
    """The sum along axes."""
    return _reduction("reduce_sum", of_type(x, dtype), axis, keepdim)


def mean(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """The mean along axes."""
    return _reduction("reduce_mean", x, axis, keepdim)


def max(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """The largest element along axes."""
    return _reduction("reduce_max", x, axis, keepdim)


def min(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """The smallest element along axes."""
    return _reduction("reduce_min", x, axis, keepdim)


def prod(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, dtype: DTypeLike | None = None,
         name: str | None = None) -> TensorLike:
    """The product along axes."""
    return _reduction("reduce_prod", of_type(x, dtype), axis, keepdim)


def all(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """Whether all elements along axes are true."""
    return _reduction("reduce_all", x, axis, keepdim)


def any(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """Whether any element along axes is true."""
    return _reduction("reduce_any", x, axis, keepdim)


def logsumexp(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, name: str | None = None) -> TensorLike:
    """The logarithm of the sum of exponentials along axes."""
    axes = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return LayerHelper("logsumexp").append("logsumexp", {"X": x}, {"axis": axes or [0], "keepdim": bool(keepdim),
                                                                   "reduce_all": not axes})


def _place(op, x, axis, keepdim, dtype):
    attrs = {"axis": 0 if axis is None else int(axis), "flatten": axis is None, "keepdims": bool(keepdim),
             "dtype": int(to_type(dtype))}
    return LayerHelper(op).append(op, {"X": x}, attrs, stop_gradient=True)


def argmax(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, dtype: DTypeLike = "int64",
           name: str | None = None) -> TensorLike:
    """Where the largest element along an axis is."""
    return _place("arg_max", x, axis, keepdim, dtype)


def argmin(x: TensorLike, axis: AxisLike | None = None, keepdim: bool = False, dtype: DTypeLike = "int64",
           name: str | None = None) -> TensorLike:
    """Where the smallest element along an axis is."""
    return _place("arg_min", x, axis, keepdim, dtype)


def cumsum(x: TensorLike, axis: AxisLike | None = None, dtype: DTypeLike | None = None, name: str | None = None, *,
           exclusive: bool = False, reverse: bool = False) -> TensorLike:
    """exclusive: of what stands before; reverse: from the end."""
    attrs: "dict[str, object]" = {"flatten": True} if axis is None else {"axis": int(axis)}
    attrs.update(exclusive=bool(exclusive), reverse=bool(reverse))
    return LayerHelper("cumsum").append("cumsum", {"X": of_type(x, dtype)}, attrs)


def matmul(x: TensorLike, y: TensorLike, transpose_x: bool = False, transpose_y: bool = False,
           name: str | None = None) -> TensorLike:
    """Products of matrices, with broadcast batches."""
    return LayerHelper("matmul_v2").append("matmul_v2", {"X": x, "Y": y}, {"trans_x": bool(transpose_x),
                                                                          "trans_y": bool(transpose_y)})


def mm(input: TensorLike, mat2: TensorLike, name: str | None = None) -> TensorLike:
    """The product of two matrices."""
    return matmul(input, mat2)


def bmm(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """Products of matrices, batch by batch."""
    return LayerHelper("bmm").append("bmm", {"X": x, "Y": y})


def dot(x: TensorLike, y: TensorLike, name: str | None = None) -> TensorLike:
    """The sum of products along the last dimension."""
    return LayerHelper("dot").append("dot", {"X": x, "Y": y})


def norm(x: TensorLike, p: NumberLike = "fro", axis: AxisLike | None = None, keepdim: bool = False,
         name: str | None = None) -> TensorLike:
    """A norm along axes."""
    order = 2.0 if p == "fro" else float(p)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, (list, tuple)):  # of matrices: only the Frobenius norm is one of their elements
        if p != "fro":
            raise NotImplementedError(f"paddle.norm(p={p!r}, axis={list(axis)}) of matrices is not there: use p='fro', or one "
                                      "axis.")
        return sqrt(sum(x * x, list(axis), keepdim=keepdim))
    attrs = {"porder": order, "axis": -1 if axis is None else int(axis), "keepdim": bool(keepdim), "epsilon": 1e-12,
             "asvector": axis is None}
    return LayerHelper("p_norm").append("p_norm", {"X": x}, attrs)


def dist(x: TensorLike, y: TensorLike, p: NumberLike = 2, name: str | None = None) -> TensorLike:
    """The p-norm of the difference."""
    return LayerHelper("dist").append("dist", {"X": x, "Y": y}, {"p": float(p)})
