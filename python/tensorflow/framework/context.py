# SPDX-License-Identifier: MIT
"""What is open in a thread: the graph that is traced, scopes, tapes; and the sessions of TensorFlow 1 that are entered."""
from __future__ import annotations

import contextlib
import threading
import types
from typing import Any, Iterator


class _Current(threading.local):
    graph = None
    default = None  # of TensorFlow 1: where operations go when nothing is traced
    spare = None  # of TensorFlow 1: the default graph that nobody has asked operations to go to
    home = None  # of TensorFlow 1: whose collections variables are in that are made at once
    shard = stage = None
    computed = types.MappingProxyType({})  # how operations of the scope are, as attributes of theirs
    update = False  # once per weight update, not for every batch
    scopes = ()  # names
    tapes = ()  # that watch what is computed
    captures = ()  # contexts that keep gradients of marked tensors
    strategy = None  # of the scope
    device = None  # its name, of the scope
    after = ()  # of TensorFlow 1: what comes before operations of the scope
    retraced = ()  # of TensorFlow 1: names of variables that a body made when it was traced before
    recording = False  # of TensorFlow 1: within an operation (framework/late.py)
    called = None  # within a function of the host: the id of the session of the program that calls it


current = _Current()


def active() -> Any:
    """The graph that operations go to; None: they are computed at once."""
    return current.graph if current.graph is not None else current.default


def ipu_of(device: str | None) -> int | None:
    """The number of an IPU device by its name; None: it is no IPU."""
    name = "" if device is None or callable(device) else str(device).upper()
    if "IPU" not in name:
        return None
    number = name.rsplit("IPU", 1)[1].strip(":")
    return int(number) if number.isdigit() else 0


@contextlib.contextmanager
def tracing(graph: Any) -> Iterator:
    """While open, operations are added to this graph."""
    before = current.graph, current.tapes
    current.graph = graph
    try:
        yield graph
    finally:
        current.graph, current.tapes = before


class Retraced:
    """A body of a loop or condition that may be traced several times: `with retraced.once():` each time. Of TensorFlow 1: names
    of scopes begin anew, and variables that it made are there."""

    def __init__(self):
        self._opened = set(self._of_graph("opened_scopes", set()))
        self._known = set(self._of_graph("named_variables", {}))

    @staticmethod
    def _of_graph(what, default):
        return default if current.default is None else current.default.__dict__.setdefault(what, default)

    @contextlib.contextmanager
    def once(self):
        before = current.retraced
        opened = self._of_graph("opened_scopes", set())
        opened.clear()
        opened.update(self._opened)
        current.retraced = {*before, *(set(self._of_graph("named_variables", {})) - self._known)}
        try:
            yield
        finally:
            current.retraced = before


@contextlib.contextmanager
def eagerly(collected=False):
    """Nothing is traced in here. collected: variables are in the collections of TensorFlow 1's graph all the same."""
    before = current.graph, current.default, current.home
    current.home = current.default or current.home if collected else None
    current.graph = current.default = None
    try:
        yield
    finally:
        current.graph, current.default, current.home = before


@contextlib.contextmanager
def placed(**where: Any) -> Iterator:
    """shard=, stage=, update= of operations in here, or what else a thread has open."""
    before = {name: getattr(current, name) for name in where}
    for name, value in where.items():
        setattr(current, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(current, name, value)


def unless_called(lock):
    """The lock, for `with`. A function that a running program calls goes without: who has it may wait for the program."""
    return lock if current.called is None else contextlib.nullcontext()


class _Sessions:
    """Of TensorFlow 1: those that are entered. A thread's own come before those of others."""

    def __init__(self):
        self._entered, self._turn = [], threading.RLock()  # (thread, session), the innermost last

    def enter(self, session):
        with self._turn:
            self._entered.append((threading.get_ident(), session))

    def leave(self, session):
        mine = threading.get_ident()
        with self._turn:
            places = [i for i, (_, entered) in enumerate(self._entered) if entered is session]
            if places:
                del self._entered[max(places, key=lambda i: (self._entered[i][0] == mine, i))]

    def innermost(self):
        """None if there is none."""
        with self._turn:
            own = [session for thread, session in self._entered if thread == threading.get_ident()]
            return (own or [session for _, session in self._entered] or [None])[-1]


sessions = _Sessions()


def default_session():
    session = sessions.innermost()
    if session is None:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                         "sess.as_default()` or pass an explicit session to `eval(session=sess)`")
    return session
