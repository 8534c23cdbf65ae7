# SPDX-License-Identifier: MIT
"""Callback and the list of them. History is always there."""
from __future__ import annotations

from tensorflow.framework.typed import TensorLike
from typing import Any


class Callback:
    """The base of callbacks: override the hooks on_... that you need."""
    def __init__(self):
        self.model, self.params, self.validation_data = None, None, None

    def set_params(self, params: TensorLike) -> None:
        """Called by fit with epochs, steps and verbosity."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Called by fit with the model that is trained."""
        self.model = model

    def on_batch_begin(self, batch: Any, logs: dict | None = None) -> None:
        pass

    def on_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        pass

    def on_train_batch_begin(self, batch: Any, logs: dict | None = None) -> None:
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        self.on_batch_end(batch, logs)


EVENTS = ("epoch_begin", "epoch_end", "train_begin", "train_end", "test_begin", "test_end", "predict_begin", "predict_end",
           "test_batch_begin", "test_batch_end", "predict_batch_begin", "predict_batch_end")
for _event in EVENTS:
    setattr(Callback, f"on_{_event}", lambda self, *args, **kwargs: None)


class BaseLogger(Callback):
    """Averages metrics over an epoch."""
    pass


class History(Callback):
    """What epochs gave: {name: [number, ...]}"""

    def __init__(self):
        super().__init__()
        self.history = {}

    def on_train_begin(self, logs: dict | None = None) -> None:
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self
