# SPDX-License-Identifier: MIT
"""What the package says: information on the log "pi_ml" (shown on stderr unless it was set up), warnings as Python's."""
import functools
import logging
import warnings

from pi_ml import world

log = logging.getLogger("pi_ml")
if not log.handlers:
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO if world.rank() == 0 else logging.WARNING)
    log.propagate = False


def rank_zero_info(message, *args):
    if world.rank() == 0:
        log.info(message, *args)


def rank_zero_warn(message, category=UserWarning, stacklevel=3):
    if world.rank() == 0:
        warnings.warn(message, category, stacklevel=stacklevel)


def rank_zero_only(function):
    """Of several processes that poprun started only the first does it; in the others it returns None."""
    @functools.wraps(function)
    def first_only(*args, **kwargs):
        return function(*args, **kwargs) if world.rank() == 0 else None
    return first_only
