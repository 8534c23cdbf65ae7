# SPDX-License-Identifier: MIT
"""What C++ throws, as poptorch's errors."""
import contextlib

import popart_core

from .errors import Error, RecoverableError, UnrecoverableError

_recoverable = popart_core.poplar_recoverable_runtime_error
_unrecoverable = popart_core.poplar_unrecoverable_runtime_error
_others = (popart_core.popart_exception, popart_core.poplar_exception, popart_core.poplibs_exception)

failures = (_recoverable, _unrecoverable, *_others)


@contextlib.contextmanager
def translated():
    """Errors of the layers below come out as poptorch.Error and its like."""
    try:
        yield
    except _recoverable as problem:
        raise RecoverableError(str(problem), type(problem).__name__,
                               recovery_action=problem.recoveryAction.name) from problem
    except _unrecoverable as problem:
        raise UnrecoverableError(str(problem), type(problem).__name__) from problem
    except _others as problem:
        raise Error(str(problem), type(problem).__name__) from problem
