# SPDX-License-Identifier: MIT
"""What programs ask of the operation behind a tensor."""
from __future__ import annotations

from typing import Any, Callable

from .context import default_session
from tensorflow.framework.typed import TensorLike


class Operation:
    """An operation of a graph by its name. `result`: its first tensor."""

    def __init__(self, graph: Any, name: str, result: TensorLike | None = None, run: Callable | None = None) -> None:
        self.graph, self.name, self.result, self.run_now = graph, name, result, run

    outputs = property(lambda self: [] if self.result is None else [self.result])

    def run(self, feed_dict: dict | None = None, session: Any = None) -> None:
        """Runs the operation in a session."""
        (session or default_session()).run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}'>"


class Reference:
    """A variable or tensor as a key of a dictionary."""

    def __init__(self, value):
        self._value = value

    def deref(self):
        return self._value

    def __eq__(self, other):
        return isinstance(other, Reference) and other._value is self._value

    def __hash__(self):
        return id(self._value)
