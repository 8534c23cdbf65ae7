# SPDX-License-Identifier: MIT
"""Marks in the trace of a run, which PVTI_OPTIONS='{"enable":"true"}' switches on. Without libpvti they do nothing."""
import contextlib
import functools
from typing import Any, ContextManager, Iterator

from poptorch.errors import Error


@functools.lru_cache(maxsize=None)
def _pvti() -> Any:
    try:
        import libpvti  # import time, and it may be missing
    except ImportError:
        return None
    return libpvti


class Channel:
    """A row of the trace."""

    def __init__(self, name: str):
        self._channel = _pvti().createTraceChannel(name) if _pvti() else None

    def tracepoint(self, label: str) -> ContextManager:
        """As a context manager: what happens within, under this label."""
        if self._channel is None:
            return contextlib.nullcontext()
        return _pvti().Tracepoint(self._channel, label)

    def instrument(self, obj: Any, *methods: str) -> None:
        """From now on these methods of an object leave marks when they are called."""
        for name in methods:
            if not callable(getattr(obj, name, None)):
                raise Error(f"profiling.Channel.instrument: {type(obj).__name__} has no method {name!r}.")
        if self._channel is not None:
            _pvti().instrument(obj, methods, self._channel)

    def each(self, label: str, items: Iterator) -> Iterator:
        """The items of an iterator; what each of them is waited for stands in the trace."""
        return self._each(label, items) if self.traced else items

    def _each(self, label, items):
        while True:
            with self.tracepoint(label):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    @property
    def traced(self) -> bool:
        """Whether marks are kept."""
        return self._channel is not None and self._channel.isEnabled()
