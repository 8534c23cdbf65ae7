# SPDX-License-Identifier: MIT
"""The line `Graph compilation: 100%|##########| 100/100 [00:12<00:00]` on stderr."""
from poptorch import _logging

_FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]"


class Bar:
    """As a context manager around a compilation; attach() connects it to a session."""

    def __init__(self, shown):
        self._shown = shown
        self._bar = None
        self.moved = False  # whether something was compiled

    def __enter__(self):
        return self

    def attach(self, session_options):
        session_options.compilationProgressTotal = 100
        session_options.compilationProgressLogger = self._progress
        if not self._shown:
            return
        try:
            from tqdm import tqdm  # it may be missing
        except ImportError:  # the bar is an ornament
            return
        self._bar = _logging.bar = tqdm(total=100, desc="Graph compilation", bar_format=_FORMAT)

    def _progress(self, done, total):
        self.moved = True
        if self._bar is not None:
            self._move(int(100 * done / total) if total else 100)

    def _move(self, percent):
        if percent > self._bar.n:
            self._bar.update(percent - self._bar.n)

    def __exit__(self, kind, *_):
        if self._bar is not None:
            if kind is None:
                self._move(100)
            if _logging.bar is self._bar:
                _logging.bar = None
            self._bar.close()
            self._bar = None
