# SPDX-License-Identifier: MIT
"""Inner names that public programs and the user guide use: poptorch._impl, and what poptorch.poptorch_core has in Python."""
import enum

from poptorch.base.current import current
from poptorch.errors import Error


def isDispatchTracing() -> bool:
    """Whether this thread captures a model."""
    return current() is not None


isCompilingWithDispatcher = isDispatchTracing


class TestErrorType(enum.Enum):
    """Errors that _throwTestError raises, to try what a program does then."""
    __test__ = False  # no case of pytest's
    Poptorch = 0
    Popart = 1
    PopartInternal = 2
    Poplibs = 3
    PoplarUnrecoverable = 4
    PoplarUnknown = 5
    PoplarRecoverableFullReset = 6
    PoplarLinkError = 7


_THROWN = {TestErrorType.Popart: "popart_error", TestErrorType.PopartInternal: "popart_internal_error",
           TestErrorType.Poplibs: "poplibs_error", TestErrorType.PoplarUnrecoverable: "unrecoverable_runtime_error",
           TestErrorType.PoplarUnknown: "unknown_runtime_error", TestErrorType.PoplarLinkError: "poplar_error"}


def _throwTestError(kind: TestErrorType):
    """Raises what an error of this kind becomes, in a model or by itself."""
    import popart_core  # import time: it loads PopART
    from poptorch.base.translate import translated  # import time: popart_core
    kind = TestErrorType(kind)
    text = f"This is a {kind.name} error for tests."
    if kind == TestErrorType.Poptorch:
        raise Error(text, "poptorch_cpp_error", ["_throwTestError"])
    with translated():
        if kind == TestErrorType.PoplarRecoverableFullReset:
            popart_core._throw_recoverable_runtime_error(text, popart_core.RecoveryAction.FULL_RESET)
        getattr(popart_core, "_throw_" + _THROWN[kind])(text)


throwTestError = _throwTestError


def _validateOptions(options: dict):
    """poptorch.Error unless all of a dict like that of Options.toDict() are options, with values that they can have."""
    from poptorch.options.popart import validate  # import time: popart
    validate(options)
