# SPDX-License-Identifier: MIT
"""Every operation goes through `apply`: recorded if a graph is being traced, else computed at once, by numpy or as a graph
of one node on the host's device."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import devices, facts
from .context import active, current, eagerly
from .errors import InvalidArgumentError
from .execution import Executable
from .graphs import Graph
from .tensors import EagerTensor, SymbolicTensor, Tensor, convert_to_tensor
from .variables import Variable
from tensorflow.framework.typed import TensorLike

keras_hook = None  # set by keras: operations on its symbolic tensors become layers


def apply(op: str, inputs: TensorLike, attributes: dict | None = None, outputs: Any = 1, out_types: Sequence | None = None,
          name: str | None = None, bodies: tuple = ()) -> Any:
    """The results of an operation by TensorFlow's name: a tensor, or a list of `outputs` if there are several."""
    graph = active()
    inputs = [None if t is None else t if isinstance(t, (EagerTensor, SymbolicTensor, Variable)) else convert_to_tensor(t)
              for t in inputs]
    if current.graph is None and keras_hook is not None and any(getattr(t, "is_keras", False) for t in inputs):
        with eagerly():
            return keras_hook(op, inputs, attributes or {}, outputs, out_types, name)
    if graph is not None:
        made = graph.record(op, inputs, attributes, outputs, out_types, name, bodies)
    else:
        made = compute(op, inputs, attributes or {}, outputs, out_types)
    return made[0] if outputs == 1 else made


def compute(op, inputs, attributes, outputs=1, out_types=None):
    values = [t.read_value() if isinstance(t, Variable) else t for t in inputs]
    for t in values:
        if isinstance(t, SymbolicTensor):
            raise TypeError(f"{op}: the tensor {t.name} belongs to a graph and has no value here. A tensor that was made in "
                            "a tf.function or a Graph exists in there only.")
    kernel = facts.of(op).numpy
    if kernel is not None:
        arrays = _by_numpy(op, kernel, values, attributes)
    else:
        arrays = one_node(op, values, attributes, outputs)
    made = []
    for i, array in enumerate(arrays[:outputs]):
        kind = out_types[i] if out_types and out_types[i] is not None else None
        made.append(EagerTensor(np.asarray(array, None if kind is None else kind.as_numpy_dtype), kind))
    for tape in current.tapes:
        tape.record(op, values, attributes, made)
    return made


def _by_numpy(op, kernel, values, attributes):
    try:
        with np.errstate(all="ignore"):
            out = kernel(*[t.array for t in values if t is not None], **attributes)
    except (ValueError, IndexError, TypeError) as problem:
        shapes = ", ".join("None" if t is None else str(t.shape) for t in values)
        raise InvalidArgumentError(None, None, f"{op} of shapes {shapes}: {problem} [Op:{op}]") from None
    return out if isinstance(out, list) else [out]


_programs = {}


def one_node(op, values, attributes, outputs):
    """An operation as a program of its own, made once for every shape."""
    fixed = facts.constants(op, len(values))
    key = (op, outputs, repr(sorted(attributes.items(), key=lambda item: item[0])),
           tuple(None if t is None else (t.dtype.name, t.array.shape, t.array.tobytes() if i in fixed else None)
                 for i, t in enumerate(values)))
    program = _programs.get(key)
    if program is None:
        graph = Graph()
        given = [None if t is None else graph.constant(t.array, t.dtype) if i in fixed
                 else graph.input(t.shape, t.dtype, f"in{i}") for i, t in enumerate(values)]
        graph.finish(graph.record(op, given, attributes, outputs))
        program = _programs[key] = Executable(graph, devices.host())
    return program([t.array for i, t in enumerate(values) if t is not None and i not in fixed])


def same_type(a: TensorLike, b: TensorLike) -> tuple:
    """Two operands as tensors: a Python number takes the type of the other one."""
    a_is, b_is = (isinstance(v, (Tensor, Variable)) for v in (a, b))
    if a_is and not b_is:
        b = _like(b, a.dtype)
    elif b_is and not a_is:
        a = _like(a, b.dtype)
    else:
        a, b = convert_to_tensor(a), convert_to_tensor(b)
    a, b = (v.read_value() if isinstance(v, Variable) else v for v in (a, b))
    if a.dtype is not b.dtype:
        if not (a_is or b_is):
            return a, convert_to_tensor(np.asarray(b.array, a.dtype.as_numpy_dtype))
        raise InvalidArgumentError(None, None, f"cannot compute this operation as input #1 was expected to be a "
                                   f"{a.dtype.name} tensor but is a {b.dtype.name} tensor")
    return a, b


def _like(value, dtype):
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != dtype._numpy and not (
            np.asarray(value).dtype.kind in "iu" and dtype.is_floating is False) and np.ndim(value):
        return convert_to_tensor(value)
    if dtype.is_integer and np.asarray(value).dtype.kind == "f":
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    if isinstance(value, (list, tuple)) and any(isinstance(v, (EagerTensor, SymbolicTensor)) for v in value):
        return convert_to_tensor(value)
    return convert_to_tensor(np.asarray(value).astype(dtype.as_numpy_dtype))
