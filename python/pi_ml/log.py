# SPDX-License-Identifier: MIT
"""What the package says: information on the log "pi_ml" (shown on stderr unless it was set up), warnings as Python's."""
from __future__ import annotations

import functools
import logging
import warnings
from typing import Any, Callable, Type

from pi_ml import world

log = logging.getLogger("pi_ml")
if not log.handlers:
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO if world.rank() == 0 else logging.WARNING)
    log.propagate = False


def rank_zero_info(message: str, *args: Any) -> None:
    """Writes to the log, in the first process only."""
    if world.rank() == 0:
        log.info(message, *args)


def rank_zero_warn(message: str, category: Type[Warning] = UserWarning, stacklevel: int = 3) -> None:
    """Warns, in the first process only."""
    if world.rank() == 0:
        warnings.warn(message, category, stacklevel=stacklevel)


def rank_zero_debug(message: str, *args: Any) -> None:
    """Writes to the log of those who look for mistakes, in the first process only."""
    if world.rank() == 0:
        log.debug(message, *args)


def rank_zero_deprecation(message: str, stacklevel: int = 4) -> None:
    """Warns of what will go away, in the first process only."""
    rank_zero_warn(message, DeprecationWarning, stacklevel)


class PossibleUserWarning(UserWarning):
    """Of what may be a mistake."""


def rank_zero_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of several processes that poprun started only the first does it; in the others it returns None."""
    @functools.wraps(function)
    def first_only(*args, **kwargs):
        return function(*args, **kwargs) if world.rank() == 0 else None
    return first_only


rank_zero_only.rank = world.rank()  # type: ignore[attr-defined]
