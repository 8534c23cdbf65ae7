# SPDX-License-Identifier: MIT
"""Scopes that say something of the operations in them: names, devices, order."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator

from . import nest
from .context import active, current, eagerly
from .operations import Operation
from tensorflow.framework.typed import TensorLike


@contextlib.contextmanager
def name_scope(name: str, default_name: str | None = None, values: TensorLike | None = None) -> Iterator:
    """Names made within begin with this one."""
    name = name or default_name
    before = current.scopes
    current.scopes = (*before, *[p for p in (name or "").split("/") if p])
    try:
        yield "/".join(current.scopes) + "/"
    finally:
        current.scopes = before


class device:
    """A device by its name: "/device:IPU:0", "/cpu:0". In a graph a session runs what is in here on it."""

    def __init__(self, name: str | None) -> None:
        if name is not None and not callable(name) and not any(k in str(name).upper() for k in ("CPU", "IPU", "GPU", "TPU")):
            raise ValueError(f"Unknown device {name!r}: use a name such as /device:IPU:0 or /device:CPU:0.")
        if name is not None and any(k in str(name).upper() for k in ("GPU", "TPU")):
            raise ValueError(f"There is no device {name}: this TensorFlow has CPU and IPU devices.")
        self.name = name

    def __enter__(self):
        self._before = current.device
        current.device = self.name
        return self

    def __exit__(self, *_):
        current.device = self._before


@contextlib.contextmanager
def init_scope() -> Iterator:
    """While open, operations are outside of functions that are traced."""
    with eagerly():
        yield


@contextlib.contextmanager
def control_dependencies(control_inputs: list | None) -> Iterator:
    """In a traced function the order of the program is kept anyway. In a graph of TensorFlow 1, operations that are made
    in here run after those that are given."""
    before = current.after
    current.after = (*before, *(control_inputs or ())) if control_inputs is not None else ()
    try:
        yield
    finally:
        current.after = before


def group(*inputs: Any, name: str | None = None) -> Operation | None:
    """One operation that stands for several."""
    graph = active()
    if graph is None:
        return None
    out = Operation(graph, graph.unique(name or "group_deps"))
    out.members = [*(current.after if graph is current.default else ()), *nest.flatten(list(inputs))]
    return out
