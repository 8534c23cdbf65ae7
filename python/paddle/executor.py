# SPDX-License-Identifier: MIT
"""Executor: runs programs. One that was compiled for IPUs runs there; all others run on the CPU device, where the same
operators compute."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import current, scopes
from .compiled_program import CompiledProgram
from .cpu_runner import CpuRunner
from .places import CPUPlace, IPUPlace
from .program import Program
from .variable import Variable
from ._names import refuse_options
from .typed import PlaceLike, ProgramLike


class Executor:
    """place: where programs are to run."""

    def __init__(self, place: PlaceLike | None = None) -> None:
        if place is not None and not isinstance(place, (CPUPlace, IPUPlace)):
            raise TypeError(f"Executor needs a paddle.CPUPlace() or paddle.IPUPlace(), not {place!r}.")
        self.place = place or CPUPlace()
        self._closed = False

    def close(self) -> None:
        """Frees what was compiled."""
        self._closed = True

    def run(self, program: ProgramLike | None = None, feed: dict | int | None = None, fetch_list: Sequence | None = None,
            feed_var_name: str = "feed", fetch_var_name: str = "fetch", scope: Any = None, return_numpy: bool = True,
            use_program_cache: bool = False, return_merged: bool = True, use_prune: bool = False) -> list:
        """One step: values of the fetched variables, as numpy arrays."""
        refuse_options("Executor.run", use_prune=use_prune or None)
        if self._closed:
            raise RuntimeError("Attempted to use a closed Executor.")
        program = current.default_main_program() if program is None else program
        if isinstance(program, CompiledProgram):
            program = program._program
        if not isinstance(program, Program):
            raise TypeError(f"The type of 'program' in Executor.run must be paddle.static.Program or CompiledProgram, but "
                            f"received {type(program)}. IpuCompiledProgram must be compiled: "
                            "program = ipu_compiled.compile(feed_list, fetch_list).")
        feed, names = _feeds(feed), _fetches(fetch_list)
        runner = getattr(program, "_ipu_runner", None)
        if runner is None:
            runner = self._cpu_runner(program, feed, names, scope or scopes.global_scope())
        results = runner.run(feed, names)
        if return_numpy:
            return results
        return [_tensor(r) for r in results]

    def _cpu_runner(self, program, feed, names, scope):
        shapes = {name: _shape(name, value) for name, value in feed.items()}
        key = ("cpu", tuple(sorted(shapes.items())), tuple(names), id(scope))
        with scope._turn:
            runner = program._cache.get(key)
            if runner is None or not runner.fits():
                runner = program._cache[key] = CpuRunner(program, shapes, names, scope)
            return runner


def _shape(name, value):
    try:
        return value.shape if isinstance(value, np.ndarray) else np.shape(value)
    except ValueError as problem:
        raise ValueError(f"The feed {name!r} is not an array: {problem}") from None


def _tensor(array):
    out = scopes.LoDTensor()
    out.set(array)
    return out


def _feeds(feed):
    if feed is None:
        return {}
    if isinstance(feed, (list, tuple)) and len(feed) == 1:
        feed = feed[0]
    if not isinstance(feed, dict):
        raise TypeError(f"feed requires dict as its Parameter, but received {type(feed)}: "
                        "{'name of the data': numpy array}.")
    for name, value in feed.items():
        if value is None:
            raise TypeError(f"The feed {name!r} is None; a program needs arrays of numbers.")
    return {name.name if isinstance(name, Variable) else name: value for name, value in feed.items()}


def _flat(values):
    return [v for each in values for v in _flat(each)] if isinstance(values, (list, tuple)) else [values]


def _fetches(fetch_list):
    if fetch_list is None:
        return []
    fetch_list = _flat(fetch_list)
    for f in fetch_list:
        if not isinstance(f, (Variable, str)):
            raise TypeError(f"fetch_list must hold variables or their names, not {type(f)}.")
    return [f.name if isinstance(f, Variable) else f for f in fetch_list]
