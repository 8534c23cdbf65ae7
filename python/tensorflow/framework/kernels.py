# SPDX-License-Identifier: MIT
"""Operations that numpy computes at once: elementwise, shapes, reductions. By name: a function of arrays and attributes.
All others run as a graph of one node (dispatch.py)."""
import numpy as np

_erf = np.vectorize(__import__("math").erf, otypes=[np.float64])
_erfc = np.vectorize(__import__("math").erfc, otypes=[np.float64])


def _quiet(function):
    def run(*args, **kwargs):
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)
    return run


def _axes(array, axes):
    return tuple(int(a) for a in np.atleast_1d(axes))


def _reduction(function):
    def run(x, axes, keep_dims=False):
        if x.ndim == 0:
            return x
        return function(x, axis=_axes(x, axes), keepdims=keep_dims).astype(x.dtype, copy=False)
    return run


def _log_sum_exp(x, axis, keepdims):
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    out = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return out if keepdims else np.squeeze(out, axis)


def _sigmoid(x):
    return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def _softplus(x):
    return np.logaddexp(x, np.zeros((), x.dtype)).astype(x.dtype)


def _softmax(x):
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return e / np.sum(e, -1, keepdims=True)


def _log_softmax(x):
    return x - _log_sum_exp(x, -1, True)


def _division(a, b):
    return a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype)


def _div_no_nan(a, b):
    return np.where(b == 0, np.zeros((), b.dtype), a / np.where(b == 0, np.ones((), b.dtype), b)).astype(b.dtype)


def _matmul(a, b, transpose_a=False, transpose_b=False, adj_x=False, adj_y=False):
    a = np.swapaxes(a, -1, -2) if transpose_a or adj_x else a
    b = np.swapaxes(b, -1, -2) if transpose_b or adj_y else b
    return np.matmul(a, b)


def _bias_add(x, b, data_format="NHWC"):
    return x + (b if data_format.endswith("C") else b.reshape((-1,) + (1,) * (x.ndim - 2)))


def _strided(x, begin, end, strides):
    return x[tuple(slice(b, None if e < 0 else e, s) for b, e, s in zip(begin, end, strides))]


def _slice(x, begin, size):
    return x[tuple(slice(int(b), x.shape[d] if s < 0 else int(b + s)) for d, (b, s) in enumerate(zip(begin, size)))]


def _squeeze(x, squeeze_dims=()):
    return np.squeeze(x, tuple(squeeze_dims) if squeeze_dims else None)


def _one_hot(indices, depth, on, off, axis=-1):
    out = np.where(np.expand_dims(indices, axis) == np.arange(depth).reshape(
        [-1 if d == (axis % (indices.ndim + 1)) else 1 for d in range(indices.ndim + 1)]), on, off)
    return out.astype(on.dtype)


def _cumsum(x, axis, exclusive=False, reverse=False):
    axis = int(axis)
    x = np.flip(x, axis) if reverse else x
    out = np.cumsum(x, axis, dtype=x.dtype)
    out = out - x if exclusive else out
    return np.flip(out, axis) if reverse else out


def _top_k(x, k, sorted=True):
    at = np.argsort(-x, -1, kind="stable")[..., :int(k)]
    return [np.take_along_axis(x, at, -1), at.astype(np.int32)]


def _gather(x, at, axis=0, batch_dims=0):
    if batch_dims:
        return np.stack([_gather(x[i], at[i], int(axis) - 1, batch_dims - 1) for i in range(len(x))])
    return np.take(x, at, int(axis))


def _gather_nd(x, at, batch_dims=0):
    if batch_dims:
        return np.stack([_gather_nd(x[i], at[i], batch_dims - 1) for i in range(len(x))])
    return x[tuple(np.moveaxis(at, -1, 0))]


def _scatter(add):
    def run(x, at, rows):
        out = x.copy()
        where = tuple(np.moveaxis(at, -1, 0))
        if add:
            np.add.at(out, where, rows)
        else:
            out[where] = rows
        return out
    return run


def _segment_sum(x, at, num_segments):
    out = np.zeros((num_segments, *x.shape[1:]), x.dtype)
    np.add.at(out, at, x)
    return out


def _split(axis, x, num_split):
    return np.split(x, num_split, int(axis))


def _split_v(x, sizes, axis):
    sizes = np.where(sizes < 0, x.shape[int(axis)] - sizes[sizes >= 0].sum(), sizes)
    return np.split(x, np.cumsum(sizes)[:-1], int(axis))


def _unpack(x, axis=0, num=None):
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


def _concat(*parts):
    return np.concatenate(parts[:-1], int(parts[-1]))


def _pad(x, pads, value=0):
    return np.pad(x, pads, constant_values=value)


def _mirror(x, pads, mode="REFLECT"):
    return np.pad(x, pads, mode=mode.lower())


def _cast(x, DstT):
    if x.dtype.kind == "f" and DstT._numpy.kind in "iu":
        x = np.trunc(x)
    return x.astype(DstT._numpy)


def _elementwise():
    f = np
    names = {"Abs": f.abs, "Neg": f.negative, "Exp": f.exp, "Log": f.log, "Log1p": f.log1p, "Expm1": f.expm1, "Sqrt": f.sqrt,
             "Sign": f.sign, "Floor": f.floor, "Ceil": f.ceil, "Sin": f.sin, "Cos": f.cos, "Tan": f.tan, "Asin": f.arcsin,
             "Acos": f.arccos, "Atan": f.arctan, "Sinh": f.sinh, "Cosh": f.cosh, "Tanh": f.tanh, "Asinh": f.arcsinh,
             "Acosh": f.arccosh, "Atanh": f.arctanh, "LogicalNot": f.logical_not, "Square": f.square, "IsNan": f.isnan,
             "IsInf": f.isinf, "IsFinite": f.isfinite, "Rint": f.rint, "Round": f.rint, "Reciprocal": f.reciprocal,
             "Sub": f.subtract, "Mul": f.multiply, "Pow": f.power, "Atan2": f.arctan2, "Maximum": f.maximum,
             "Minimum": f.minimum, "Equal": f.equal, "NotEqual": f.not_equal, "Less": f.less, "LessEqual": f.less_equal,
             "Greater": f.greater, "GreaterEqual": f.greater_equal, "LogicalAnd": f.logical_and, "LogicalOr": f.logical_or,
             "LogicalXor": f.logical_xor, "FloorDiv": f.floor_divide, "FloorMod": f.mod}
    return {name: _quiet(function) for name, function in names.items()}


KERNELS = {
    **_elementwise(),
    "Add": np.add, "AddV2": np.add, "RealDiv": _quiet(_division), "Div": _quiet(_division),
    "Erf": lambda x: _erf(x).astype(x.dtype), "Erfc": lambda x: _erfc(x).astype(x.dtype),
    "Rsqrt": _quiet(lambda x: (1 / np.sqrt(x)).astype(x.dtype)), "Sigmoid": _quiet(_sigmoid), "Softplus": _softplus,
    "Softsign": lambda x: (x / (1 + np.abs(x))).astype(x.dtype), "Relu": lambda x: np.maximum(x, 0).astype(x.dtype),
    "Relu6": lambda x: np.clip(x, 0, 6), "Silu": _quiet(lambda x: x * _sigmoid(x)),
    "Elu": _quiet(lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))).astype(x.dtype)),
    "Selu": _quiet(lambda x: (1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))))
                   .astype(x.dtype)),
    "LeakyRelu": lambda x, alpha=0.2: np.where(x > 0, x, alpha * x).astype(x.dtype),
    "AddN": lambda *parts: sum(parts[1:], parts[0]), "SquaredDifference": lambda a, b: np.square(a - b),
    "DivNoNan": _quiet(_div_no_nan), "MulNoNan": _quiet(lambda a, b: np.where(b == 0, np.zeros((), b.dtype), a * b)),
    "SelectV2": lambda c, a, b: np.where(c, a, b), "ClipByValue": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "Cast": _quiet(_cast), "Identity": lambda x: x, "StopGradient": lambda x: x,
    "ZerosLike": np.zeros_like, "OnesLike": np.ones_like,
    "MatMul": _matmul, "BatchMatMul": _matmul, "BatchMatMulV2": _matmul, "BiasAdd": _bias_add,
    "Einsum": lambda *parts, equation: np.einsum(equation, *parts),
    "Sum": _reduction(np.sum), "Mean": _reduction(np.mean), "Max": _reduction(np.max), "Min": _reduction(np.min),
    "Prod": _reduction(np.prod), "All": _reduction(np.all), "Any": _reduction(np.any),
    "LogSumExp": _reduction(_quiet(_log_sum_exp)),
    "EuclideanNorm": _reduction(lambda x, axis, keepdims: np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))),
    "ArgMax": lambda x, axis: np.argmax(x, int(axis)), "ArgMin": lambda x, axis: np.argmin(x, int(axis)),
    "Cumsum": _cumsum, "TopKV2": _top_k, "Softmax": _softmax, "LogSoftmax": _log_softmax,
    "Reshape": lambda x, shape: np.reshape(x, tuple(int(d) for d in shape)),
    "Shape": lambda x: np.array(x.shape, np.int32), "Size": lambda x: np.array(x.size, np.int32),
    "Transpose": lambda x, perm: np.transpose(x, perm), "ExpandDims": lambda x, axis: np.expand_dims(x, int(axis)),
    "Squeeze": _squeeze, "BroadcastTo": lambda x, shape: np.broadcast_to(x, shape).copy(),
    "Tile": lambda x, times: np.tile(x, times), "Pad": _pad, "PadV2": _pad, "MirrorPad": _mirror,
    "ReverseV2": lambda x, axes: np.flip(x, _axes(x, axes)),
    "ConcatV2": _concat, "Pack": lambda *parts, axis=0: np.stack(parts, axis), "Unpack": _unpack, "Split": _split,
    "SplitV": _split_v, "StridedSlice": _strided, "Slice": _slice, "GatherV2": _gather, "GatherNd": _gather_nd,
    "OneHot": _one_hot, "TensorScatterUpdate": _scatter(False), "TensorScatterAdd": _scatter(True),
    "UnsortedSegmentSum": _segment_sum, "Fill": lambda shape, value: np.full(shape, value, value.dtype),
    "Range": lambda start, limit, delta: np.arange(start, limit, delta, dtype=start.dtype),
    "UpperTriangle": lambda x, k=0: np.triu(x, k), "LowerTriangle": lambda x, k=0: np.tril(x, k),
}
