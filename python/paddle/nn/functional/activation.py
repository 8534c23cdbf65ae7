# SPDX-License-Identifier: MIT
"""Activation functions: one operator each, with its numbers as attributes."""
from __future__ import annotations

from ...helper import LayerHelper
from ...paddle_core import functions
from ...tensor.creation import of_type
from ...tensor import manipulation, math
from ...tensor.math import sigmoid, tanh
from ...typed import AxisLike, DTypeLike, NumberLike, TensorLike

__all__ = ["relu", "relu6", "elu", "selu", "leaky_relu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
           "log_sigmoid", "mish", "silu", "softplus", "softshrink", "softsign", "swish", "tanhshrink", "thresholded_relu",
           "sigmoid", "tanh", "softmax", "log_softmax", "prelu", "celu", "glu", "maxout"]


def activation(short, op, text, **arguments):
    """The function of an operator, and what it says of itself; arguments: each one's attribute and default."""
    names = list(arguments)

    def function(x, *args, name=None, **kwargs):
        given = {**dict(zip(names, args)), **kwargs}
        unknown = set(given) - set(names)
        if unknown or len(args) > len(names):
            raise TypeError(f"{short}() takes {', '.join(names) or 'no further arguments'}, not "
                            f"{', '.join(map(str, unknown)) or f'{len(args)} arguments after x'}.")
        attrs = {attribute: type(default)(given[argument] if given.get(argument) is not None else default)
                 for argument, (attribute, default) in arguments.items()}
        return LayerHelper(op, name).append(op, {"X": x}, attrs)
    function.__name__ = function.__qualname__ = short
    function.__doc__ = text
    return function


def _of_row(name):
    """The function of a row of frontends/common/frontend/Functions.cpp."""
    op, words, numbers = _rows[name]
    return activation(name, op, words, **{number: (number, otherwise) for number, otherwise in numbers})


_rows = {name: row for name, *row in functions()}
relu = activation("relu", "relu", "max(x, 0).")
relu6 = activation("relu6", "relu6", "min(max(x, 0), 6).")
selu = activation("selu", "selu", "scale elu(x, alpha).", scale=("scale", 1.0507009873554805),
                  alpha=("alpha", 1.6732632423543772))
leaky_relu = activation("leaky_relu", "leaky_relu", "x, and negative_slope x below 0.", negative_slope=("alpha", 0.01))
gelu = activation("gelu", "gelu", "x times the share of a normal distribution below x; approximate: by tanh.",
                  approximate=("approximate", False))
hardsigmoid = activation("hardsigmoid", "hard_sigmoid", "slope x + offset, cut off at 0 and 1.",
                         slope=("slope", 0.1666667), offset=("offset", 0.5))
hardswish = activation("hardswish", "hard_swish", "x min(max(x + 3, 0), 6) / 6.")
hardtanh = activation("hardtanh", "brelu", "x, cut off at min and max.", min=("t_min", -1.0), max=("t_max", 1.0))
softshrink = activation("softshrink", "softshrink", "x moved towards 0 by threshold, and 0 between -threshold and threshold.",
                        threshold=("lambda", 0.5))
swish = activation("swish", "swish", "x / (1 + exp(-x)).")
elu, hardshrink, log_sigmoid, mish, silu = map(_of_row, ("elu", "hardshrink", "log_sigmoid", "mish", "silu"))
softplus, softsign, tanhshrink, thresholded_relu = map(_of_row, ("softplus", "softsign", "tanhshrink", "thresholded_relu"))
_others = [_name for _name in _rows if _name not in globals()]
globals().update({_name: _of_row(_name) for _name in _others})
__all__ += _others


def softmax(x: TensorLike, axis: AxisLike = -1, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """exp(x) over its sum along an axis."""
    return LayerHelper("softmax").append("softmax", {"X": of_type(x, dtype)}, {"axis": int(axis), "use_cudnn": False})


def log_softmax(x: TensorLike, axis: AxisLike = -1, dtype: DTypeLike | None = None, name: str | None = None) -> TensorLike:
    """The logarithm of softmax."""
    return LayerHelper("log_softmax").append("log_softmax", {"X": of_type(x, dtype)}, {"axis": int(axis)})


def prelu(x: TensorLike, weight: TensorLike, data_format: str = "NCHW", name: str | None = None) -> TensorLike:
    """max(x, 0) + weight * min(x, 0), a weight for each channel or one for all."""
    mode = "all" if weight.shape == (1,) else "channel"
    return LayerHelper("prelu").append("prelu", {"X": x, "Alpha": weight}, {"mode": mode, "data_format": data_format})


def celu(x: TensorLike, alpha: NumberLike = 1.0, name: str | None = None) -> TensorLike:
    """x, and alpha (exp(x / alpha) - 1) below 0."""
    if alpha == 0:
        raise ZeroDivisionError("celu: alpha cannot be 0.")
    return math.scale(elu(math.scale(x, 1.0 / alpha)), float(alpha))


def glu(x: TensorLike, axis: AxisLike = -1, name: str | None = None) -> TensorLike:
    """The first half along an axis times the sigmoid of the second."""
    values, gates = manipulation.split(x, 2, axis)
    return math.multiply(values, sigmoid(gates))


def maxout(x: TensorLike, groups: int, axis: AxisLike = 1, name: str | None = None) -> TensorLike:
    """The largest of every group of channels."""
    axis = axis % len(x.shape)
    if x.shape[axis] % groups:
        raise ValueError(f"maxout: {x.shape[axis]} channels are no multiple of groups={groups}.")
    shape = [*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1:]]
    return math.max(manipulation.reshape(x, shape), axis + 1)
