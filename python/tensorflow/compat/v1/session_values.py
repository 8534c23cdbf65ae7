# SPDX-License-Identifier: MIT
"""Variables as sessions have them: each session has values of its own. The variables of a graph hold those of the session that
ran last; they change when another one runs, after the runs of the last one have ended."""
import contextlib
import threading
import weakref

from tensorflow.framework.context import sessions


def turn(session):
    """`with turn(session):` the variables of its graph hold this session's values."""
    return _of(session.graph).turn(session)


def turn_of(variable, session=None):
    """The same of one variable; outside of all sessions nothing has to change."""
    session = session or sessions.innermost()
    known = () if session is None else session.graph.__dict__.get("session_variables", ())
    return turn(session) if any(v is variable for v in known) else contextlib.nullcontext()


def _of(graph):
    return graph.__dict__.setdefault("_session_values", _Values(graph))


class _Values:
    def __init__(self, graph):
        self._graph = weakref.ref(graph)
        self._owner = None  # a weak reference: whose values the variables hold
        self._running = 0  # runs of the owner, of all threads
        self._changed = threading.Condition()
        self._kept = weakref.WeakKeyDictionary()  # session -> {variable: what it holds}, of the others

    @contextlib.contextmanager
    def turn(self, session):
        with self._changed:
            self._changed.wait_for(lambda: not self._running or self._owner() is session)
            if self._owner is not None and self._owner() is not session:
                self._exchange(self._owner(), session)
            self._owner = weakref.ref(session)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _exchange(self, before, session):
        variables = self._graph().__dict__.get("session_variables", ())
        if before is not None and not before._closed:
            self._kept[before] = {v: v.held() for v in variables}
        kept = self._kept.pop(session, {})
        for variable in variables:
            variable.hold(kept.get(variable))
