# SPDX-License-Identifier: MIT
"""Static graphs are what there is; Paddle begins in its dynamic mode, so a program says enable_static() first."""
from __future__ import annotations
from paddle.typed import PlaceLike
_static = False


def enable_static() -> None:
    """From here on layers and functions write operators into the current program."""
    global _static
    _static = True


def disable_static(place: PlaceLike | None = None) -> None:
    """Back to Paddle's dynamic mode, of which only data (to_tensor) is here."""
    global _static
    _static = False


def in_dynamic_mode() -> bool:
    """Whether operators compute at once, not in a program."""
    return not _static


def require_static(what):
    if not _static:
        raise RuntimeError(f"{what} belongs to static graphs: call paddle.enable_static() before. The dynamic graph is "
                           "not in this package; docs/paddle.md lists what is there.")
