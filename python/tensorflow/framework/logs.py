# SPDX-License-Identifier: MIT
"""Lines for the user on stderr, as TensorFlow writes them. TF_CPP_MIN_LOG_LEVEL and the logger's level quiet them."""
from __future__ import annotations

import logging
import sys
from typing import Any

from .no_effect import ARGUMENTS

logger = logging.getLogger("tensorflow")


class _Format(logging.Formatter):
    def format(self, record):
        return f"{record.levelname}:tensorflow:{record.getMessage()}"


class _Stderr(logging.StreamHandler):
    @property
    def stream(self):
        return sys.stderr  # as it is now: tests and programs replace it

    @stream.setter
    def stream(self, value):
        pass


if not logger.handlers:
    handler = _Stderr()
    handler.setFormatter(_Format())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


def info(text, *args):
    logger.info(text, *args)


def warning(text: str, *args: Any) -> None:
    """Writes a warning to the log."""
    logger.warning(text, *args)


def without_effect(**given: Any) -> None:
    """Says of arguments that programs for hardware have and nothing here depends on that they do nothing, if they are given."""
    for name, value in given.items():
        if value not in (None, False):
            warning(f"{name} = {value!r} has no effect on the simulated IPU system: {ARGUMENTS[name]}.")
