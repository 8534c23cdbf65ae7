# SPDX-License-Identifier: MIT
"""What the package says: information on the log "pi_ml" (shown on stderr unless it was set up), warnings as Python's."""
import logging
import warnings

log = logging.getLogger("pi_ml")
if not log.handlers:
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)
    log.propagate = False


def rank_zero_info(message, *args):
    log.info(message, *args)


def rank_zero_warn(message, category=UserWarning, stacklevel=3):
    warnings.warn(message, category, stacklevel=stacklevel)


def rank_zero_only(function):
    """There is one process: everything is done by rank 0."""
    return function
