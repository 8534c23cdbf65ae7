# SPDX-License-Identifier: MIT
"""tf.summary: event files for TensorBoard, of what is computed at once. Numbers, distributions and texts."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator

import numpy as np
from popart import _events

from tensorflow import _names
from tensorflow.framework.context import active, current
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import PathLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops import summary_messages as _messages

_now: dict[str, Any] = {"writer": None, "step": None}


class SummaryWriter:
    """Writes event files that TensorBoard reads."""
    def __init__(self, logdir: PathLike, suffix: str = "") -> None:
        self._file = _events.EventFile(logdir, suffix)

    @contextlib.contextmanager
    def as_default(self, step: int | None = None) -> Iterator:
        """Summaries in here go to this writer."""
        before = dict(_now)
        _now.update(writer=self, step=before["step"] if step is None else step)
        try:
            yield self
        finally:
            _now.update(before)
            self.flush()

    def set_as_default(self, step: int | None = None) -> None:
        """tf.summary's functions write to it."""
        _now.update(writer=self, step=step)

    def add(self, message: bytes, step: int) -> None:
        """Writes one message."""
        self._file.add(message, step)

    def flush(self) -> None:
        """Writes what is held back to the file."""
        self._file.flush()

    def close(self) -> None:
        """Writes what is held back and closes the file."""
        self._file.close()


class _Nothing(SummaryWriter):
    def __init__(self):
        pass

    def add(self, message, step):
        pass

    flush = close = lambda self: None


def create_file_writer(logdir: PathLike, max_queue: int | None = None, flush_millis: int | None = None,
                       filename_suffix: str | None = None, name: str | None = None) -> SummaryWriter:
    """A writer of event files in a folder."""
    return SummaryWriter(str(logdir), filename_suffix or "")


def create_noop_writer() -> _Nothing:
    """A writer that writes nothing."""
    return _Nothing()


def flush(writer: Any = None, name: str | None = None) -> None:
    """Writes what a writer holds back to its file."""
    writer = writer or _now["writer"]
    if writer is not None:
        writer.flush()


class experimental:
    """Names of tf.summary.experimental."""
    @staticmethod
    def set_step(step: int) -> None:
        """The step of values that name none."""
        _now["step"] = step

    @staticmethod
    def get_step() -> Any:
        """The step set by set_step."""
        return _now["step"]


def _write(message, name, data, step):
    """Whether there was somebody to write it."""
    if active() is not None and (isinstance(data, Tensor) and not isinstance(data, EagerTensor)):
        raise NotImplementedError(f"tf.summary of {name!r} in a traced function is not there: return the value, and write it "
                                  "outside.")
    if _now["writer"] is None:
        return False
    step = _now["step"] if step is None else step
    if step is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or through "
                         "tf.summary.experimental.set_step()")
    value = data.numpy() if isinstance(data, (EagerTensor, Variable)) else np.asarray(data)
    _now["writer"].add(message("/".join((*current.scopes, name)), value), int(step))
    return True


def scalar(name: str, data: TensorLike, step: int | None = None, description: str | None = None) -> bool:
    """Writes one number."""
    return _write(_messages.scalar, name, data, step)


def histogram(name: str, data: TensorLike, step: int | None = None, buckets: int = 30,
              description: str | None = None) -> bool:
    """Writes how values are spread."""
    return _write(lambda tag, v: _messages.histogram(tag, v, buckets), name, data, step)


def text(name: str, data: TensorLike, step: int | None = None, description: str | None = None) -> bool:
    """Writes text."""
    return _write(_messages.text, name, data, step)


_names.explain_missing(globals())
