# SPDX-License-Identifier: MIT
"""What operators get from where they are built: their role, name scopes, IPUs and stages."""
from __future__ import annotations

import contextlib
from typing import Iterator

_scopes = []
_shard = (-1, -1)


@contextlib.contextmanager
def name_scope(prefix: str | None = None) -> Iterator:
    """Names made within begin with this prefix."""
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
def ipu_shard_guard(index: int = -1, stage: int = -1) -> Iterator:
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
def device_guard(device: str | None = None) -> Iterator:
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
