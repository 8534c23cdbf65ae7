# SPDX-License-Identifier: MIT
"""Arithmetic, comparisons, functions of one tensor, reductions, products."""
from __future__ import annotations

import collections
import math
from typing import Any, Sequence

import numpy as np

from tensorflow.framework import dtypes, late
from tensorflow.framework.dispatch import apply, same_type
from tensorflow.framework.facts import operation
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.typed import AxisLike, DTypeLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops import array_ops
from tensorflow.ops.array_ops import cast


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _unary(name, op, text, numpy, keeps_order=False):
    """A function of one tensor, what it says of itself, and the row of its operation."""
    operation(op, numpy, keeps_order=keeps_order)

    def function(x, name=None):
        return apply(op, [convert_to_tensor(x)], name=name)
    function.__name__, function.__doc__ = name, text
    return function


def _binary(name, op, text, numpy, keeps_order=False):
    operation(op, numpy, keeps_order=keeps_order)

    def function(x, y, name=None):
        x, y = same_type(x, y)
        return apply(op, [x, y], name=name)
    function.__name__, function.__doc__ = name, text
    return function


def _floats(name, op, text, numpy, keeps_order=False):
    """Of floating point only, as TensorFlow has it."""
    operation(op, numpy, keeps_order=keeps_order)
    own = name

    def function(x, name=None):
        x = convert_to_tensor(x)
        if not x.dtype.is_floating:
            raise TypeError(f"{own}: x is of type {x.dtype.name}; it must be floating point. Use tf.cast.")
        return apply(op, [x], name=name)
    function.__name__, function.__doc__ = name, text
    return function


def _sigmoid(x):
    return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def _div_no_nan(a, b):
    return np.where(b == 0, np.zeros((), b.dtype), a / np.where(b == 0, np.ones((), b.dtype), b)).astype(b.dtype)


abs = _unary("abs", "Abs", "The absolute values.", np.abs, True)
negative = _unary("negative", "Neg", "-x.", np.negative, True)
sign = _unary("sign", "Sign", "-1, 0 or 1.", np.sign)
floor = _unary("floor", "Floor", "Rounded down.", np.floor)
ceil = _unary("ceil", "Ceil", "Rounded up.", np.ceil)
round = _unary("round", "Round", "Rounded to the nearest integer, halves to the even one.", np.rint)
rint = _unary("rint", "Rint", "Rounded to the nearest integer, halves to the even one.", np.rint)
square = _unary("square", "Square", "x squared.", np.square, True)
logical_not = _unary("logical_not", "LogicalNot", "Whether x is false.", np.logical_not)
exp = _floats("exp", "Exp", "e to the power of x.", np.exp, True)
log = _floats("log", "Log", "The natural logarithm.", np.log, True)
log1p = _floats("log1p", "Log1p", "log(1 + x), exact for small x.", np.log1p)
expm1 = _floats("expm1", "Expm1", "exp(x) - 1, exact for small x.", np.expm1)
sqrt = _floats("sqrt", "Sqrt", "The square root.", np.sqrt, True)
rsqrt = _floats("rsqrt", "Rsqrt", "1 / sqrt(x).", lambda x: (1 / np.sqrt(x)).astype(x.dtype), True)
sin = _floats("sin", "Sin", "The sine of x in radians.", np.sin)
cos = _floats("cos", "Cos", "The cosine of x in radians.", np.cos)
tan = _floats("tan", "Tan", "The tangent of x in radians.", np.tan)
asin = _floats("asin", "Asin", "The angle in radians that has the sine x.", np.arcsin)
acos = _floats("acos", "Acos", "The angle in radians that has the cosine x.", np.arccos)
atan = _floats("atan", "Atan", "The angle in radians that has the tangent x.", np.arctan)
sinh = _floats("sinh", "Sinh", "The hyperbolic sine.", np.sinh)
cosh = _floats("cosh", "Cosh", "The hyperbolic cosine.", np.cosh)
tanh = _floats("tanh", "Tanh", "The hyperbolic tangent.", np.tanh, True)
asinh = _floats("asinh", "Asinh", "The inverse of sinh.", np.arcsinh)
acosh = _floats("acosh", "Acosh", "The inverse of cosh.", np.arccosh)
atanh = _floats("atanh", "Atanh", "The inverse of tanh.", np.arctanh)
erf = _floats("erf", "Erf", "The Gauss error function.", lambda x: _erf(x).astype(x.dtype), True)
erfc = _floats("erfc", "Erfc", "1 - erf(x).", lambda x: _erfc(x).astype(x.dtype))
sigmoid = _floats("sigmoid", "Sigmoid", "1 / (1 + exp(-x)).", _sigmoid, True)
softplus = _floats("softplus", "Softplus", "log(1 + exp(x)).",
                   lambda x: np.logaddexp(x, np.zeros((), x.dtype)).astype(x.dtype), True)
reciprocal = _floats("reciprocal", "Reciprocal", "1 / x.", np.reciprocal)
is_nan = _floats("is_nan", "IsNan", "Whether x is not a number.", np.isnan)
is_inf = _floats("is_inf", "IsInf", "Whether x is infinite.", np.isinf)
is_finite = _floats("is_finite", "IsFinite", "Whether x is neither infinite nor NaN.", np.isfinite)
add = _binary("add", "AddV2", "x + y.", np.add, True)
subtract = _binary("subtract", "Sub", "x - y.", np.subtract, True)
multiply = _binary("multiply", "Mul", "x y, element by element.", np.multiply, True)
maximum = _binary("maximum", "Maximum", "The larger of x and y.", np.maximum, True)
minimum = _binary("minimum", "Minimum", "The smaller of x and y.", np.minimum, True)
atan2 = _binary("atan2", "Atan2", "The angle in radians of the point (y, x); the first argument is the ordinate.", np.arctan2)
less = _binary("less", "Less", "Whether x < y.", np.less)
less_equal = _binary("less_equal", "LessEqual", "Whether x <= y.", np.less_equal)
greater = _binary("greater", "Greater", "Whether x > y.", np.greater)
greater_equal = _binary("greater_equal", "GreaterEqual", "Whether x >= y.", np.greater_equal)
equal = _binary("equal", "Equal", "Whether x = y.", np.equal)
not_equal = _binary("not_equal", "NotEqual", "Whether x and y differ.", np.not_equal)
logical_and = _binary("logical_and", "LogicalAnd", "Whether both are true.", np.logical_and)
logical_or = _binary("logical_or", "LogicalOr", "Whether at least one is true.", np.logical_or)
logical_xor = _binary("logical_xor", "LogicalXor", "Whether exactly one is true.", np.logical_xor)
floordiv = _binary("floordiv", "FloorDiv", "x / y, rounded down.", np.floor_divide)
floormod = _binary("floormod", "FloorMod", "What is left of x / y; it has the sign of y.", np.mod)
squared_difference = _binary("squared_difference", "SquaredDifference", "(x - y)^2.", lambda a, b: np.square(a - b))
divide_no_nan = _binary("divide_no_nan", "DivNoNan", "x / y, and 0 where y is 0.", _div_no_nan)
multiply_no_nan = _binary("multiply_no_nan", "MulNoNan", "x y, and 0 where y is 0, even if x is NaN or infinite.",
                          lambda a, b: np.where(b == 0, np.zeros((), b.dtype), a * b))
mod = floormod
operation("Add", np.add, keeps_order=True)
operation("Pow", np.power)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power of y."""
    x, y = same_type(x, y)
    return apply("Pow", [x, y], name=name)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y."""
    return truediv(x, y, name)


def _division(a, b):
    return a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype)


operation("RealDiv", _division, keeps_order=True)
operation("Div", _division)


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Of integers in floating point."""
    x, y = same_type(x, y)
    if x.dtype.is_integer:
        kind = dtypes.float32 if x.dtype.size < 4 else dtypes.float64
        x, y = cast(x, kind), cast(y, kind)
    return apply("RealDiv", [x, y], name=name)


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y."""
    x, y = same_type(x, y)
    return apply("RealDiv", [x, y], name=name)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts to another type; what does not fit becomes the nearest value that does."""
    dtype = dtypes.as_dtype(dtype)
    value = convert_to_tensor(value)
    low, high = (value.dtype.as_numpy_dtype(v) for v in (dtype.min, dtype.max))
    return cast(clip_by_value(value, low, high), dtype, name)


def to_float(x: TensorLike, name: str | None = None) -> Any:
    """Converts to float32."""
    return cast(x, dtypes.float32, name)


def to_int32(x: TensorLike, name: str | None = None) -> Any:
    """Converts to int32."""
    return cast(x, dtypes.int32, name)


operation("Identity", lambda x: x, keeps_order=True)
operation("StopGradient", lambda x: x, keeps_order=True)
operation("AddN", lambda *parts: sum(parts[1:], parts[0]))
operation("ClipByValue", lambda x, low, high: np.minimum(np.maximum(x, low), high), keeps_order=True)


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor itself."""
    return apply("Identity", [convert_to_tensor(input)], name=name)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor; no gradient goes through."""
    return apply("StopGradient", [convert_to_tensor(input)], name=name)


def add_n(inputs: TensorLike, name: str | None = None) -> Tensor:
    """The sum of several tensors."""
    return apply("AddN", list(inputs), name=name)


def clip_by_value(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Tensor:
    """Brings elements into an interval."""
    t, low = same_type(t, clip_value_min)
    _, high = same_type(t, clip_value_max)
    return apply("ClipByValue", [t, low, high], name=name)


def clip_by_norm(t: TensorLike, clip_norm: float, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Scaled so that the norm is at most clip_norm."""
    t = convert_to_tensor(t)
    norm = sqrt(reduce_sum(multiply(t, t), axes, keepdims=True))
    return divide(multiply(t, clip_norm), maximum(norm, clip_norm))


def global_norm(t_list: Sequence, name: str | None = None) -> Tensor:
    """The root of the sum of squares of all tensors."""
    total = add_n([reduce_sum(square(t)) for t in t_list if t is not None])
    return sqrt(total)


def clip_by_global_norm(t_list: Sequence, clip_norm: float, use_norm: Any = None, name: str | None = None) -> tuple:
    """Tensors scaled together so that their common norm is at most clip_norm; and that norm."""
    norm = global_norm(t_list) if use_norm is None else use_norm
    scale = divide(clip_norm, maximum(norm, clip_norm))
    return [None if t is None else multiply(t, scale) for t in t_list], norm


def _over(numpy):
    """A reduction by numpy, of an array and its axes."""
    def run(x, axes, keep_dims=False):
        if x.ndim == 0:
            return x
        return numpy(x, axis=tuple(int(a) for a in np.atleast_1d(axes)), keepdims=keep_dims).astype(x.dtype, copy=False)
    return run


def log_sum_exp(x, axis, keepdims):
    """Of arrays."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    out = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return out if keepdims else np.squeeze(out, axis)


def _reduce(op, text, numpy):
    operation(op, _over(numpy), (1,))

    def function(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None, reduction_indices=None):
        x = convert_to_tensor(input_tensor)
        axis = reduction_indices if axis is None else axis
        return apply(op, [x, _axes(x, axis)], {"keep_dims": bool(keepdims if keep_dims is None else keep_dims)}, name=name)
    function.__name__, function.__doc__ = "reduce_" + op.lower(), text
    return function


def _axes(x, axis):
    if axis is None:
        if x.shape.rank is None:
            raise ValueError("A tensor of unknown rank cannot be reduced.")
        return np.arange(x.shape.rank, dtype=np.int32)
    return np.atleast_1d(np.asarray(constant_value(axis) if isinstance(axis, Tensor) else axis, np.int32))


reduce_sum = _reduce("Sum", "The sum over axes, over all if none are given.", np.sum)
reduce_max = _reduce("Max", "The largest element over axes.", np.max)
reduce_min = _reduce("Min", "The smallest element over axes.", np.min)
reduce_prod = _reduce("Prod", "The product over axes.", np.prod)
reduce_all = _reduce("All", "Whether all elements over axes are true.", np.all)
reduce_any = _reduce("Any", "Whether an element over axes is true.", np.any)
reduce_logsumexp = _reduce("LogSumExp", "log(sum(exp(x))) over axes, without overflow.", log_sum_exp)
reduce_euclidean_norm = _reduce("EuclideanNorm", "The square root of the sum of squares over axes.",
                                lambda x, axis, keepdims: np.sqrt(np.sum(np.square(x), axis, keepdims=keepdims)))
operation("Mean", _over(np.mean), (1,))


def reduce_mean(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None,
                keep_dims: bool | None = None, reduction_indices: AxisLike | None = None) -> Tensor:
    """The mean along axes."""
    x = convert_to_tensor(input_tensor)
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims if keep_dims is None else keep_dims)
    if x.dtype.is_integer:  # towards zero, as TensorFlow
        return cast(apply("Mean", [cast(x, dtypes.float32), _axes(x, axis)], {"keep_dims": keep}), x.dtype)
    return apply("Mean", [x, _axes(x, axis)], {"keep_dims": keep}, name=name)


def reduce_variance(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False,
                    name: str | None = None) -> Tensor:
    """The variance along axes."""
    x = convert_to_tensor(input_tensor)
    mean = reduce_mean(x, axis, keepdims=True)
    return reduce_mean(square(subtract(x, mean)), axis, keepdims)


def reduce_std(input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False,
               name: str | None = None) -> Tensor:
    """The standard deviation along axes."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(input: TensorLike, axis: AxisLike | None = None, keepdims: bool | None = None,
                  dtype: DTypeLike = dtypes.int64, name: str | None = None) -> Tensor:
    """How many elements along axes are not zero."""
    return reduce_sum(cast(not_equal(input, 0), dtype), axis, bool(keepdims))


operation("ArgMax", lambda x, axis: np.argmax(x, int(axis)), (1,))
operation("ArgMin", lambda x, axis: np.argmin(x, int(axis)), (1,))


def argmax(input: TensorLike, axis: AxisLike | None = None, output_type: DTypeLike = dtypes.int64, name: str | None = None,
           dimension: AxisLike | None = None) -> Tensor:
    """Where the largest element along an axis is."""
    x = convert_to_tensor(input)
    axis = (0 if dimension is None else dimension) if axis is None else axis
    return apply("ArgMax", [x, np.int32(axis)], out_types=[dtypes.as_dtype(output_type)], name=name)


def argmin(input: TensorLike, axis: AxisLike | None = None, output_type: DTypeLike = dtypes.int64, name: str | None = None,
           dimension: AxisLike | None = None) -> Tensor:
    """Where the smallest element along an axis is."""
    x = convert_to_tensor(input)
    axis = (0 if dimension is None else dimension) if axis is None else axis
    return apply("ArgMin", [x, np.int32(axis)], out_types=[dtypes.as_dtype(output_type)], name=name)


def _cumsum(x, axis, exclusive=False, reverse=False):
    axis = int(axis)
    x = np.flip(x, axis) if reverse else x
    out = np.cumsum(x, axis, dtype=x.dtype)
    out = out - x if exclusive else out
    return np.flip(out, axis) if reverse else out


def _top_k(x, k, sorted=True):
    at = np.argsort(-x, -1, kind="stable")[..., :int(k)]
    return [np.take_along_axis(x, at, -1), at.astype(np.int32)]


operation("Cumsum", _cumsum, (1,))
operation("TopKV2", _top_k, (1,))


def cumsum(x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False,
           name: str | None = None) -> Tensor:
    """Running sums along an axis."""
    return apply("Cumsum", [convert_to_tensor(x), np.int32(axis)], {"exclusive": exclusive, "reverse": reverse}, name=name)


TopKV2 = collections.namedtuple("TopKV2", "values indices")


def top_k(input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The k largest elements of each row, and their indices."""
    values, indices = apply("TopKV2", [convert_to_tensor(input), np.int32(k)], outputs=2,
                            out_types=[None, dtypes.int32], name=name)
    return TopKV2(values, indices)


def in_top_k(targets: TensorLike, predictions: TensorLike, k: int, name: str | None = None) -> Tensor:
    """Whether the target is among the k largest predictions."""
    return apply("InTopKV2", [convert_to_tensor(predictions), convert_to_tensor(targets)], {"k": int(k)}, name=name)


def _matmul(a, b, transpose_a=False, transpose_b=False, adj_x=False, adj_y=False):
    a = np.swapaxes(a, -1, -2) if transpose_a or adj_x else a
    b = np.swapaxes(b, -1, -2) if transpose_b or adj_y else b
    return np.matmul(a, b)


operation("MatMul", _matmul)
operation("BatchMatMul", _matmul)
operation("BatchMatMulV2", _matmul)
operation("Einsum", lambda *parts, equation: np.einsum(equation, *parts))


def matmul(a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
           adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
           output_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Products of matrices, with broadcast batches."""
    a, b = same_type(a, b)
    turn_a, turn_b = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
    if a.shape.rank == 2 and b.shape.rank == 2:
        return apply("MatMul", [a, b], {"transpose_a": turn_a, "transpose_b": turn_b}, name=name)
    return apply("BatchMatMulV2", [a, b], {"adj_x": turn_a, "adj_y": turn_b}, name=name)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products, by Einstein's notation."""
    return apply("Einsum", [convert_to_tensor(t) for t in inputs], {"equation": equation.replace(" ", "")})


def tensordot(a: TensorLike, b: TensorLike, axes: AxisLike, name: str | None = None) -> Tensor:
    """Sums of products over axes of both."""
    a, b = same_type(a, b)
    if isinstance(axes, int):
        left, right = list(range(a.shape.rank - axes, a.shape.rank)), list(range(axes))
    else:
        left, right = ([v] if isinstance(v, int) else list(v) for v in axes)
    left, right = [x % a.shape.rank for x in left], [x % b.shape.rank for x in right]
    free_a = [d for d in range(a.shape.rank) if d not in left]
    free_b = [d for d in range(b.shape.rank) if d not in right]
    inner = int(np.prod([a.shape[d] for d in left], dtype=int))
    rows = array_ops.reshape(array_ops.transpose(a, free_a + left), [-1, inner])
    columns = array_ops.reshape(array_ops.transpose(b, right + free_b), [inner, -1])
    shape = [a.shape[d] for d in free_a] + [b.shape[d] for d in free_b]
    open_dims = [i for i, d in enumerate(shape) if d is None]
    if len(open_dims) > 1:
        raise ValueError("tensordot: more than one free dimension is not known.")
    return array_ops.reshape(matmul(rows, columns), [-1 if d is None else d for d in shape])


operation("SelectV2", lambda c, a, b: np.where(c, a, b))


def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None) -> Tensor:
    """x where the condition holds, else y; with the condition alone the indices where it does."""
    condition = convert_to_tensor(condition)
    if x is None and y is None:
        known = constant_value(condition)
        if known is None:
            raise ValueError("tf.where without x and y gives a shape that is only known at run time, which the IPU does "
                             "not have.")
        return EagerTensor(np.argwhere(known).astype(np.int64))
    x, y = same_type(x, y)
    return apply("SelectV2", [condition, x, y], name=name)


def accumulate_n(inputs: TensorLike, shape: ShapeLike | None = None, tensor_dtype: DTypeLike | None = None,
                 name: str | None = None) -> Tensor:
    """The sum of several tensors."""
    return add_n(inputs, name)


def _segment_sum(x, at, num_segments):
    out = np.zeros((num_segments, *x.shape[1:]), x.dtype)
    np.add.at(out, at, x)
    return out


operation("UnsortedSegmentSum", _segment_sum)


def unsorted_segment_sum(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike,
                         name: str | None = None) -> Tensor:
    """Rows with a negative number are left out."""
    data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    known = constant_value(segment_ids)
    if known is None or np.any(known < 0):
        kept = greater_equal(segment_ids, 0)
        for _ in range(data.shape.rank - 1):
            kept = array_ops.expand_dims(kept, -1)
        data = where(kept, data, convert_to_tensor(np.zeros((), data.dtype.as_numpy_dtype)))
        segment_ids = maximum(segment_ids, 0)
    return apply("UnsortedSegmentSum", [data, segment_ids], {"num_segments": int(num_segments)}, name=name)


def l2_normalize(x: TensorLike, axis: AxisLike | None = None, epsilon: float = 1e-12, name: str | None = None,
                 dim: AxisLike | None = None) -> Tensor:
    """Divides by the root of the sum of squares along axes."""
    x = convert_to_tensor(x)
    total = reduce_sum(square(x), dim if axis is None else axis, keepdims=True)
    return multiply(x, rsqrt(maximum(total, epsilon)))


def norm(tensor: TensorLike, ord: float | str = "euclidean", axis: AxisLike | None = None, keepdims: bool = False,
         name: str | None = None) -> Tensor:
    """A norm along axes."""
    x = convert_to_tensor(tensor)
    if ord in ("euclidean", "fro", 2):
        return sqrt(reduce_sum(square(x), axis, keepdims))
    if ord == 1:
        return reduce_sum(abs(x), axis, keepdims)
    if ord == np.inf:
        return reduce_max(abs(x), axis, keepdims)
    raise ValueError(f"'ord' must be 'euclidean', 'fro', 1, 2 or np.inf, not {ord!r}.")


def _set_operators():
    plain = {"add": add, "sub": subtract, "mul": multiply, "truediv": truediv, "floordiv": floordiv, "mod": floormod,
             "pow": pow, "matmul": matmul, "and": logical_and, "or": logical_or, "xor": logical_xor}
    compared = {"lt": less, "le": less_equal, "gt": greater, "ge": greater_equal, "eq": equal, "ne": not_equal}
    for kind in (Tensor, Variable):
        for name, function in plain.items():
            setattr(kind, f"__{name}__", _method(function))
            setattr(kind, f"__r{name}__", _method(function, True))
        for name, function in compared.items():
            setattr(kind, f"__{name}__", _method(function, guard=name in ("eq", "ne")))
        kind.__neg__ = lambda self: negative(self)
        kind.__abs__ = lambda self: abs(self)
        kind.__invert__ = lambda self: logical_not(self)
        kind.__hash__ = lambda self: id(self)
    SymbolicTensor.__hash__ = EagerTensor.__hash__ = lambda self: id(self)


def _method(function, turned=False, guard=False):
    def method(self, other):
        if guard and other is None or isinstance(other, str):
            return NotImplemented
        return function(other, self) if turned else function(self, other)
    return method


names = """abs negative sign floor ceil round rint square logical_not exp log log1p expm1 sqrt rsqrt sin cos tan asin acos
atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid softplus reciprocal is_nan is_inf is_finite add subtract multiply
maximum minimum atan2 less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor floordiv
floormod squared_difference divide_no_nan multiply_no_nan mod pow divide truediv realdiv cast saturate_cast to_float
to_int32 identity stop_gradient add_n clip_by_value clip_by_norm global_norm clip_by_global_norm reduce_sum reduce_max
reduce_min reduce_prod reduce_all reduce_any reduce_logsumexp reduce_euclidean_norm reduce_mean reduce_variance reduce_std
count_nonzero argmax argmin cumsum top_k in_top_k matmul einsum tensordot where accumulate_n unsorted_segment_sum
l2_normalize norm""".split()
late.wrap(globals(), names)
_set_operators()
