# SPDX-License-Identifier: MIT
"""tf.py_function and tf.numpy_function: Python's functions in the middle of TensorFlow's, as those of data sets. In a program
whose shapes are fixed beforehand they have no place."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import dtypes, nest
from .context import active
from .tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, TensorLike


def _called(what, function, inputs, Tout, as_numpy):
    if active() is not None:
        raise NotImplementedError(f"tf.{what} in a graph is not there: the shapes of its results are not known. Call the "
                                  "function in Dataset.map, or use ipu.custom_ops.cpu_user_op.")
    given = [convert_to_tensor(t) for t in inputs]
    made = function(*[t.numpy() if as_numpy else t for t in given])
    kinds = nest.flatten(Tout)
    flat = [] if made is None else list(made) if isinstance(made, (list, tuple)) else [made]
    if len(flat) != len(kinds):
        raise ValueError(f"tf.{what}: the function gave {len(flat)} values, {len(kinds)} types were declared.")
    out = []
    for value, kind in zip(flat, kinds):
        kind, array = dtypes.as_dtype(kind), np.asarray(value.array if isinstance(value, EagerTensor) else value)
        if as_numpy and isinstance(value, (np.ndarray, np.generic)) and array.dtype != kind.as_numpy_dtype:
            raise ValueError(f"tf.{what}: the function gave {array.dtype}, {kind.name} was declared.")
        out.append(EagerTensor(array.astype(kind.as_numpy_dtype), kind))
    return nest.pack_sequence_as(Tout, out) if isinstance(Tout, (list, tuple)) else out[0]


def py_function(func: Callable, inp: TensorLike, Tout: DTypeLike, name: str | None = None) -> list:
    """A function of Python on eager tensors, as an operation on the host."""
    return _called("py_function", func, inp, Tout, False)


def numpy_function(func: Any, inp: TensorLike, Tout: DTypeLike, name: str | None = None) -> Any:
    """A function of Python on NumPy arrays, as an operation on the host."""
    return _called("numpy_function", func, inp, Tout, True)
