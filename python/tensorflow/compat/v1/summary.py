# SPDX-License-Identifier: MIT
"""tf.summary of TensorFlow 1: operations that a session runs give messages, which a FileWriter writes."""
from popart import _events

from tensorflow import _names
from tensorflow.compat.v1.graphs import add_to_collection, get_collection, get_default_graph
from tensorflow.framework.context import current
from tensorflow.framework.tensors import convert_to_tensor
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


def scalar(name, tensor, collections=None, family=None):
    """A number for TensorBoard. Session.run gives a message for FileWriter.add_summary."""
    return _of(_messages.scalar, name, tensor, collections)


def histogram(name, values, collections=None, family=None):
    """A histogram of values for TensorBoard."""
    return _of(_messages.histogram, name, values, collections)


def merge(inputs, collections=None, name=None):
    """Several summaries as one."""
    return _Summary(lambda step: b"".join(each.evaluate(step) for each in inputs))


def merge_all(key=_KEY, scope=None, name=None):
    """All summaries of the graph; None if there are none."""
    found = get_collection(key)
    return merge(found) if found else None


class Summary:
    """A message of values that are known: Summary(value=[Summary.Value(tag=..., simple_value=...)])."""

    class Value:
        def __init__(self, tag="", simple_value=0.0):
            self.tag, self.simple_value = tag, simple_value

    def __init__(self, value=()):
        self.value = list(value)

    def SerializeToString(self):
        """The message as bytes."""
        return b"".join(_events.field(1, _events.field(1, v.tag) + _events.field(2, float(v.simple_value))) for v in self.value)


class FileWriter:
    """Writes what TensorBoard reads."""

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None):
        self._file, self._folder = _events.EventFile(str(logdir), filename_suffix or ""), str(logdir)

    def get_logdir(self):
        """The folder it writes to."""
        return self._folder

    def add_summary(self, summary, global_step=0):
        """A message, or what a session gave for one."""
        self._file.add(summary if isinstance(summary, bytes) else summary.SerializeToString(), int(global_step or 0))

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Raises NotImplementedError: graphs have no GraphDef."""
        raise NotImplementedError("FileWriter.add_graph is not there: graphs have no GraphDef here.")

    def flush(self):
        """Writes what is held back."""
        self._file.flush()

    def close(self):
        """Writes what is held back, and closes the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


_names.explain_missing(globals())
