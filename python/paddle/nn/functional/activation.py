# SPDX-License-Identifier: MIT
"""Activation functions: one operator each, with its numbers as attributes."""
from ...helper import LayerHelper
from ...tensor.creation import of_type
from ...tensor.math import sigmoid, tanh

__all__ = ["relu", "relu6", "elu", "selu", "leaky_relu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
           "log_sigmoid", "mish", "silu", "softplus", "softshrink", "softsign", "swish", "tanhshrink", "thresholded_relu",
           "sigmoid", "tanh", "softmax", "log_softmax", "prelu"]


def activation(short, op, **arguments):
    """The function of an operator; arguments: each one's attribute and default."""
    names = list(arguments)

    def function(x, *args, name=None, **kwargs):
        given = {**dict(zip(names, args)), **kwargs}
        unknown = set(given) - set(names)
        if unknown or len(args) > len(names):
            raise TypeError(f"{short}() takes {', '.join(names) or 'no further arguments'}, not "
                            f"{', '.join(map(str, unknown)) or 'so many'}.")
        attrs = {attribute: type(default)(given[argument] if given.get(argument) is not None else default)
                 for argument, (attribute, default) in arguments.items()}
        return LayerHelper(op, name).append(op, {"X": x}, attrs)
    function.__name__ = function.__qualname__ = short
    return function


relu = activation("relu", "relu")
relu6 = activation("relu6", "relu6")
elu = activation("elu", "elu", alpha=("alpha", 1.0))
selu = activation("selu", "selu", scale=("scale", 1.0507009873554805), alpha=("alpha", 1.6732632423543772))
leaky_relu = activation("leaky_relu", "leaky_relu", negative_slope=("alpha", 0.01))
gelu = activation("gelu", "gelu", approximate=("approximate", False))
hardshrink = activation("hardshrink", "hard_shrink", threshold=("threshold", 0.5))
hardsigmoid = activation("hardsigmoid", "hard_sigmoid", slope=("slope", 0.1666667), offset=("offset", 0.5))
hardswish = activation("hardswish", "hard_swish")
hardtanh = activation("hardtanh", "brelu", min=("t_min", -1.0), max=("t_max", 1.0))
log_sigmoid = activation("log_sigmoid", "logsigmoid")
mish = activation("mish", "mish")
silu = activation("silu", "silu")
softplus = activation("softplus", "softplus", beta=("beta", 1.0), threshold=("threshold", 20.0))
softshrink = activation("softshrink", "softshrink", threshold=("lambda", 0.5))
softsign = activation("softsign", "softsign")
swish = activation("swish", "swish")
tanhshrink = activation("tanhshrink", "tanh_shrink")
thresholded_relu = activation("thresholded_relu", "thresholded_relu", threshold=("threshold", 1.0))


def softmax(x, axis=-1, dtype=None, name=None):
    """exp(x) over its sum along an axis."""
    return LayerHelper("softmax").append("softmax", {"X": of_type(x, dtype)}, {"axis": int(axis), "use_cudnn": False})


def log_softmax(x, axis=-1, dtype=None, name=None):
    """The logarithm of softmax."""
    return LayerHelper("log_softmax").append("log_softmax", {"X": of_type(x, dtype)}, {"axis": int(axis)})


def prelu(x, weight, data_format="NCHW", name=None):
    """max(x, 0) + weight * min(x, 0), a weight for each channel or one for all."""
    mode = "all" if weight.shape == (1,) else "channel"
    return LayerHelper("prelu").append("prelu", {"X": x, "Alpha": weight}, {"mode": mode, "data_format": data_format})
