# SPDX-License-Identifier: MIT
"""Marks of the user's own in the trace of a run; without a Python module pvti they cost nothing and do nothing."""
import contextlib
import functools

from .errors import Error

try:
    import pvti as _pvti
except ImportError:
    _pvti = None


class Channel:
    """A row of the trace."""

    def __init__(self, name):
        self._channel = _pvti.createTraceChannel(name) if _pvti else None

    def tracepoint(self, label):
        """As a context manager: what happens within, under this label."""
        if self._channel is None:
            return contextlib.nullcontext()
        return _pvti.Tracepoint(self._channel, label)

    def instrument(self, obj, *methods):
        """From now on these methods of an object leave marks when they are called."""
        for name in methods:
            method = getattr(obj, name, None)
            if not callable(method):
                raise Error(f"profiling.Channel.instrument: {type(obj).__name__} has no method {name!r}.")
            if self._channel is not None:
                setattr(obj, name, self._marked(method, f"{type(obj).__name__}.{name}"))

    def _marked(self, method, label):
        @functools.wraps(method)
        def called(*args, **kwargs):
            with self.tracepoint(label):
                return method(*args, **kwargs)

        return called
