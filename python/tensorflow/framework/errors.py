# SPDX-License-Identifier: MIT
"""TensorFlow's exceptions."""
from __future__ import annotations

from typing import Any

import popart_core
from popart import _failures


class OpError(Exception):
    """The base of errors of operations."""
    code = 2

    def __init__(self, node_def: Any, op: str | None = None, message: str | None = None, error_code: Any = None) -> None:
        if op is None and message is None:
            node_def, message = None, node_def
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = self.code if error_code is None else error_code


def _kind(code, name, text):
    return type(name, (OpError,), {"code": code, "__module__": __name__, "__doc__": text})


CancelledError = _kind(1, "CancelledError", "The operation was cancelled.")
UnknownError = _kind(2, "UnknownError", "An error of an unknown kind.")
InvalidArgumentError = _kind(3, "InvalidArgumentError", "An argument is wrong, or does not fit the others.")
DeadlineExceededError = _kind(4, "DeadlineExceededError", "It took too long.")
NotFoundError = _kind(5, "NotFoundError", "What was asked for, for instance a file, is not there.")
AlreadyExistsError = _kind(6, "AlreadyExistsError", "What was to be made is there already.")
PermissionDeniedError = _kind(7, "PermissionDeniedError", "The user may not do that.")
ResourceExhaustedError = _kind(8, "ResourceExhaustedError", "Memory is exhausted: the program does not fit the IPU's tiles.")
FailedPreconditionError = _kind(9, "FailedPreconditionError",
                                "Something must happen first, for instance the initialising of a variable.")
AbortedError = _kind(10, "AbortedError", "The operation was given up.")
OutOfRangeError = _kind(11, "OutOfRangeError", "There is no more data.")
UnimplementedError = _kind(12, "UnimplementedError", "This is not there.")
InternalError = _kind(13, "InternalError", "A mistake of the library.")
UnavailableError = _kind(14, "UnavailableError", "A service cannot be reached.")
DataLossError = _kind(15, "DataLossError", "A file is damaged.")
UnauthenticatedError = _kind(16, "UnauthenticatedError", "The user is not known.")

__all__ = [name for name in globals() if name.endswith("Error")]

failures = _failures.ALL


def _as(kind):
    return lambda problem: kind(None, None, str(problem))


_TABLE: _failures.Table = {
    popart_core.popart_exception: _as(InvalidArgumentError), popart_core.poplibs_exception: _as(InvalidArgumentError),
    popart_core.poplar_exception: _as(InvalidArgumentError), popart_core.popart_internal_exception: _as(InternalError),
    popart_core.session_outofmemory_exception: _as(ResourceExhaustedError),
    # of the machine
    popart_core.poplar_system_runtime_error: _as(InternalError),
    popart_core.poplar_recoverable_runtime_error: _as(UnavailableError)}


def translated():
    """What PopART and the conversion say, as TensorFlow's errors."""
    return _failures.translated(_TABLE)
