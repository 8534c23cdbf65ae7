# SPDX-License-Identifier: MIT
"""What operators get from where they are built: the program, name scopes, IPUs and stages."""
import contextlib

_scopes = []
_shard = (-1, -1)
_main = _startup = None


def _programs():
    global _main, _startup
    if _main is None:
        from .program import Program
        _main, _startup = Program(), Program()


def default_main_program():
    _programs()
    return _main


def default_startup_program():
    _programs()
    return _startup


def switch_main_program(program):
    global _main
    _programs()
    before, _main = _main, program
    return before


def switch_startup_program(program):
    global _startup
    _programs()
    before, _startup = _startup, program
    return before


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Layers within write into these programs."""
    from .program import Program
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


@contextlib.contextmanager
def name_scope(prefix=None):
    _scopes.append(prefix or "")
    try:
        yield
    finally:
        _scopes.pop()


@contextlib.contextmanager
def op_role(program, role):
    before, program._op_role = program._op_role, role
    try:
        yield
    finally:
        program._op_role = before


@contextlib.contextmanager
def ipu_shard_guard(index=-1, stage=-1):
    """Operators built within belong to this IPU (needs enable_manual_shard) and stage (needs enable_pipelining)."""
    for name, value in (("index", index), ("stage", stage)):
        if not isinstance(value, int) or isinstance(value, bool) or value < -1:
            raise ValueError(f"ipu_shard_guard: {name} must be -1 or a number from 0 on, not {value!r}.")
    global _shard
    before, _shard = _shard, (index, stage)
    try:
        yield
    finally:
        _shard = before


@contextlib.contextmanager
def device_guard(device=None):
    """Paddle's choice of a device for single operators; programs run on one kind of device here."""
    if device not in (None, "cpu"):
        raise ValueError(f"device_guard: {device!r} cannot be chosen for single operators; ipu_shard_guard can place them "
                         "on IPUs.")
    yield


def attributes(program):
    """Of an operator that is built now."""
    out = {"op_role": program._op_role}
    scope = "/" + "".join(f"{s}/" for s in _scopes if s)
    out["op_namescope"] = scope
    out["op_device"] = ""
    if _shard != (-1, -1):
        out["ipu_index"], out["ipu_stage"] = _shard
    return out
