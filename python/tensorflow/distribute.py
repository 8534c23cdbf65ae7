# SPDX-License-Identifier: MIT
"""tf.distribute: the strategy of the scope that is open."""
from __future__ import annotations

import contextlib as _contextlib
import enum
import typing as _typing

from tensorflow import _names
from tensorflow.framework.context import current
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any


class ReduceOp(enum.Enum):
    """How values of replicas become one."""
    SUM, MEAN = "SUM", "MEAN"


def has_strategy() -> bool:
    """Whether a strategy's scope is open."""
    return current.strategy is not None


def get_strategy() -> Any:
    """The open one; outside of all scopes one that does nothing."""
    return current.strategy or _Default()


class _Default:
    num_replicas_in_sync = 1

    def scope(self):
        return _contextlib.nullcontext(self)

    def run(self, fn, args=(), kwargs=None, options=None):
        return fn(*args, **(kwargs or {}))


_names.explain_missing(globals())
