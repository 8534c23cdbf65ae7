# SPDX-License-Identifier: MIT
"""Traces of what a Python program does, on named channels:

    channel = libpvti.createTraceChannel("loading")
    with libpvti.Tracepoint(channel, "epoch"): ...

Nothing is recorded unless PVTI_OPTIONS='{"enable":"true"}' is set; then the trace is a file in the trace-event format.
"""
import functools
import json

try:
    from libpvti._core import (Client, Graph, HeatmapDouble, HeatmapFloat, HeatmapInt, ThreadName,  # noqa: F401
                               TraceChannel, checkTraceChannel, closeTrace, disableTraceChannel, enableTraceChannel,
                               getCurrentTraceFilename, listTraceChannels)
    from libpvti import _core
    traceDrivers, tracePoplar = TraceChannel("drivers"), TraceChannel("poplar")
except ModuleNotFoundError as e:
    if e.name != "libpvti._core":
        raise
    raise ImportError("libpvti is built for /usr/bin/python3: run that one.") from None


def createTraceChannel(name: str) -> TraceChannel:
    """The channel of this name."""
    return TraceChannel(name)


def _metadata(value):
    """A text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value, False
    return json.dumps(value), True


class Tracepoint:
    """As a context manager: what happens within, under this label. metadata: a text, or what JSON can hold."""

    def __init__(self, channel: TraceChannel, label: str, metadata=None):
        self._channel, self._label, self._metadata = channel, label, metadata

    def __enter__(self):
        self.begin(self._channel, self._label, self._metadata)
        return self

    def __exit__(self, *_):
        self.end(self._channel, self._label)

    @staticmethod
    def begin(channel, label, metadata=None):
        """It starts now."""
        _core.begin(channel, label, *_metadata(metadata))

    @staticmethod
    def end(channel, label, metadata=None):
        """It ends now."""
        _core.end(channel, label, *_metadata(metadata))

    @staticmethod
    def event(channel, label, metadata=None):
        """It happens now."""
        _core.event(channel, label, *_metadata(metadata))


def instrument(obj, methods, channel: TraceChannel):
    """From now on these methods of an object leave marks when they are called."""
    for name in methods:
        setattr(obj, name, _marked(getattr(obj, name), f"{type(obj).__name__}.{name}", channel))


def _marked(method, label, channel):
    @functools.wraps(method)
    def called(*args, **kwargs):
        with Tracepoint(channel, label):
            return method(*args, **kwargs)

    return called
