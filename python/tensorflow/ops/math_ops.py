# SPDX-License-Identifier: MIT
"""Arithmetic, comparisons, functions of one tensor, reductions, products."""
import numpy as np

from tensorflow.framework import dtypes, late
from tensorflow.framework.dispatch import apply, same_type
from tensorflow.framework.tensors import EagerTensor, SymbolicTensor, Tensor, constant_value, convert_to_tensor
from tensorflow.framework.variables import Variable


def _unary(op, name):
    def function(x, name=None):
        return apply(op, [convert_to_tensor(x)], name=name)
    function.__name__ = name
    return function


def _binary(op, name):
    def function(x, y, name=None):
        x, y = same_type(x, y)
        return apply(op, [x, y], name=name)
    function.__name__ = name
    return function


def _floats(op, name):
    """Of floating point only, as TensorFlow has it."""
    def function(x, name=None):
        x = convert_to_tensor(x)
        if not x.dtype.is_floating:
            raise TypeError(f"{name}: x is of type {x.dtype.name}; it must be floating point. Use tf.cast.")
        return apply(op, [x], name=name)
    function.__name__ = name
    return function


_UNARY = {"abs": "Abs", "negative": "Neg", "sign": "Sign", "floor": "Floor", "square": "Square",
          "logical_not": "LogicalNot", "round": "Round", "ceil": "Ceil", "rint": "Rint"}
_FLOATS = {"exp": "Exp", "log": "Log", "log1p": "Log1p", "expm1": "Expm1", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "sin": "Sin",
           "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh",
           "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "erfc": "Erfc",
           "sigmoid": "Sigmoid", "softplus": "Softplus", "reciprocal": "Reciprocal", "is_nan": "IsNan", "is_inf": "IsInf",
           "is_finite": "IsFinite"}
_BINARY = {"subtract": "Sub", "multiply": "Mul", "add": "AddV2", "maximum": "Maximum", "minimum": "Minimum",
           "atan2": "Atan2", "less": "Less", "less_equal": "LessEqual", "greater": "Greater",
           "greater_equal": "GreaterEqual", "equal": "Equal", "not_equal": "NotEqual", "logical_and": "LogicalAnd",
           "logical_or": "LogicalOr", "logical_xor": "LogicalXor", "floordiv": "FloorDiv", "floormod": "FloorMod",
           "squared_difference": "SquaredDifference", "divide_no_nan": "DivNoNan", "multiply_no_nan": "MulNoNan"}
for _name, _op in _UNARY.items():
    globals()[_name] = _unary(_op, _name)
for _name, _op in _FLOATS.items():
    globals()[_name] = _floats(_op, _name)
for _name, _op in _BINARY.items():
    globals()[_name] = _binary(_op, _name)
mod = floormod  # noqa: F821
ceil = globals()["ceil"]


def pow(x, y, name=None):
    x, y = same_type(x, y)
    return apply("Pow", [x, y], name=name)


def divide(x, y, name=None):
    return truediv(x, y, name)


def truediv(x, y, name=None):
    """Of integers in floating point."""
    x, y = same_type(x, y)
    if x.dtype.is_integer:
        kind = dtypes.float32 if x.dtype.size < 4 else dtypes.float64
        x, y = cast(x, kind), cast(y, kind)
    return apply("RealDiv", [x, y], name=name)


def realdiv(x, y, name=None):
    x, y = same_type(x, y)
    return apply("RealDiv", [x, y], name=name)


def cast(x, dtype, name=None):
    dtype = dtypes.as_dtype(dtype)
    x = convert_to_tensor(x)
    return x if x.dtype is dtype else apply("Cast", [x], {"DstT": dtype}, out_types=[dtype], name=name)


def saturate_cast(value, dtype, name=None):
    dtype = dtypes.as_dtype(dtype)
    value = convert_to_tensor(value)
    low, high = (value.dtype.as_numpy_dtype(v) for v in (dtype.min, dtype.max))
    return cast(clip_by_value(value, low, high), dtype, name)


def to_float(x, name=None):
    return cast(x, dtypes.float32, name)


def to_int32(x, name=None):
    return cast(x, dtypes.int32, name)


def identity(input, name=None):
    return apply("Identity", [convert_to_tensor(input)], name=name)


def stop_gradient(input, name=None):
    return apply("StopGradient", [convert_to_tensor(input)], name=name)


def add_n(inputs, name=None):
    return apply("AddN", list(inputs), name=name)


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    t, low = same_type(t, clip_value_min)
    _, high = same_type(t, clip_value_max)
    return apply("ClipByValue", [t, low, high], name=name)


def clip_by_norm(t, clip_norm, axes=None, name=None):
    t = convert_to_tensor(t)
    norm = sqrt(reduce_sum(multiply(t, t), axes, keepdims=True))  # noqa: F821
    return divide(multiply(t, clip_norm), maximum(norm, clip_norm))  # noqa: F821


def global_norm(t_list, name=None):
    total = add_n([reduce_sum(square(t)) for t in t_list if t is not None])  # noqa: F821
    return sqrt(total)  # noqa: F821


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    norm = global_norm(t_list) if use_norm is None else use_norm
    scale = divide(clip_norm, maximum(norm, clip_norm))  # noqa: F821
    return [None if t is None else multiply(t, scale) for t in t_list], norm  # noqa: F821


def _reduce(op):
    def function(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None, reduction_indices=None):
        x = convert_to_tensor(input_tensor)
        axis = reduction_indices if axis is None else axis
        return apply(op, [x, _axes(x, axis)], {"keep_dims": bool(keepdims if keep_dims is None else keep_dims)}, name=name)
    function.__name__ = "reduce_" + op.lower()
    return function


def _axes(x, axis):
    if axis is None:
        if x.shape.rank is None:
            raise ValueError("A tensor of unknown rank cannot be reduced.")
        return np.arange(x.shape.rank, dtype=np.int32)
    return np.atleast_1d(np.asarray(constant_value(axis) if isinstance(axis, Tensor) else axis, np.int32))


reduce_sum, reduce_max, reduce_min, reduce_prod = map(_reduce, ("Sum", "Max", "Min", "Prod"))
reduce_all, reduce_any, reduce_logsumexp, reduce_euclidean_norm = map(_reduce, ("All", "Any", "LogSumExp", "EuclideanNorm"))


def reduce_mean(input_tensor, axis=None, keepdims=False, name=None, keep_dims=None, reduction_indices=None):
    x = convert_to_tensor(input_tensor)
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims if keep_dims is None else keep_dims)
    if x.dtype.is_integer:  # towards zero, as TensorFlow
        return cast(apply("Mean", [cast(x, dtypes.float32), _axes(x, axis)], {"keep_dims": keep}), x.dtype)
    return apply("Mean", [x, _axes(x, axis)], {"keep_dims": keep}, name=name)


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    x = convert_to_tensor(input_tensor)
    mean = reduce_mean(x, axis, keepdims=True)
    return reduce_mean(square(subtract(x, mean)), axis, keepdims)  # noqa: F821


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    return sqrt(reduce_variance(input_tensor, axis, keepdims))  # noqa: F821


def count_nonzero(input, axis=None, keepdims=None, dtype=dtypes.int64, name=None):
    return reduce_sum(cast(not_equal(input, 0), dtype), axis, bool(keepdims))  # noqa: F821


def argmax(input, axis=None, output_type=dtypes.int64, name=None, dimension=None):
    x = convert_to_tensor(input)
    axis = (0 if dimension is None else dimension) if axis is None else axis
    return apply("ArgMax", [x, np.int32(axis)], out_types=[dtypes.as_dtype(output_type)], name=name)


def argmin(input, axis=None, output_type=dtypes.int64, name=None, dimension=None):
    x = convert_to_tensor(input)
    axis = (0 if dimension is None else dimension) if axis is None else axis
    return apply("ArgMin", [x, np.int32(axis)], out_types=[dtypes.as_dtype(output_type)], name=name)


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    return apply("Cumsum", [convert_to_tensor(x), np.int32(axis)], {"exclusive": exclusive, "reverse": reverse}, name=name)


def top_k(input, k=1, sorted=True, name=None):
    import collections
    values, indices = apply("TopKV2", [convert_to_tensor(input), np.int32(k)], outputs=2,
                            out_types=[None, dtypes.int32], name=name)
    return collections.namedtuple("TopKV2", "values indices")(values, indices)


def in_top_k(targets, predictions, k, name=None):
    return apply("InTopKV2", [convert_to_tensor(predictions), convert_to_tensor(targets)], {"k": int(k)}, name=name)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False,
           b_is_sparse=False, output_type=None, name=None):
    a, b = same_type(a, b)
    turn_a, turn_b = bool(transpose_a or adjoint_a), bool(transpose_b or adjoint_b)
    if a.shape.rank == 2 and b.shape.rank == 2:
        return apply("MatMul", [a, b], {"transpose_a": turn_a, "transpose_b": turn_b}, name=name)
    return apply("BatchMatMulV2", [a, b], {"adj_x": turn_a, "adj_y": turn_b}, name=name)


def einsum(equation, *inputs, **kwargs):
    return apply("Einsum", [convert_to_tensor(t) for t in inputs], {"equation": equation.replace(" ", "")})


def tensordot(a, b, axes, name=None):
    from tensorflow.ops import array_ops
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


def where(condition, x=None, y=None, name=None):
    condition = convert_to_tensor(condition)
    if x is None and y is None:
        known = constant_value(condition)
        if known is None:
            raise ValueError("tf.where without x and y gives a shape that is only known at run time, which the IPU does "
                             "not have.")
        return EagerTensor(np.argwhere(known).astype(np.int64))
    x, y = same_type(x, y)
    return apply("SelectV2", [condition, x, y], name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    return add_n(inputs, name)


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    return apply("UnsortedSegmentSum", [convert_to_tensor(data), convert_to_tensor(segment_ids)],
                 {"num_segments": int(num_segments)}, name=name)


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    x = convert_to_tensor(x)
    total = reduce_sum(square(x), dim if axis is None else axis, keepdims=True)  # noqa: F821
    return multiply(x, rsqrt(maximum(total, epsilon)))  # noqa: F821


def norm(tensor, ord="euclidean", axis=None, keepdims=False, name=None):
    x = convert_to_tensor(tensor)
    if ord in ("euclidean", "fro", 2):
        return sqrt(reduce_sum(square(x), axis, keepdims))  # noqa: F821
    if ord == 1:
        return reduce_sum(abs(x), axis, keepdims)  # noqa: F821
    if ord == np.inf:
        return reduce_max(abs(x), axis, keepdims)  # noqa: F821
    raise ValueError(f"'ord' must be 'euclidean', 'fro', 1, 2 or np.inf, not {ord!r}.")


def _set_operators():
    g = globals()
    plain = {"add": g["add"], "sub": g["subtract"], "mul": g["multiply"], "truediv": truediv, "floordiv": g["floordiv"],
             "mod": g["floormod"], "pow": pow, "matmul": matmul, "and": g["logical_and"], "or": g["logical_or"],
             "xor": g["logical_xor"]}
    compared = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
    for kind in (Tensor, Variable):
        for name, function in plain.items():
            setattr(kind, f"__{name}__", _method(function))
            setattr(kind, f"__r{name}__", _method(function, True))
        for name, function in compared.items():
            setattr(kind, f"__{name}__", _method(g[function], guard=name in ("eq", "ne")))
        kind.__neg__ = lambda self: g["negative"](self)
        kind.__abs__ = lambda self: g["abs"](self)
        kind.__invert__ = lambda self: g["logical_not"](self)
        kind.__hash__ = lambda self: id(self)
    SymbolicTensor.__hash__ = EagerTensor.__hash__ = lambda self: id(self)


def _method(function, turned=False, guard=False):
    def method(self, other):
        if guard and other is None or isinstance(other, str):
            return NotImplemented
        return function(other, self) if turned else function(self, other)
    return method


names = [*_UNARY, *_FLOATS, *_BINARY] + """mod pow divide truediv realdiv cast saturate_cast to_float to_int32 identity
stop_gradient add_n clip_by_value clip_by_norm global_norm clip_by_global_norm reduce_sum reduce_max reduce_min reduce_prod
reduce_all reduce_any reduce_logsumexp reduce_euclidean_norm reduce_mean reduce_variance reduce_std count_nonzero argmax argmin
cumsum top_k in_top_k matmul einsum tensordot where accumulate_n unsorted_segment_sum l2_normalize norm""".split()
late.wrap(globals(), names)
_set_operators()
