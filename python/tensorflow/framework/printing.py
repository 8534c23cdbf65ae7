# SPDX-License-Identifier: MIT
"""What programs print of tensors."""
from __future__ import annotations

import sys
from typing import Any, Sequence

import numpy as np

from tensorflow.framework import nest
from tensorflow.framework.context import active
from tensorflow.framework.host_calls import effect
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.variables import Variable


def printed(inputs: Sequence, stream: Any, summarize: int | None, sep: str, end: str) -> Operation | None:
    """Prints values and structures of them, with the tensors' elements: `summarize` from each end of every axis, -1: all."""
    if isinstance(stream, str):
        raise NotImplementedError(f"tf.print(output_stream={stream!r}) is not there: give an open file, or sys.stdout.")
    flat = [nest.flatten(each) if _holds_tensors(each) else [each] for each in inputs]
    flat = [[convert_to_tensor(v) if isinstance(v, Variable) else v for v in values] for values in flat]
    places = [(i, j) for i, values in enumerate(flat) for j, v in enumerate(values) if isinstance(v, Tensor)]
    tensors = [flat[i][j] for i, j in places]

    def show(arrays):
        values = [list(each) for each in flat]
        for (i, j), array in zip(places, arrays):
            values[i][j] = _Shown(_text(np.asarray(array), -1 if summarize is None else summarize))
        texts = [str(nest.pack_sequence_as(each, v)) if _holds_tensors(each) else str(v[0]) for each, v in zip(inputs, values)]
        write(stream, sep.join(texts) + end)

    if active() is None or not tensors:
        show([t.array for t in tensors])
        return None if active() is None else Operation(active(), "print")
    if active().root.name != "shapes" and not all(t.shape.is_fully_defined() for t in tensors):
        show_at_once = [t.array if isinstance(t, EagerTensor) else np.array(repr(t)) for t in tensors]
        show(show_at_once)
        return Operation(active(), "print")
    return effect(show, tensors, "print")


def _holds_tensors(value):
    return not isinstance(value, (str, bytes)) and any(isinstance(v, (Tensor, Variable)) for v in nest.flatten(value))


class _Shown(str):
    """Without quotation marks in lists and dictionaries."""
    __repr__ = str.__str__


def _number(value):
    """Reals as C writes them, if that is the same number; else as Python does, whatever NumPy writes."""
    if not isinstance(value, np.floating):
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    short = f"{value:g}"
    return short if type(value)(short) == value or not np.isfinite(value) else repr(float(str(value))).removesuffix(".0")


def _text(array, edge, depth=1):
    """Rows below each other; `edge` elements from each end of every axis."""
    if array.ndim == 0:
        return _number(array[()])
    whole = edge < 0 or len(array) <= 2 * edge
    rows = array if whole else [*array[:edge], None, *array[len(array) - edge:]]
    texts = ["..." if row is None else _text(np.asarray(row), edge, depth + 1) for row in rows]
    return "[" + (" " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth).join(texts) + "]"


def write(stream: Any, text: str) -> None:
    """To a stream, a function of texts, or stderr."""
    if callable(stream):  # tf.compat.v1.logging.info and its like
        stream(text.rstrip("\n"))
    else:
        print(text, end="", file=stream or sys.stderr, flush=True)
