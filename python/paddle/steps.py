# SPDX-License-Identifier: MIT
"""What runs on CPU and IPU share: feeds as memory, types of results, learning rates of schedulers."""
from typing import Any

import numpy as np
import popart

from .dtypes import VarType, name_of, to_numpy

_popart = {VarType.BOOL: "BOOL", VarType.INT16: "INT16", VarType.INT32: "INT32", VarType.INT64: "INT64",
           VarType.FP16: "FLOAT16", VarType.FP32: "FLOAT", VarType.FP64: "DOUBLE", VarType.UINT8: "UINT8",
           VarType.INT8: "INT8"}
_narrow = {VarType.INT64: VarType.INT32, VarType.FP64: VarType.FP32}  # the device has no 64 bits


def device_numpy(kind):
    """Of a result as it comes from the device."""
    kind = VarType(kind)
    return to_numpy(_narrow.get(kind, kind))


def described(slots, results=False):
    """For popart_core.AddressIo."""
    out: "list[tuple[Any, ...]]" = []
    for name, kind, shape in slots:
        kind = VarType(kind)
        kind = _narrow.get(kind, kind) if results or kind == VarType.FP64 else kind
        out.append((name, getattr(popart.DataType, _popart[kind]), tuple(shape)))
    if results:
        out = [(f"output/{i}", *rest) for i, (_, *rest) in enumerate(out)]
    return out


def arrays_of(slots, feed, rows=None):
    """The fed values in the order of the inputs; ValueError for what is missing or does not fit."""
    missing = [name for name, _, _ in slots if name not in feed]
    if missing:
        raise ValueError(f"The data {', '.join(map(repr, missing))} of the program is not fed; feed has "
                         f"{', '.join(map(repr, feed)) or 'nothing'}.")
    out = []
    for name, kind, shape in slots:
        value = feed[name]
        kind = VarType(kind)
        array = value if isinstance(value, np.ndarray) else _array(name, value)
        wanted = to_numpy(VarType.FP32 if kind == VarType.FP64 else kind)
        if array.dtype != wanted:
            array = _cast(name, array, kind, wanted)
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        if array.shape != tuple(shape) and (rows is None or not _same_rows(array.shape, shape)):
            raise ValueError(f"The feed {name!r} has shape {list(array.shape)}; the program needs {list(shape)}."
                             + (rows or ""))
        out.append(array)
    return out


def _array(name, value):
    try:
        return np.asarray(value)
    except ValueError as problem:
        raise ValueError(f"The feed {name!r} is not an array: {problem}") from None


def _same_rows(given, wanted):
    """[16, 4, 8] and [64, 8] are the same rows, [64] and [64, 1] too; [8, 4] and [4, 8] are not."""
    row, given = [d for d in wanted[1:] if d != 1], [d for d in given if d != 1]
    return (np.prod(given, dtype=np.int64) == np.prod(wanted, dtype=np.int64)
            and given[len(given) - len(row):] == row)


def refuse_unknown(feed, known):
    """Data that the program has, but does not need now, may be fed."""
    for name in feed:
        if name not in known:
            raise ValueError(f"(InvalidArgument) The program has no variable \"{name}\" to feed.")


def _cast(name, array, kind, wanted):
    if array.dtype.kind not in "biuf":
        raise TypeError(f"The feed {name!r} has elements of type {array.dtype}, which are not numbers; the program needs "
                        f"{name_of(kind)}.")
    if array.dtype.kind == "f" and wanted.kind in "iu":
        raise ValueError(f"The data type of feed {name!r} must be {name_of(kind)}, but received {array.dtype}.")
    return array.astype(wanted)


def schedule(program, scope):
    """A scheduler's learning rate becomes the variable's value."""
    if program.lr_scheduler is None:
        return None
    rate = float(program.lr_scheduler())
    array = scope.array(program._lr_variable)
    if array is not None:
        array[...] = rate
    return rate
