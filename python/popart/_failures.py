# SPDX-License-Identifier: MIT
"""What C++ throws, as a front end's own errors. Each front end has one table: which of its errors stands for which class here;
a class without a row has that of its base."""
import contextlib
from typing import Callable, Iterator, Mapping

from popart_core import poplar_exception, poplibs_exception, popart_exception

ALL = (popart_exception, poplar_exception, poplibs_exception)
Table = Mapping[type, Callable[[Exception], Exception]]


def error_of(problem: Exception, table: Table) -> Exception:
    """The error to raise in its place. The table has rows for ALL."""
    return next(table[kind] for kind in type(problem).__mro__ if kind in table)(problem)


@contextlib.contextmanager
def translated(table: Table) -> Iterator[None]:
    """Within it, errors are the table's."""
    try:
        yield
    except ALL as problem:
        raise error_of(problem, table) from None  # which says the same
