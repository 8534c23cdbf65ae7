# SPDX-License-Identifier: MIT
"""Element types of torch and of the device."""
import popart_core
import torch

_DataType = popart_core.DataType
_stored = {
    torch.float32: _DataType.FLOAT, torch.float16: _DataType.FLOAT16, torch.float64: _DataType.DOUBLE,
    torch.int64: _DataType.INT64, torch.int32: _DataType.INT32, torch.int16: _DataType.INT16,
    torch.int8: _DataType.INT8, torch.uint8: _DataType.UINT8, torch.bool: _DataType.BOOL,
}
_narrowed = dict(_stored)
_narrowed.update({torch.float64: _DataType.FLOAT, torch.bfloat16: _DataType.FLOAT, torch.int64: _DataType.INT32})
_returned = {torch.int64: torch.int32, torch.float64: torch.float32, torch.bfloat16: torch.float32}


def device_type(dtype, narrow=True):
    """The device's type for one of torch's; with narrow=False the one that memory of torch has."""
    return (_narrowed if narrow else _stored)[dtype]


_by_name = {"float32": torch.float, "float": torch.float, "float16": torch.half, "int32": torch.int32,
            "uint32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}


def torch_type(name):
    """torch's type for one of the device's, by numpy's name for it."""
    return _by_name[name]


def unsupported_type(dtype):
    return dtype not in _narrowed


def returned_type(dtype):
    """The type in which results of this type come back."""
    return _returned.get(dtype, dtype)
