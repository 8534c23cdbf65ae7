# SPDX-License-Identifier: MIT
"""The callbacks of a fit, evaluate or predict, called together."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from tensorflow.keras.engine.callback_base import EVENTS, History
from tensorflow.keras.engine.progress import ProgbarLogger


class CallbackList:
    """Several callbacks as one, in order."""
    def __init__(self, callbacks: Sequence | None, model: Any, add_progbar: bool = False, verbose: int = 1, epochs: int = 1,
                 steps: int | None = None, history: bool = True) -> None:
        if isinstance(callbacks, CallbackList):
            callbacks = callbacks.callbacks
        own = list(callbacks) if isinstance(callbacks, (list, tuple)) else [] if callbacks is None else [callbacks]
        self.callbacks = list(own)
        if add_progbar and not any(isinstance(c, ProgbarLogger) for c in own):
            self.callbacks.append(ProgbarLogger(count_mode="steps"))
        if history and not any(isinstance(c, History) for c in own):
            self.callbacks.append(History())
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params({"verbose": verbose, "epochs": epochs, "steps": steps})
        if history:
            model.history = next(c for c in self.callbacks if isinstance(c, History))

    def append(self, callback: Callable) -> None:
        """Adds one at the end."""
        self.callbacks.append(callback)


def _caller(name, numbered):
    def plain(self, logs=None):
        for callback in self.callbacks:
            getattr(callback, name)(logs if logs is not None else {})

    def with_number(self, number, logs=None):
        for callback in self.callbacks:
            getattr(callback, name)(number, logs if logs is not None else {})
    return with_number if numbered else plain


for _event in (*EVENTS, "train_batch_begin", "train_batch_end"):
    setattr(CallbackList, f"on_{_event}", _caller(f"on_{_event}", "batch" in _event or "epoch" in _event))
