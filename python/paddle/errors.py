# SPDX-License-Identifier: MIT
"""What the layers below refuse, as Paddle's classes of errors, which are Python's."""
import contextlib

import popart_core

_popart = (popart_core.popart_exception, popart_core.poplibs_exception)
FAILURES = (*_popart, popart_core.poplar_exception)


def of(problem):
    """The error to raise in its place."""
    if isinstance(problem, popart_core.session_outofmemory_exception):
        return MemoryError(f"(ResourceExhausted) {problem}")
    wrong = isinstance(problem, _popart) and not isinstance(problem, popart_core.popart_internal_exception)
    return ValueError(f"(InvalidArgument) {problem}") if wrong else RuntimeError(f"(External) {problem}")


@contextlib.contextmanager
def translated():
    try:
        yield
    except FAILURES as problem:
        raise of(problem) from problem
