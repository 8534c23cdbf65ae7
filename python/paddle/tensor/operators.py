# SPDX-License-Identifier: MIT
"""Arithmetic of variables: +, -, *, indexing, and functions as methods."""
from typing import Any

import numpy as np

from ..dtypes import FLOATING, VarType, to_type
from ..variable import Variable
from . import arranged, composed, creation, manipulation, math, search


def _number(value):
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _constant(value, like):
    dtype = like.dtype if like.dtype in FLOATING or isinstance(value, (int, np.integer)) else VarType.FP32
    return creation.full([1], value, dtype)


def _binary(function, linear=None, swapped=False):
    """linear: what a number does as scale(x, a, b), without a tensor of its own."""
    def method(self, other):
        if _number(other):
            if linear is not None and self.dtype in FLOATING:
                return math.scale(self, *linear(float(other)))
            other = _constant(other, self)
        if not isinstance(other, Variable):
            return NotImplemented
        if self.dtype != other.dtype:
            wide = self.dtype if self.dtype in FLOATING or other.dtype not in FLOATING else other.dtype
            self, other = (v if v.dtype == wide else creation.cast(v, wide) for v in (self, other))
        return function(other, self) if swapped else function(self, other)
    return method


def _power(self, other):
    return math.pow(self, other)


_OF_NO_VARIABLE = {"concat", "stack", "add_n", "meshgrid", "linspace", "eye", "empty", "empty_like", "standard_normal",
                   "broadcast_tensors", "is_tensor"}


def _install():
    v: Any = Variable  # its arithmetic needs what makes operators, which needs it
    v.__add__ = v.__radd__ = _binary(math.add, lambda n: (1.0, n))
    v.__sub__ = _binary(math.subtract, lambda n: (1.0, -n))
    v.__rsub__ = _binary(math.subtract, lambda n: (-1.0, n), True)
    v.__mul__ = v.__rmul__ = _binary(math.multiply, lambda n: (n, 0.0))
    v.__truediv__ = v.__div__ = _binary(math.divide, lambda n: (1.0 / n, 0.0))
    v.__rtruediv__ = _binary(math.divide, swapped=True)
    v.__floordiv__ = _binary(math.floor_divide)
    v.__mod__ = _binary(math.mod)
    v.__pow__ = _power
    v.__matmul__ = lambda self, other: math.matmul(self, other)
    v.__neg__ = lambda self: math.scale(self, -1.0)
    v.__lt__, v.__le__ = _binary(math.less_than), _binary(math.less_equal)
    v.__gt__, v.__ge__ = _binary(math.greater_than), _binary(math.greater_equal)
    v.__eq__, v.__ne__ = _compared(math.equal, False), _compared(math.not_equal, True)
    v.__hash__ = lambda self: id(self)
    v.__getitem__ = manipulation.getitem
    v.astype = lambda self, dtype: creation.cast(self, to_type(dtype))
    for source in (math, manipulation, search, arranged, composed):
        for name in source.__all__:
            if not hasattr(v, name) and name not in _OF_NO_VARIABLE:
                setattr(v, name, getattr(source, name))
    v.cast = lambda self, dtype: creation.cast(self, to_type(dtype))
    v.clone = lambda self: creation.assign(self)


def _compared(function, otherwise):
    method = _binary(function)

    def compare(self, other):
        if _number(other) or isinstance(other, Variable):
            return method(self, other)
        return otherwise  # something else is never the same
    return compare


_install()
