# SPDX-License-Identifier: MIT
"""Element types, by Paddle's numbers and names."""
import enum

import numpy as np


class VarType(enum.IntEnum):
    """Types of elements (up to 29) and of variables; the numbers stand in files."""
    BOOL = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    FP16 = 4
    FP32 = 5
    FP64 = 6
    LOD_TENSOR = 7
    SELECTED_ROWS = 8
    FEED_MINIBATCH = 9
    FETCH_LIST = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    LOD_TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18
    SIZE_T = 19
    UINT8 = 20
    INT8 = 21
    BF16 = 22
    COMPLEX64 = 23
    COMPLEX128 = 24

    def __repr__(self):
        return "paddle." + _names[self] if self in _names else f"VarType.{self.name}"

    __str__ = __repr__
    __format__ = object.__format__  # type: ignore[assignment]


_numpy = {VarType.BOOL: np.bool_, VarType.INT16: np.int16, VarType.INT32: np.int32, VarType.INT64: np.int64,
          VarType.FP16: np.float16, VarType.FP32: np.float32, VarType.FP64: np.float64, VarType.UINT8: np.uint8,
          VarType.INT8: np.int8}
_names = {kind: np.dtype(n).name for kind, n in _numpy.items()}
_names.update({VarType.BF16: "bfloat16", VarType.COMPLEX64: "complex64", VarType.COMPLEX128: "complex128"})
_by_name = {name: kind for kind, name in _names.items()}
FLOATING = (VarType.FP16, VarType.FP32, VarType.FP64)


def to_type(dtype):
    """VarType of a name, of numpy's or of Paddle's types."""
    if isinstance(dtype, VarType):
        return dtype
    if isinstance(dtype, int) and not isinstance(dtype, bool):
        return VarType(dtype)
    name: str = dtype if isinstance(dtype, str) else np.dtype(dtype).name  # type: ignore[arg-type]
    name = {"float": "float32", "double": "float64", "half": "float16", "int": "int32"}.get(name, name)
    if name not in _by_name:
        raise TypeError(f"dtype must be one of {', '.join(_by_name)}, not {dtype!r}.")
    return _by_name[name]


def to_numpy(dtype):
    kind = to_type(dtype)
    if kind not in _numpy:
        raise TypeError(f"numpy has no type for {kind!r}.")
    return np.dtype(_numpy[kind])


def name_of(dtype):
    """"float32"; Paddle's convert_dtype."""
    return _names[to_type(dtype)]
