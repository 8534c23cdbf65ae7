# SPDX-License-Identifier: MIT
"""What the layers below refuse, as Paddle's classes of errors, which are Python's."""
import popart_core
from popart import _failures


def _as(kind, word):
    return lambda problem: kind(f"({word}) {problem}")


_TABLE: _failures.Table = {
    popart_core.popart_exception: _as(ValueError, "InvalidArgument"),
    popart_core.poplibs_exception: _as(ValueError, "InvalidArgument"),
    popart_core.popart_internal_exception: _as(RuntimeError, "Fatal"),
    popart_core.session_outofmemory_exception: _as(MemoryError, "ResourceExhausted"),
    popart_core.poplar_exception: _as(RuntimeError, "External"),
    # of the machine
    popart_core.poplar_system_runtime_error: _as(RuntimeError, "Fatal"),
    popart_core.poplar_recoverable_runtime_error: _as(RuntimeError, "Unavailable")}


def translated():
    """Within it, errors are Paddle's."""
    return _failures.translated(_TABLE)
