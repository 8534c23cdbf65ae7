# SPDX-License-Identifier: MIT
"""LambdaCallback: hooks as functions."""
from __future__ import annotations

from typing import Any, Callable

from popart import _spelling

from pi_ml.callbacks.base import Callback
from pi_ml.utilities.exceptions import MisconfigurationException


class LambdaCallback(Callback):
    """LambdaCallback(on_fit_end=lambda trainer, module: ...)."""

    def __init__(self, **hooks: Callable[..., Any]) -> None:
        for name in hooks:
            if not hasattr(Callback, name):
                raise MisconfigurationException(f"The event function: `{name}` doesn't exist."
                                                + _spelling.hint(name, dir(Callback)))
        # Hooks are looked up in classes: this object gets one of its own.
        self.__class__ = type("LambdaCallback", (LambdaCallback,), {name: staticmethod(f) for name, f in hooks.items()})
