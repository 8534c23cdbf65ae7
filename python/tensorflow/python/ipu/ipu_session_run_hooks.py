# SPDX-License-Identifier: MIT
"""Hooks of an IPUEstimator."""
import time

from tensorflow import _names
from tensorflow.compat.v1.session_hooks import SessionRunHook
from tensorflow.framework import logs, nest
from tensorflow.python.ipu.ipu_outfeed_queue import IPUOutfeedMode, IPUOutfeedQueue


class IPULoggingTensorHook(SessionRunHook):
    """Logs tensors of the program: the model_fn calls log(tensors) and gives the hook to the spec."""

    LoggingMode = IPUOutfeedMode

    def __init__(self, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None, logging_mode=IPUOutfeedMode.LAST,
                 feed_name=None, replication_factor=None):
        if (every_n_iter is not None) + (every_n_secs is not None) + bool(at_end) == 0 or \
                every_n_iter is not None and every_n_secs is not None:
            raise ValueError("Either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        for name, value in (("every_n_iter", every_n_iter), ("every_n_secs", every_n_secs)):
            if value is not None and value <= 0:
                raise ValueError(f"{name} must be positive, not {value}.")
        self._every, self._secs, self._at_end, self._formatter = every_n_iter, every_n_secs, at_end, formatter
        self._queue, self._used = IPUOutfeedQueue(logging_mode), False
        self._runs, self._last, self._seen = 0, time.monotonic(), None

    def log(self, tensors):
        """In a model_fn: these are logged. A dictionary, or a list, whose entries have the tensors' names."""
        if self._used:
            raise RuntimeError("IPULoggingTensorHook.log can be called once.")
        self._used = True
        if not isinstance(tensors, dict):
            flat = nest.flatten(tensors)
            tensors = {getattr(t, "name", str(i)): t for i, t in enumerate(flat)}
        return self._queue.enqueue(tensors)

    def after_run(self, run_context, run_values):
        if not self._used:
            raise RuntimeError("Did you forget to call IPULoggingTensorHook.log in the model function?")
        self._seen = run_context.session.run(self._queue.dequeue())
        self._runs += 1
        due = self._runs % self._every == 0 if self._every else \
            self._secs is not None and time.monotonic() - self._last >= self._secs
        if due:
            self._log()

    def end(self, session):
        if self._at_end and self._seen is not None:
            self._log()

    def _log(self):
        self._last = time.monotonic()
        text = self._formatter(self._seen) if self._formatter else ", ".join(f"{n} = {v}" for n, v in self._seen.items())
        logs.info("%s", text)


_names.explain_missing(globals())
