# SPDX-License-Identifier: MIT
"""What layers with several weights share: the initialiser, regulariser and constraint of each, by the weight's name."""
import inspect
import types

from tensorflow.keras import constraints, initializers, regularizers
from tensorflow.ops import math_ops

_KINDS = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}
__all__ = []


def with_defaults(function, **defaults):
    """The same function with other defaults."""
    named = [p for p in inspect.signature(function).parameters.values() if p.default is not p.empty]
    values = tuple(defaults.get(p.name, p.default) for p in named)
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, values, function.__closure__)
    made.__doc__, made.__annotations__ = function.__doc__, function.__annotations__
    return made


def of_rank(rank, function):
    """A constructor of so many dimensions: strides and dilation_rate are 1 in each."""
    return with_defaults(function, strides=(1,) * rank, dilation_rate=(1,) * rank)


def take(layer, names, given):
    """kernel_initializer=, kernel_regularizer=, ... of a constructor become attributes."""
    for name in names:
        for kind, module in _KINDS.items():
            if f"{name}_{kind}" in given:
                setattr(layer, f"{name}_{kind}", module.get(given[f"{name}_{kind}"]))


def weight(layer, name, shape, of=None, settings=None, **more):
    """A weight with what was taken for `of`."""
    settings, of = settings or layer, of or name
    own = {kind: getattr(settings, f"{of}_{kind}", None) for kind in _KINDS}
    return layer.add_weight(name, shape, **own, **more)


def floating(layer, x):
    """Inputs that are integers, in what the layer computes in: its weights would be no numbers in theirs."""
    return x if x.dtype.is_floating else math_ops.cast(x, layer.compute_dtype or "float32")


def config(layer, names):
    return {f"{name}_{kind}": module.serialize(getattr(layer, f"{name}_{kind}"))
            for name in names for kind, module in _KINDS.items() if hasattr(layer, f"{name}_{kind}")}
