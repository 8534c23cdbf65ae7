# SPDX-License-Identifier: MIT
"""The bar of fit, evaluate and predict:

  468/937 [=============>................] - ETA: 3s - loss: 1.3210 - accuracy: 0.5511
  937/937 [==============================] - 6s 6ms/step - loss: 1.0539 - accuracy: 0.6629
"""
from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

from tensorflow.framework.typed import TensorLike
from tensorflow.keras.engine.callback_base import Callback


class Progbar:
    """verbose 1: a bar that is redrawn; 2: one line at the end."""

    def __init__(self, target: TensorLike, width: int = 30, verbose: int = 1, interval: float = 0.05,
                 stateful_metrics: Any = None, unit_name: str = "step") -> None:
        self.target, self.width, self.verbose, self.interval, self.unit = target, width, verbose, interval, unit_name
        self._dynamic = (hasattr(sys.stdout, "isatty") and sys.stdout.isatty()) or "ipykernel" in sys.modules \
            or "PYCHARM_HOSTED" in os.environ
        self._length, self._seen, self._values = 0, 0, {}
        self._start = time.time()
        self._last = 0
        self._after_first = None

    def update(self, current: int, values: TensorLike | None = None, finalize: bool | None = None) -> None:
        """Moves the bar to `current` and shows values."""
        finalize = current >= (self.target or float("inf")) if finalize is None else finalize
        for name, value in values or ():
            self._values[name] = value
        self._seen = current
        now = time.time()
        if self._after_first is None and current > 0:
            self._after_first = (now, current)
        if self.verbose == 1:
            if now - self._last < self.interval and not finalize:
                return
            self._draw(current, now, finalize)
        elif self.verbose == 2 and finalize:
            line = f"{current}/{self.target}" if self.target is not None else f"{current}"
            sys.stdout.write(line + self._time(current, now, True) + self._shown() + "\n")
            sys.stdout.flush()
        self._last = now

    def _draw(self, current, now, finalize):
        before = self._length
        if self._dynamic:
            sys.stdout.write("\b" * before + "\r")
        elif self._last or not self._dynamic:
            sys.stdout.write("\n")
        bar = self._bar(current)
        self._length = len(bar)
        rest = self._time(current, now, finalize) + self._shown()
        self._length += len(rest)
        line = bar + rest
        if before > self._length:
            line += " " * (before - self._length)
        if finalize:
            line += "\n"
        sys.stdout.write(line)
        sys.stdout.flush()

    def _bar(self, current):
        if self.target is None:
            return f"{current:7d}/Unknown"
        digits = int(np.log10(max(self.target, 1))) + 1
        filled = int(self.width * min(1.0, current / self.target))
        line = f"{current:{digits}d}/{self.target} ["
        if filled > 0:
            line += "=" * (filled - 1) + (">" if current < self.target else "=")
        return line + "." * (self.width - filled) + "]"

    def _time(self, current, now, finalize):
        per_unit = self._per_unit(current, now)
        if self.target is None or finalize:
            return f" - {now - self._start:.0f}s" + _per_step(per_unit, self.unit)
        return f" - ETA: {_duration(per_unit * (self.target - current))}"

    def _per_unit(self, current, now):
        """Without the first one, which compiles."""
        if not current:
            return 0
        first, steps = self._after_first if self._after_first is not None else (self._start, 0)
        if current > steps:
            return (now - first) / (current - steps)
        return (now - self._start) / current

    def _shown(self):
        out = ""
        for name, value in self._values.items():
            if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
                out += f" - {name}: [" + ", ".join(f"{v:.4f}" for v in np.ravel(value)) + "]"
            elif value is None:
                out += f" - {name}: None"
            else:
                value = float(value)
                out += f" - {name}: {value:.4f}" if abs(value) > 1e-3 else f" - {name}: {value:.4e}"
        return out

    def add(self, n: int, values: TensorLike | None = None) -> None:
        """Moves the bar on by n steps."""
        self.update(self._seen + n, values)


def _per_step(seconds, unit):
    if seconds >= 1 or seconds == 0:
        return f" {seconds:.0f}s/{unit}"
    if seconds >= 1e-3:
        return f" {seconds * 1e3:.0f}ms/{unit}"
    return f" {seconds * 1e6:.0f}us/{unit}"


def _duration(seconds):
    if seconds > 3600:
        return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}:{seconds % 60:02.0f}"
    if seconds > 60:
        return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"
    return f"{seconds:.0f}s"


class ProgbarLogger(Callback):
    """Shows a bar with the metrics while fit, evaluate and predict run."""
    def __init__(self, count_mode: str = "samples", stateful_metrics: Any = None) -> None:
        super().__init__()
        self._bar = None

    def _begin(self):
        self._bar = Progbar(self.params["steps"], verbose=self.params["verbose"])

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        if self.params["verbose"] and self.params["epochs"] > 1:
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._begin()

    def on_test_begin(self, logs: dict | None = None) -> None:
        if self._bar is None:
            self._begin()

    def on_predict_begin(self, logs: dict | None = None) -> None:
        self._begin()

    def on_train_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        self._step(batch, logs)

    def on_test_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        self._step(batch, logs)

    def on_predict_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        self._step(batch, {})

    def _step(self, batch, logs):
        self._bar.update(batch + 1, list((logs or {}).items()), finalize=False)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        self._end(logs)

    def on_test_end(self, logs: dict | None = None) -> None:
        self._end(logs)

    def on_predict_end(self, logs: dict | None = None) -> None:
        self._end({})

    def _end(self, logs):
        bar = self._bar
        if bar.target is None:
            bar.target = bar._seen
        bar.update(bar.target, list((logs or {}).items()), finalize=True)
