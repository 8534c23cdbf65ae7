# SPDX-License-Identifier: MIT
"""Names that are not there: an error that says so, and where the list is."""
from __future__ import annotations

import sys
import typing as _typing

from popart import _spelling
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any


def refuse_unknown(module: Any) -> None:
    """Gives a module a __getattr__ that names what is missing."""
    space = sys.modules[module].__dict__

    def unknown(name):
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        hint = _spelling.hint(name, (n for n in space if not n.startswith("_")), module + ".{}")
        raise AttributeError(f"{module}.{name} is not in this package, which has Paddle's static graphs for IPUs.{hint} "
                             "docs/paddle.md lists what is there.")

    space["__getattr__"] = unknown


def refuse_options(function: str, **given: Any) -> None:
    """Options that are not there: anything but None is an error."""
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError(f"(Unimplemented) {function}({name}={value!r}).")
