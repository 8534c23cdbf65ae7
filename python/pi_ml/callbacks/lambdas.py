# SPDX-License-Identifier: MIT
"""LambdaCallback: hooks as functions."""
import difflib

from pi_ml.callbacks.base import Callback
from pi_ml.utilities.exceptions import MisconfigurationException


class LambdaCallback(Callback):
    """LambdaCallback(on_fit_end=lambda trainer, module: ...)."""

    def __init__(self, **hooks):
        for name in hooks:
            if not hasattr(Callback, name):
                near = difflib.get_close_matches(name, dir(Callback), 1)
                raise MisconfigurationException(f"The event function: `{name}` doesn't exist."
                                                + (f" Did you mean {near[0]!r}?" if near else ""))
        # Hooks are looked up in classes: this object gets one of its own.
        self.__class__ = type("LambdaCallback", (LambdaCallback,), {name: staticmethod(f) for name, f in hooks.items()})
