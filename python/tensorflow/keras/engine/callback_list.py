# SPDX-License-Identifier: MIT
"""The callbacks of a fit, evaluate or predict, called together."""
from tensorflow.keras.engine.callback_base import EVENTS, History
from tensorflow.keras.engine.progress import ProgbarLogger


class CallbackList:
    """Several callbacks as one, in order."""
    def __init__(self, callbacks, model, add_progbar=False, verbose=1, epochs=1, steps=None, history=True):
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

    def append(self, callback):
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
