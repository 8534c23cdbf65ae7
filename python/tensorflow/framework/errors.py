# SPDX-License-Identifier: MIT
"""TensorFlow's exceptions."""
import contextlib

import popart_core


class OpError(Exception):
    """The base of errors of operations."""
    code = 2

    def __init__(self, node_def, op=None, message=None, error_code=None):
        if op is None and message is None:
            node_def, message = None, node_def
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = self.code if error_code is None else error_code


def _kind(code, name):
    return type(name, (OpError,), {"code": code, "__module__": __name__})


CancelledError = _kind(1, "CancelledError")
UnknownError = _kind(2, "UnknownError")
InvalidArgumentError = _kind(3, "InvalidArgumentError")
DeadlineExceededError = _kind(4, "DeadlineExceededError")
NotFoundError = _kind(5, "NotFoundError")
AlreadyExistsError = _kind(6, "AlreadyExistsError")
PermissionDeniedError = _kind(7, "PermissionDeniedError")
ResourceExhaustedError = _kind(8, "ResourceExhaustedError")
FailedPreconditionError = _kind(9, "FailedPreconditionError")
AbortedError = _kind(10, "AbortedError")
OutOfRangeError = _kind(11, "OutOfRangeError")
UnimplementedError = _kind(12, "UnimplementedError")
InternalError = _kind(13, "InternalError")
UnavailableError = _kind(14, "UnavailableError")
DataLossError = _kind(15, "DataLossError")
UnauthenticatedError = _kind(16, "UnauthenticatedError")

__all__ = [name for name in globals() if name.endswith("Error")]

failures = (popart_core.popart_exception, popart_core.poplar_exception, popart_core.poplibs_exception)


@contextlib.contextmanager
def translated():
    """What PopART and the conversion say, as TensorFlow's errors."""
    try:
        yield
    except failures as problem:
        too_large = isinstance(problem, popart_core.session_outofmemory_exception)
        raise (ResourceExhaustedError if too_large else InvalidArgumentError)(None, None, str(problem)) from problem
