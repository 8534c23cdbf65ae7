# SPDX-License-Identifier: MIT
"""Element types: TensorFlow's names, numpy's types, and what the device has instead of those it lacks."""
from __future__ import annotations

import numpy as np
import popart
from tensorflow.framework.typed import NumberLike, TensorLike


class DType:
    """A type of elements."""
    def __init__(self, name: str, numpy_type: str, device: str | None = None) -> None:
        self._name = name
        self._numpy = np.dtype(numpy_type)
        self.device_type = getattr(popart.DataType, device) if device else None  # computed in
        stored = {"float64": "DOUBLE", "int64": "INT64", "uint64": "UINT64"}.get(name, device)
        self.stored_type = getattr(popart.DataType, stored) if stored else None  # in the host's memory

    name = property(lambda self: self._name)
    as_numpy_dtype = property(lambda self: self._numpy.type)
    base_dtype = property(lambda self: self)
    is_floating = property(lambda self: self._numpy.kind == "f")
    is_integer = property(lambda self: self._numpy.kind in "iu")
    is_bool = property(lambda self: self._numpy.kind == "b")
    is_complex = property(lambda self: self._numpy.kind == "c")
    is_unsigned = property(lambda self: self._numpy.kind == "u")
    size = property(lambda self: self._numpy.itemsize)

    @property
    def min(self) -> NumberLike:
        """The smallest finite value."""
        return np.finfo(self._numpy).min if self.is_floating else np.iinfo(self._numpy).min

    @property
    def max(self) -> NumberLike:
        """The largest finite value."""
        return np.finfo(self._numpy).max if self.is_floating else np.iinfo(self._numpy).max

    def is_compatible_with(self, other: TensorLike) -> bool:
        """Whether it is the same type."""
        return as_dtype(other) is self

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f"tf.{self._name}"

    def __str__(self):
        return f"<dtype: '{self._name}'>"

    def __reduce__(self):
        return as_dtype, (self._name,)


float16 = half = DType("float16", "float16", "FLOAT16")
float32 = DType("float32", "float32", "FLOAT")
float64 = double = DType("float64", "float64", "FLOAT")
int8 = DType("int8", "int8", "INT8")
int16 = DType("int16", "int16", "INT16")
int32 = DType("int32", "int32", "INT32")
int64 = DType("int64", "int64", "INT32")
uint8 = DType("uint8", "uint8", "UINT8")
uint16 = DType("uint16", "uint16", "UINT16")
uint32 = DType("uint32", "uint32", "UINT32")
uint64 = DType("uint64", "uint64", "UINT32")
bool_ = DType("bool", "bool", "BOOL")
complex64 = DType("complex64", "complex64")
complex128 = DType("complex128", "complex128")
string = DType("string", "object")
ALL = (float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool_, complex64, complex128,
       string)
_by_name = {d.name: d for d in ALL} | {"half": float16, "float": float32, "double": float64, "int": int32}
_by_numpy = {d._numpy: d for d in ALL}
_by_device = {d.device_type: d for d in reversed(ALL) if d.device_type is not None} | {
    popart.DataType.FLOAT: float32, popart.DataType.INT32: int32, popart.DataType.UINT32: uint32}


def as_dtype(value: TensorLike | None) -> DType:
    """The DType of a name, a numpy type, a Python type or another DType."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in _by_name:
        return _by_name[value]
    if value is float:
        return float32
    if value is int:
        return int32
    if value is bool:
        return bool_
    try:
        kind = np.dtype(value)
    except TypeError:
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.") from None
    if kind.kind in "SU":
        return string
    if kind not in _by_numpy:
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.")
    return _by_numpy[kind]


def of_device(kind, inputs=()):
    """What a result of the device is for the user: wide types go on where an input had them."""
    out = _by_device[kind]
    if out is int32 and any(d is int64 for d in inputs):
        return int64
    if out is float32 and any(d is float64 for d in inputs):
        return float64
    return out
