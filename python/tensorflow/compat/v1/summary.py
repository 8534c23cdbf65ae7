# SPDX-License-Identifier: MIT
"""tf.summary of TensorFlow 1: operations that a session runs give messages, which a FileWriter writes."""
from __future__ import annotations

from typing import Any, Sequence

from popart import _events

from tensorflow import _names
from tensorflow.compat.v1.graphs import add_to_collection, get_collection, get_default_graph
from tensorflow.framework.context import current
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.framework.typed import PathLike, TensorLike
from tensorflow.ops import summary_messages as _messages

_KEY = "summaries"


class _Summary:
    """For Session.run: the message of a tensor's value."""

    def __init__(self, make):
        self._make = make

    def evaluate(self, step):
        return self._make(step)


def _of(message, name, tensor, collections):
    tag, graph = "/".join((*current.scopes, name)), get_default_graph()
    tensor = graph.taken(convert_to_tensor(tensor))
    out = _Summary(lambda step: message(tag, step.value(tensor)))
    for collection in (_KEY,) if collections is None else collections:
        add_to_collection(collection, out)
    return out


def scalar(name: str, tensor: TensorLike, collections: Sequence | None = None, family: str | None = None) -> _Summary:
    """A number for TensorBoard. Session.run gives a message for FileWriter.add_summary."""
    return _of(_messages.scalar, name, tensor, collections)


def histogram(name: str, values: TensorLike, collections: Sequence | None = None, family: str | None = None) -> _Summary:
    """A histogram of values for TensorBoard."""
    return _of(_messages.histogram, name, values, collections)


def merge(inputs: TensorLike, collections: Sequence | None = None, name: str | None = None) -> _Summary:
    """Several summaries as one."""
    return _Summary(lambda step: b"".join(each.evaluate(step) for each in inputs))


def merge_all(key: str = _KEY, scope: str | None = None, name: str | None = None) -> Any:
    """All summaries of the graph; None if there are none."""
    found = get_collection(key)
    return merge(found) if found else None


class Summary:
    """A message of values that are known: Summary(value=[Summary.Value(tag=..., simple_value=...)])."""

    class Value:
        def __init__(self, tag="", simple_value=0.0):
            self.tag, self.simple_value = tag, simple_value

    def __init__(self, value: TensorLike = ()) -> None:
        self.value = list(value)

    def SerializeToString(self) -> bytes:
        """The message as bytes."""
        return b"".join(_events.field(1, _events.field(1, v.tag) + _events.field(2, float(v.simple_value))) for v in self.value)


class FileWriter:
    """Writes what TensorBoard reads."""

    def __init__(self, logdir: PathLike, graph: Any = None, max_queue: int = 10, flush_secs: int = 120, graph_def: Any = None,
                 filename_suffix: str | None = None, session: Any = None) -> None:
        self._file, self._folder = _events.EventFile(str(logdir), filename_suffix or ""), str(logdir)

    def get_logdir(self) -> Any:
        """The folder it writes to."""
        return self._folder

    def add_summary(self, summary: Summary | bytes, global_step: int = 0) -> None:
        """A message, or what a session gave for one."""
        self._file.add(summary if isinstance(summary, bytes) else summary.SerializeToString(), int(global_step or 0))

    def add_graph(self, graph: Any, global_step: int | None = None, graph_def: Any = None) -> Any:
        """Raises NotImplementedError: graphs have no GraphDef."""
        raise NotImplementedError("FileWriter.add_graph is not there: graphs have no GraphDef here.")

    def flush(self) -> None:
        """Writes what is held back."""
        self._file.flush()

    def close(self) -> None:
        """Writes what is held back, and closes the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


_names.explain_missing(globals())
