# SPDX-License-Identifier: MIT
"""The log: [HH:MM:SS.mmm] [poptorch::python] [warning] message, on standard error, coloured on a terminal.

POPTORCH_LOG_LEVEL says from which level on, POPTORCH_LOG_DEST where to: stderr, stdout or a file.
"""
import logging
import os
import sys
import time
from typing import Any

LEVELS = {"TRACE_ALL": 5, "TRACE": 5, "DEBUG_IR": 8, "DEBUG": 10, "INFO": 20, "WARN": 30, "ERR": 40, "OFF": 60}
_NUMBERS = {0: "TRACE", 1: "DEBUG", 2: "INFO", 3: "WARN", 4: "ERR", 6: "OFF"}  # as in C++
_NAMES = {5: ("trace", 37), 8: ("debug:ir", 36), 10: ("debug", 36), 20: ("info", 32), 30: ("warning", 33),
          40: ("error", 31), 50: ("critical", 31)}

logger = logging.getLogger("poptorch::python")


class _Line(logging.Formatter):
    def format(self, record):
        name, colour = _NAMES.get(record.levelno, (record.levelname.lower(), 37))
        if getattr(record, "coloured", False):
            name = f"\033[{colour}m{name}\033[m"
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        line = f"[{clock}.{int(record.msecs):03d}] [{record.name}] [{name}] {record.getMessage()}"
        return line + "\n" + self.formatException(record.exc_info) if record.exc_info else line


class _Repeats(logging.Filter):
    """Lets a warning pass so often, and says so the last time. Lines of the lower levels, which were asked for, all pass."""

    def __init__(self):
        super().__init__()
        self.most: "int | None" = 4
        self.seen = {}

    def filter(self, record):
        if self.most is None or record.levelno < logging.WARNING:
            return True
        key = (record.levelno, record.getMessage())
        count = self.seen[key] = self.seen.get(key, 0) + 1
        if count == self.most and count > 1:
            record.msg, record.args = key[1] + " (not shown again; see Options.maxRepeatLogs)", ()
        return count <= self.most


bar: Any = None  # that stands on standard error now: lines come above it


class _Stream(logging.StreamHandler):
    """Standard error or output, as it is at the time."""

    def __init__(self, name):
        super().__init__(getattr(sys, name))
        self._name_of_stream = name

    def emit(self, record):
        self.stream = getattr(sys, self._name_of_stream)
        record.coloured = getattr(self.stream, "isatty", bool)()
        above = bar if self.stream is sys.stderr else None
        if above is not None:
            above.clear()
        super().emit(record)
        if above is not None:
            above.refresh()


_repeats = _Repeats()


def setLogLevel(level: "str | int") -> None:
    """From which level on lines are shown: TRACE, TRACE_ALL, DEBUG, DEBUG_IR, INFO, WARN, ERR, OFF."""
    name = _NUMBERS.get(level) if isinstance(level, int) else str(level).upper()
    if name not in LEVELS:
        kind = "integer" if isinstance(level, int) else "name"
        raise ValueError(f"Invalid log level {kind}: {level!r}. Use one of {', '.join(LEVELS)}, "
                         f"or {', '.join(f'{n} ({text})' for n, text in _NUMBERS.items())}.")
    logger.setLevel(LEVELS[name])


def setMaxRepeats(most: "int | None") -> None:
    """How often the same line is shown; None: always."""
    _repeats.most = most
    _repeats.seen.clear()


def logGraph(title, listing):
    """A graph at DEBUG_IR: listing() makes its lines, of which POPTORCH_MAX_GRAPH_LEN are shown; all if it is not set."""
    if not logger.isEnabledFor(LEVELS["DEBUG_IR"]):
        return
    lines = listing().rstrip("\n").split("\n")
    text = os.environ.get("POPTORCH_MAX_GRAPH_LEN", "")
    most = int(text) if text.isdigit() else len(lines)
    if len(lines) > most:
        lines[most:] = [f"... {len(lines) - most} more lines (POPTORCH_MAX_GRAPH_LEN)"]
    logger.log(LEVELS["DEBUG_IR"], "%s:\n%s", title, "\n".join(lines))


def trace(text, *values):
    """A line at TRACE."""
    logger.log(LEVELS["TRACE"], text, *values)


def _handler(destination):
    if destination in ("", "stderr", "stdout"):
        return _Stream(destination or "stderr")
    from popart import _files  # import time: only a log in a file needs it
    return logging.StreamHandler(_files.growing(destination, encoding="utf-8"))


def _uncaught(kind, value, trace):
    if issubclass(kind, Exception):
        logger.error("%s: %s", kind.__name__, value)
    _previous_hook(kind, value, trace)


def _start():
    problem = None
    try:
        handler = _handler(os.environ.get("POPTORCH_LOG_DEST", ""))
    except OSError as error:
        handler, problem = _Stream("stderr"), error
    handler.setFormatter(_Line())
    logger.handlers[:] = [handler]
    logger.filters[:] = [_repeats]
    logger.propagate = False
    level = os.environ.get("POPTORCH_LOG_LEVEL", "WARN") or "WARN"
    try:
        setLogLevel(int(level) if level.isdigit() else level)
    except ValueError as error:
        setLogLevel("WARN")
        logger.warning("POPTORCH_LOG_LEVEL: %s", error)
    if problem is not None:
        logger.warning("POPTORCH_LOG_DEST: %s", problem)


_previous_hook = sys.excepthook
sys.excepthook = _uncaught
_start()
