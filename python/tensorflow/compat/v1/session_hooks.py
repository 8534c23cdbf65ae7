# SPDX-License-Identifier: MIT
"""Hooks: what is called around every run of a training or evaluation."""
from __future__ import annotations

import collections
from typing import Any


class SessionRunArgs(collections.namedtuple("SessionRunArgs", "fetches feed_dict options")):
    """What a hook wants to be fetched."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = collections.namedtuple("SessionRunValues", "results options run_metadata")
SessionRunValues.__doc__ = "What a hook gets after a run: the values of what it asked for."


class SessionRunContext:
    """What a hook knows of a run: the session, and what was to be fetched."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        """Ends the training after this run."""
        self.stop_requested = True


class SessionRunHook:
    """The base of hooks. Override what you need."""

    def begin(self) -> None:
        """Called before the session is made: the graph may still grow."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called once the session is there: the graph is complete."""

    def before_run(self, run_context: SessionRunContext) -> None:
        """Called before each run. Give a SessionRunArgs to fetch more."""
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each run, with what was fetched."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an exception was raised."""


class Hooks:
    """All hooks of a loop of runs."""

    def __init__(self, hooks, session):
        self._hooks, self._session = list(hooks), session
        for hook in self._hooks:
            hook.after_create_session(session, None)

    def run(self, function):
        """function() is the run; whether a hook asked to stop."""
        context = SessionRunContext(None, self._session)
        wanted = [hook.before_run(context) for hook in self._hooks]
        function()
        for hook, args in zip(self._hooks, wanted):
            results = None if args is None else self._session.run(args.fetches, args.feed_dict)
            hook.after_run(context, SessionRunValues(results, None, None))
        return context.stop_requested

    def end(self):
        for hook in self._hooks:
            hook.end(self._session)
