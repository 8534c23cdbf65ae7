# SPDX-License-Identifier: MIT
"""Traces of what a Python program does, on named channels:

    channel = libpvti.createTraceChannel("loading")
    with libpvti.Tracepoint(channel, "epoch"): ...

Nothing is recorded unless PVTI_OPTIONS='{"enable":"true"}' is set; then the trace is a file in the trace-event format.
"""
import functools
import json
from typing import Any, Callable, Iterable

from openipu import loading as _loading

with _loading.of("libpvti/_core", __file__):
    from libpvti._core import (Client, Graph, HeatmapDouble, HeatmapFloat, HeatmapInt, ThreadName,
                               TraceChannel, checkTraceChannel, closeTrace, disableTraceChannel, enableTraceChannel,
                               getCurrentTraceFilename, listTraceChannels)
    from libpvti import _core
    traceDrivers, tracePoplar = TraceChannel("drivers"), TraceChannel("poplar")


def createTraceChannel(name: str) -> TraceChannel:
    """The channel of this name."""
    return TraceChannel(name)


def _metadata(value: Any) -> "tuple[str | None, bool]":
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value, False
    return json.dumps(value), True


class Tracepoint:
    """As a context manager: what happens within, under this label. metadata: a text, or what JSON can hold."""

    def __init__(self, channel: TraceChannel, label: str, metadata: Any = None) -> None:
        self._channel, self._label, self._metadata = channel, label, metadata

    def __enter__(self) -> "Tracepoint":
        self.begin(self._channel, self._label, self._metadata)
        return self

    def __exit__(self, *_: Any) -> None:
        self.end(self._channel, self._label)

    @staticmethod
    def begin(channel: TraceChannel, label: str, metadata: Any = None) -> None:
        """It starts now."""
        _core.begin(channel, label, *_metadata(metadata))

    @staticmethod
    def end(channel: TraceChannel, label: str, metadata: Any = None) -> None:
        """It ends now."""
        _core.end(channel, label, *_metadata(metadata))

    @staticmethod
    def event(channel: TraceChannel, label: str, metadata: Any = None) -> None:
        """It happens now."""
        _core.event(channel, label, *_metadata(metadata))


def instrument(obj: Any, methods: Iterable[str], channel: TraceChannel) -> None:
    """From now on these methods of an object leave marks when they are called."""
    for name in methods:
        setattr(obj, name, _marked(getattr(obj, name), f"{type(obj).__name__}.{name}", channel))


def _marked(method: Callable[..., Any], label: str, channel: TraceChannel) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(*args: Any, **kwargs: Any) -> Any:
        with Tracepoint(channel, label):
            return method(*args, **kwargs)

    return called
