# SPDX-License-Identifier: MIT
"""Callbacks for users: stopping, checkpoints, rates, logs."""
from __future__ import annotations

import csv
import os
from typing import Any, Callable

import numpy as np
from popart import _files

from tensorflow import summary
from tensorflow.framework.logs import warning
from tensorflow.framework.typed import PathLike
from tensorflow.keras.engine.callback_base import Callback


class LambdaCallback(Callback):
    """A callback of functions: LambdaCallback(on_epoch_end=...)."""
    def __init__(self, **functions: Any) -> None:
        super().__init__()
        for name, function in functions.items():
            if function is not None:
                setattr(self, name, function)


class TerminateOnNaN(Callback):
    """Ends training when the loss is not a number."""
    def on_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class _Monitor(Callback):
    """Watches one number: lower is better, or higher."""

    def __init__(self, monitor, mode, min_delta=0.0):
        super().__init__()
        self.monitor = monitor
        if mode not in ("auto", "min", "max"):
            warning(f"{type(self).__name__} mode {mode} is unknown, fallback to auto mode.")
            mode = "auto"
        up = mode == "max" or mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure") or "auc" in monitor)
        self._sign = 1 if up else -1
        self.min_delta = abs(min_delta)
        self.best = -self._sign * np.inf

    def _better(self, value):
        return self._sign * (value - self.best) > self.min_delta

    def _value(self, logs):
        value = (logs or {}).get(self.monitor)
        if value is None:
            warning(f"{type(self).__name__} conditioned on metric `{self.monitor}` which is not available. Available metrics "
                    f"are: {','.join(logs or ())}")
        return value


class EarlyStopping(_Monitor):
    """Ends training when a value has stopped getting better."""
    def __init__(self, monitor: str = "val_loss", min_delta: int = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
                 baseline: Any = None, restore_best_weights: bool = False) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline, self._restore = patience, verbose, baseline, restore_best_weights

    def on_train_begin(self, logs: dict | None = None) -> None:
        self.wait = self.stopped_epoch = 0
        self.best = -self._sign * np.inf if self.baseline is None else self.baseline
        self.best_weights = None

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        value = self._value(logs)
        if value is None:
            return
        if self._restore and self.best_weights is None:
            self.best_weights = self.model.get_weights()
        self.wait += 1
        if self._better(value):
            self.best, self.wait = value, 0
            if self._restore:
                self.best_weights = self.model.get_weights()
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self._restore:
                if self.verbose > 0:
                    print("Restoring model weights from the end of the best epoch.")
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: dict | None = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(_Monitor):
    """Saves the model, or its weights, after epochs or batches."""
    def __init__(self, filepath: PathLike, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
                 save_weights_only: bool = False, mode: str = "auto", save_freq: str = "epoch", options: Any = None,
                 initial_value_threshold: float | None = None, **kwargs: Any) -> None:
        super().__init__(monitor, mode)
        self.filepath, self.verbose, self.save_freq = str(filepath), verbose, save_freq
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        if initial_value_threshold is not None:
            self.best = initial_value_threshold
        self._batches = 0

    def on_train_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        if self.save_freq != "epoch":
            before, self._batches = self._batches, self._batches + 1
            if self._batches // int(self.save_freq) > before // int(self.save_freq):
                self._save(self._epoch, logs)

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        self._epoch = epoch

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, logs)

    def _save(self, epoch, logs):
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.save_best_only:
            value = self._value(logs)
            if value is None or not self._better(value):
                return
            if self.verbose > 0:
                print(f"\nEpoch {epoch + 1:05d}: {self.monitor} improved from {self.best:0.5f} to {value:0.5f}, saving model "
                      f"to {path}")
            self.best = value
        elif self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: saving model to {path}")
        self.model.save_weights(path) if self.save_weights_only else self.model.save(path)


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch: schedule(epoch, rate)."""
    def __init__(self, schedule: Callable, verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        now = self.model.optimizer.rate_now()
        try:
            rate = self.schedule(epoch, now)
        except TypeError:
            rate = self.schedule(epoch)
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler setting learning rate to {float(rate)}.")

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        if logs is not None:
            logs["lr"] = self.model.optimizer.rate_now()


class ReduceLROnPlateau(_Monitor):
    """Makes the learning rate smaller when a value has stopped getting better."""
    def __init__(self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0,
                 mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0, min_lr: int = 0, **kwargs: Any) -> None:
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        super().__init__(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = factor, patience, verbose, cooldown, min_lr

    def on_train_begin(self, logs: dict | None = None) -> None:
        self._wait = self._cooling = 0
        self.best = -self._sign * np.inf

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        rate = self.model.optimizer.rate_now()
        if logs is not None:
            logs["lr"] = rate
        value = self._value(logs)
        if value is None:
            return
        if self._cooling > 0:
            self._cooling, self._wait = self._cooling - 1, 0
        if self._better(value):
            self.best, self._wait = value, 0
        elif self._cooling <= 0:
            self._wait += 1
            if self._wait >= self.patience and rate > self.min_lr:
                new = max(rate * self.factor, self.min_lr)
                self.model.optimizer.learning_rate = new
                if self.verbose > 0:
                    print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
                self._cooling, self._wait = self.cooldown, 0


class CSVLogger(Callback):
    """Writes one line for each epoch to a file."""
    def __init__(self, filename: PathLike, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.separator, self.append = str(filename), separator, append

    def on_train_begin(self, logs: dict | None = None) -> None:
        self._file = _files.growing(self.filename, anew=not self.append, newline="", encoding="utf-8")
        self._writer = None

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        row = {"epoch": epoch, **{k: (logs or {})[k] for k in sorted(logs or {})}}
        if self._writer is None:
            self._writer = csv.DictWriter(self._file, list(row), delimiter=self.separator)
            if not self.append:
                self._writer.writeheader()
        self._writer.writerow(row)
        self._file.flush()

    def on_train_end(self, logs: dict | None = None) -> None:
        self._file.close()


class TensorBoard(Callback):
    """Event files with losses and metrics: of every epoch, of every so many batches, or of every batch (update_freq).
    histogram_freq: distributions of weights of every so many epochs. Graphs, pictures and profiles are not written."""

    def __init__(self, log_dir: PathLike = "logs", histogram_freq: int = 0, write_graph: bool = True,
                 write_images: bool = False, update_freq: int | str = "epoch", profile_batch: int = 0,
                 embeddings_freq: int = 0, embeddings_metadata: Any = None, write_steps_per_second: bool = False) -> None:
        super().__init__()
        if update_freq not in ("batch", "epoch") and not (isinstance(update_freq, int) and update_freq > 0):
            raise ValueError(f"update_freq must be 'batch', 'epoch' or a number of batches, not {update_freq!r}.")
        for given, what in ((write_images, "write_images"), (embeddings_freq, "embeddings_freq"),
                            (write_steps_per_second, "write_steps_per_second")):
            if given:
                raise NotImplementedError(f"TensorBoard({what}=...) is not there: event files have numbers and distributions.")
        self.log_dir, self.histogram_freq = str(log_dir), histogram_freq
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._writers, self._batches = {}, 0

    def _write(self, kind, prefix, logs, step):
        if kind not in self._writers:
            self._writers[kind] = summary.create_file_writer(os.path.join(self.log_dir, kind))
        with self._writers[kind].as_default():
            for name, value in logs.items():
                summary.scalar(prefix + name, value, step=step)

    def on_train_batch_end(self, batch: Any, logs: dict | None = None) -> None:
        self._batches += 1
        if self.update_freq != "epoch" and self._batches % int(self.update_freq) == 0:
            self._write("train", "batch_", logs or {}, self._batches)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        logs = logs or {}
        self._write("train", "epoch_", {n: v for n, v in logs.items() if not n.startswith("val_")}, epoch)
        of_validation = {n[4:]: v for n, v in logs.items() if n.startswith("val_")}
        if of_validation:
            self._write("validation", "epoch_", of_validation, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            with self._writers["train"].as_default():
                for weight in self.model.weights:
                    summary.histogram(weight.name.replace(":", "_"), weight, step=epoch)

    def on_train_end(self, logs: dict | None = None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
