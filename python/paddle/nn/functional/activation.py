# SPDX-License-Identifier: MIT
"""Activation functions: one operator each, with its numbers as attributes."""
from ...helper import LayerHelper
from ...tensor.creation import of_type
from ...tensor.math import sigmoid, tanh  # noqa: F401

# name -> (operator, {argument: (attribute, default)})
_table = {
    "relu": ("relu", {}), "relu6": ("relu6", {}), "elu": ("elu", {"alpha": ("alpha", 1.0)}),
    "selu": ("selu", {"scale": ("scale", 1.0507009873554805), "alpha": ("alpha", 1.6732632423543772)}),
    "leaky_relu": ("leaky_relu", {"negative_slope": ("alpha", 0.01)}), "gelu": ("gelu", {"approximate": ("approximate", False)}),
    "hardshrink": ("hard_shrink", {"threshold": ("threshold", 0.5)}),
    "hardsigmoid": ("hard_sigmoid", {"slope": ("slope", 0.1666667), "offset": ("offset", 0.5)}),
    "hardswish": ("hard_swish", {}), "hardtanh": ("brelu", {"min": ("t_min", -1.0), "max": ("t_max", 1.0)}),
    "log_sigmoid": ("logsigmoid", {}), "mish": ("mish", {}), "silu": ("silu", {}),
    "softplus": ("softplus", {"beta": ("beta", 1.0), "threshold": ("threshold", 20.0)}),
    "softshrink": ("softshrink", {"threshold": ("lambda", 0.5)}), "softsign": ("softsign", {}),
    "swish": ("swish", {}), "tanhshrink": ("tanh_shrink", {}),
    "thresholded_relu": ("thresholded_relu", {"threshold": ("threshold", 1.0)}),
}
__all__ = [*_table, "sigmoid", "tanh", "softmax", "log_softmax", "prelu"]


def _make(name, op, arguments):
    names = list(arguments)

    def function(x, *args, name=None, **kwargs):
        given = {**dict(zip(names, args)), **kwargs}
        unknown = set(given) - set(names)
        if unknown or len(args) > len(names):
            raise TypeError(f"{function.__name__}() takes {', '.join(names) or 'no further arguments'}, not "
                            f"{', '.join(map(str, unknown)) or 'so many'}.")
        attrs = {attribute: type(default)(given.get(argument, default))
                 for argument, (attribute, default) in arguments.items()}
        return LayerHelper(op).append(op, {"X": x}, attrs)
    function.__name__ = function.__qualname__ = name
    return function


for _name, (_op, _arguments) in _table.items():
    globals()[_name] = _make(_name, _op, _arguments)


def softmax(x, axis=-1, dtype=None, name=None):
    return LayerHelper("softmax").append("softmax", {"X": of_type(x, dtype)}, {"axis": int(axis), "use_cudnn": False})


def log_softmax(x, axis=-1, dtype=None, name=None):
    return LayerHelper("log_softmax").append("log_softmax", {"X": of_type(x, dtype)}, {"axis": int(axis)})


def prelu(x, weight, data_format="NCHW", name=None):
    mode = "all" if weight.shape == (1,) else "channel"
    return LayerHelper("prelu").append("prelu", {"X": x, "Alpha": weight}, {"mode": mode, "data_format": data_format})
