# SPDX-License-Identifier: MIT
"""TensorFlow's exceptions."""
import contextlib

import popart_core


class OpError(Exception):
    code = 2

    def __init__(self, node_def, op=None, message=None, error_code=None):
        if op is None and message is None:
            node_def, message = None, node_def
        super().__init__(message)
        self.node_def, self.op, self.message = node_def, op, message
        self.error_code = self.code if error_code is None else error_code


def _kinds():
    names = ("CancelledError", "UnknownError", "InvalidArgumentError", "DeadlineExceededError", "NotFoundError",
             "AlreadyExistsError", "PermissionDeniedError", "ResourceExhaustedError", "FailedPreconditionError",
             "AbortedError", "OutOfRangeError", "UnimplementedError", "InternalError", "UnavailableError", "DataLossError",
             "UnauthenticatedError")
    for code, name in enumerate(names, 1):
        yield name, type(name, (OpError,), {"code": code, "__module__": __name__})


globals().update(_kinds())

__all__ = [name for name in globals() if name.endswith("Error")]

failures = (popart_core.popart_exception, popart_core.poplar_exception, popart_core.poplibs_exception)


@contextlib.contextmanager
def translated():
    """What PopART and the conversion say, as TensorFlow's errors."""
    try:
        yield
    except failures as problem:
        text = str(problem)
        kind = ResourceExhaustedError if "out of memory" in text.lower() else InvalidArgumentError  # noqa: F821
        raise kind(None, None, text) from problem
