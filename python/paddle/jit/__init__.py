# SPDX-License-Identifier: MIT
"""paddle.jit: of the dynamic graph; a layer that is built under program_guard is static already."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from .._names import refuse_unknown


def to_static(function: Callable | None = None, input_spec: Sequence | None = None, build_strategy: Any = None,
              property: bool = False) -> Any:
    """In a static program a layer is static already, so it is what it was. Called in the dynamic mode, its layers refuse."""
    return function if function is not None else (lambda f: f)


refuse_unknown(__name__)
