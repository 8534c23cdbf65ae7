# SPDX-License-Identifier: MIT
"""What C++ throws, as poptorch's errors."""
import contextlib
import functools

import popart_core

from .errors import Error, RecoverableError, UnrecoverableError

_recoverable = popart_core.poplar_recoverable_runtime_error
_unrecoverable = popart_core.poplar_unrecoverable_runtime_error
_others = (popart_core.popart_exception, popart_core.poplar_exception, popart_core.poplibs_exception)

failures = (_recoverable, _unrecoverable, *_others)


def error_of(problem):
    """The poptorch.Error for what a layer below raised."""
    kind = type(problem).__name__
    if isinstance(problem, _recoverable):
        return RecoverableError(str(problem), kind, recovery_action=problem.recoveryAction.name)
    return (UnrecoverableError if isinstance(problem, _unrecoverable) else Error)(str(problem), kind)


@contextlib.contextmanager
def translated():
    """Errors of the layers below come out as poptorch.Error and its like."""
    try:
        yield
    except failures as problem:
        raise error_of(problem) from problem


def entry(method):
    """A method of an executor that users call: one thread at a time, with errors as poptorch's."""
    @functools.wraps(method)
    def called(self, *args, **kwargs):
        with self._lock:
            try:
                return method(self, *args, **kwargs)
            except failures as problem:
                raise error_of(problem) from problem
    return called
