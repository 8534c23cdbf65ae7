# SPDX-License-Identifier: MIT
"""set_ipu_shard: a layer or function whose operators belong to an IPU and a stage."""
from __future__ import annotations

import functools
from typing import Any

from ..guards import ipu_shard_guard
from ..nn.layer import Layer


def set_ipu_shard(call_func: Any, index: int = -1, stage: int = -1) -> Any:
    """A function that builds under ipu_shard_guard; of a layer the class is replaced in place."""
    def wrapped(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with ipu_shard_guard(index=index, stage=stage):
                return function(*args, **kwargs)
        return call

    if isinstance(call_func, Layer):
        kind: Any = type(call_func)

        class Sharded(kind):
            __call__ = wrapped(kind.__call__)

        Sharded.__name__ = kind.__name__
        call_func.__class__ = Sharded
        return call_func
    if callable(call_func) and hasattr(call_func, "__name__"):
        return wrapped(call_func)
    raise TypeError("Unsupported type. Only accept paddle.nn.Layer or function.")
