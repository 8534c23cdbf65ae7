# SPDX-License-Identifier: MIT
"""Callback and the list of them. History is always there."""


class Callback:
    def __init__(self):
        self.model, self.params, self.validation_data = None, None, None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs)


_EVENTS = ("epoch_begin", "epoch_end", "train_begin", "train_end", "test_begin", "test_end", "predict_begin", "predict_end",
           "test_batch_begin", "test_batch_end", "predict_batch_begin", "predict_batch_end")
for _event in _EVENTS:
    setattr(Callback, f"on_{_event}", lambda self, *args, **kwargs: None)


class BaseLogger(Callback):
    pass


class History(Callback):
    """What epochs gave: {name: [number, ...]}"""

    def __init__(self):
        super().__init__()
        self.history = {}

    def on_train_begin(self, logs=None):
        self.epoch = []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self


class CallbackList:
    def __init__(self, callbacks, model, add_progbar=False, verbose=1, epochs=1, steps=None, history=True):
        from tensorflow.keras.engine.progress import ProgbarLogger
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
        self.callbacks.append(callback)


def _caller(name, numbered):
    def plain(self, logs=None):
        for callback in self.callbacks:
            getattr(callback, name)(logs if logs is not None else {})

    def with_number(self, number, logs=None):
        for callback in self.callbacks:
            getattr(callback, name)(number, logs if logs is not None else {})
    return with_number if numbered else plain


for _event in (*_EVENTS, "train_batch_begin", "train_batch_end"):
    setattr(CallbackList, f"on_{_event}", _caller(f"on_{_event}", "batch" in _event or "epoch" in _event))
