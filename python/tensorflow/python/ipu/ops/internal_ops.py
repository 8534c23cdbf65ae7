# SPDX-License-Identifier: MIT
"""What a program computes is printed, laid out anew or kept for later."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops, math_ops
from tensorflow.python.ipu.programs import root_program


def print_tensor(input: TensorLike, name: str = "") -> Operation:
    """Prints the tensor on stderr every time the program comes here."""
    if active() is None:
        raise RuntimeError("print_tensor belongs into a program for an IPU.")
    apply("PrintTensor", [convert_to_tensor(input)], {"title": name}, name=name or None)
    return Operation(active(), name or "print_tensor")


def remap(x: TensorLike, name: str | None = None) -> Any:
    """The tensor with another layout over tiles, which its numbers do not depend on."""
    return apply("Identity", [convert_to_tensor(x)], name=name)


remap_deduce = remap


def fifo(x: TensorLike, depth: Any, offload: bool = False, name: str | None = None) -> Any:
    """What x was `depth` times before: zeros at first. A queue on the IPU keeps what comes between."""
    graph = root_program()
    if graph is None:
        raise RuntimeError("fifo belongs into a program for an IPU.")
    if offload:
        raise NotImplementedError("fifo(offload=True) is not there: the queue is in the memory of the IPU.")
    x, depth = convert_to_tensor(x), int(depth)
    if depth < 1 or not x.shape.is_fully_defined():
        raise ValueError(f"fifo: the depth ({depth}) is at least 1, and the shape ({x.shape}) is fully defined.")
    rows = [depth, *x.shape.as_list()]
    queue, place = graph.hidden(np.zeros(rows, x.dtype.as_numpy_dtype), "fifo"), graph.hidden(np.int32(0), "place")
    here = active()
    now, at = here.read(queue), here.read(place)
    out = array_ops.gather(now, at)
    chosen = math_ops.equal(np.arange(depth, dtype=np.int32).reshape([depth] + [1] * x.shape.rank), at)
    here.assign(queue, here.taken(math_ops.where(chosen, array_ops.expand_dims(x, 0), now)))
    here.assign(place, here.taken(math_ops.floormod(at + 1, depth)))
    return math_ops.identity(out, name)


_names.explain_missing(globals())
