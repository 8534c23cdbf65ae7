# SPDX-License-Identifier: MIT
"""Functions that are used several times: equal parts of a program are found without being told."""
from __future__ import annotations

import functools
from typing import Any, Callable

from tensorflow.framework.logs import without_effect


def outlined_function(func: Callable | None = None, unique_sharding: bool = False, keep_input_layouts: Any = None,
                      name: str | None = None) -> Callable:
    """A decorator: the code of the function is on the IPU once for all its calls."""
    without_effect(unique_sharding=unique_sharding, keep_input_layouts=keep_input_layouts)

    def decorate(f):
        @functools.wraps(f)
        def call(*args, **kwargs):
            return f(*args, **kwargs)
        return call
    return decorate if func is None else decorate(func)


function = outlined_function
