# SPDX-License-Identifier: MIT
"""The programs that layers write into: the default ones, or those of a program_guard."""
from __future__ import annotations

import contextlib
from typing import Iterator

from .program import Program
from .typed import ProgramLike

_main, _startup = Program(), Program()


def default_main_program() -> Program:
    """The program that operators are added to now."""
    return _main


def default_startup_program() -> Program:
    """The program that gives parameters their first values."""
    return _startup


def switch_main_program(program):
    global _main
    before, _main = _main, program
    return before


def switch_startup_program(program):
    global _startup
    before, _startup = _startup, program
    return before


@contextlib.contextmanager
def program_guard(main_program: ProgramLike, startup_program: ProgramLike | None = None) -> Iterator:
    """Layers within write into these programs."""
    for program in (main_program, startup_program):
        if program is not None and not isinstance(program, Program):
            raise TypeError(f"program_guard needs a paddle.static.Program, not {program!r}.")
    before = switch_main_program(main_program)
    started = switch_startup_program(startup_program) if startup_program is not None else None
    try:
        yield
    finally:
        switch_main_program(before)
        if startup_program is not None:
            switch_startup_program(started)
