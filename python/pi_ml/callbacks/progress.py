# SPDX-License-Identifier: MIT
"""The progress bar: tqdm's in a terminal, a line now and then in a log."""
from __future__ import annotations

import collections
import math
import sys
import time
from typing import Any, Dict, List, Optional

import torch

from pi_ml import loading
from pi_ml.callbacks.base import Callback
from pi_ml.results import number


__path__: List[str] = []  # Lightning has a package here


class ProgressBar(Callback):
    """What bars have in common: which numbers they show, and how many batches are done and how many there are."""

    def __init__(self) -> None:
        self._losses: "collections.deque[Any]" = collections.deque(maxlen=20)
        self._trainer: Any = None

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        self._trainer = trainer
        if not trainer.is_global_zero:
            self.disable()

    @property
    def trainer(self) -> Any:
        """The trainer that it is of, once that has begun."""
        if self._trainer is None:
            raise TypeError(f"The `{type(self).__name__}._trainer` reference has not been set yet: a trainer sets it when it "
                            "fits, validates, tests or predicts.")
        return self._trainer

    train_batch_idx = property(lambda self: self.trainer._fit.batch)
    val_batch_idx = test_batch_idx = predict_batch_idx = property(lambda self: self.trainer._batches_of_loader)
    total_train_batches = property(lambda self: self.trainer.num_training_batches)
    total_val_batches = property(lambda self: sum(self.trainer.num_val_batches))

    @property
    def total_test_batches(self) -> Any:
        """Batches of all test loaders."""
        return _total(self.trainer.test_dataloaders, self.trainer.limit_test_batches, "limit_test_batches")

    @property
    def total_predict_batches(self) -> Any:
        """Batches of all loaders of predict."""
        return _total(self.trainer.predict_dataloaders, self.trainer.limit_predict_batches, "limit_predict_batches")

    def loss(self, value: Any) -> None:
        """Of one batch; the bar shows the mean of the last ones."""
        self._losses.append(value)

    def get_metrics(self, trainer: Any, pl_module: torch.nn.Module) -> Dict[str, Any]:
        """The values that the bar shows."""
        out = {}
        if self._losses:
            values = [float(v.float().mean()) if hasattr(v, "float") else float(v) for v in self._losses if v is not None]
            if values:
                out["loss"] = _short(sum(values) / len(values))
        if trainer.logger is not None and trainer.logger.version is not None:
            out["v_num"] = _version(trainer.logger.version)
        out.update({name: _short(number(value)) for name, value in trainer.progress_bar_metrics.items()})
        return out

    def print(self, *args: Any, **kwargs: Any) -> None:
        """Prints a line without breaking the bar."""
        print(*args, **kwargs)

    def disable(self) -> None:
        """Shows no bar."""

    def enable(self) -> None:
        """Shows a bar again."""


ProgressBarBase = ProgressBar  # as Lightning calls it


def _version(version):
    return version[-4:] if isinstance(version, str) else version


def _short(value):
    """Three digits, as far as they say something."""
    return f"{value:.3g}" if isinstance(value, float) else value


class TQDMProgressBar(ProgressBar):
    """refresh_rate: batches between two refreshes, 0 switches it off. Not a terminal: a line at most every 10 s."""

    _seconds_between_lines = 10

    def __init__(self, refresh_rate: int = 1, process_position: int = 0) -> None:
        super().__init__()
        self.refresh_rate, self.process_position = refresh_rate, process_position
        self._bar: Any = None
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    @property
    def is_enabled(self) -> bool:
        """Whether bars are shown."""
        return self.refresh_rate > 0

    def disable(self) -> None:
        self.refresh_rate = 0

    def print(self, *args: Any, sep: str = " ", **kwargs: Any) -> None:
        if self._bar is not None and self._terminal:
            self._bar.write(sep.join(map(str, args)))
        else:
            print(*args, sep=sep, **kwargs)

    # ---- training

    def on_train_epoch_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if not self.is_enabled:
            return
        total = trainer.num_training_batches
        if trainer.val_dataloaders and (trainer.current_epoch + 1) % trainer.check_val_every_n_epoch == 0:
            total += sum(trainer._fit._validation.batches()) * max(1, _rounds(trainer))
        self._epoch, self._start = trainer.current_epoch, time.monotonic()
        self._open(self.init_train_tqdm, total, f"Epoch {trainer.current_epoch}")
        self._done = trainer._fit.batch

    def on_train_batch_end(self, trainer: Any, pl_module: torch.nn.Module, outputs: Any, batch: Any, batch_idx: int,
                           *args: Any) -> None:
        if self._bar is not None:
            self._advance(lambda: self.get_metrics(trainer, pl_module))

    def on_train_epoch_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self._bar is None:
            return
        self._bar.set_postfix(self.get_metrics(trainer, pl_module), refresh=False)
        self._close()

    # ---- the rest

    def on_sanity_check_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self.is_enabled:
            self._open(self.init_sanity_tqdm, sum(trainer._fit._validation.batches(trainer.num_sanity_val_steps)))

    def on_sanity_check_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._close(leave=False)

    def on_validation_batch_end(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        if self._bar is not None:
            self._advance()

    def on_validation_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._alone = self._bar is None
        if self._alone and self.is_enabled:
            self._open(self.init_validation_tqdm, sum(b for b in trainer.num_val_batches))

    def on_validation_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self._alone:
            self._close()
        elif self._bar is not None:
            self._bar.set_postfix(self.get_metrics(trainer, pl_module), refresh=False)

    def on_test_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._open(self.init_test_tqdm, self.total_test_batches)

    def on_test_batch_end(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        self._advance()

    def on_test_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._close()

    def on_predict_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._open(self.init_predict_tqdm, self.total_predict_batches)

    def on_predict_batch_end(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        self._advance()

    def on_predict_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._close()

    def on_exception(self, trainer: Any, pl_module: torch.nn.Module, exception: BaseException) -> None:
        self._close()

    # ---- bars

    def init_sanity_tqdm(self) -> Any:
        """Makes the bar of the check before a training. Override these to change a bar."""
        return self._made("Sanity Checking")

    def init_train_tqdm(self) -> Any:
        """Makes the bar of an epoch, which counts its validation too."""
        return self._made("Training")

    def init_validation_tqdm(self) -> Any:
        """Makes the bar of trainer.validate."""
        return self._made("Validating")

    def init_test_tqdm(self) -> Any:
        """Makes the bar of trainer.test."""
        return self._made("Testing")

    def init_predict_tqdm(self) -> Any:
        """Makes the bar of trainer.predict."""
        return self._made("Predicting")

    def _made(self, text):
        from tqdm import tqdm  # may be missing where no bar is wanted
        return tqdm(desc=text, position=self.process_position, file=sys.stderr, leave=True, dynamic_ncols=True, disable=False,
                    delay=math.inf, mininterval=0.1 if self._terminal else math.inf,
                    miniters=None if self._terminal else math.inf,
                    bar_format=None if self._terminal else "{desc}: {percentage:3.0f}% {n_fmt}/{total_fmt} "
                                                           "[{elapsed}<{remaining}, {rate_fmt}{postfix}]\n")

    def _open(self, make, total, text=None):
        if not self.is_enabled:
            return
        self._close()
        self._done, self._next = 0, time.monotonic() + (0 if self._terminal else self._seconds_between_lines)
        bar = self._bar = make()
        bar.total, bar.delay = None if total == math.inf else int(total), 0
        if text is not None:
            bar.set_description_str(text, refresh=False)
        bar.refresh()

    def _advance(self, metrics=None):
        """One batch more. Numbers are asked for only when they will be seen."""
        bar = self._bar
        if bar is None:
            return
        self._done += 1
        if self._done % self.refresh_rate:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.1 if self._terminal else self._seconds_between_lines)
        if metrics is not None:
            bar.set_postfix(metrics(), refresh=False)
        bar.n = self._done
        bar.refresh()

    def _close(self, leave=True):
        bar, self._bar = self._bar, None
        if bar is None:
            return
        bar.n = self._done
        bar.leave = leave
        if self._terminal or leave:
            bar.refresh()
        bar.leave = leave and self._terminal
        bar.disable = not self._terminal
        if self._terminal:
            bar.close()


def _total(loaders, limit, flag):
    return sum(loading.limited(loading.length(d), limit, flag) for d in loaders)


def _rounds(trainer):
    every = trainer._fit._every
    return 1 if every == math.inf else int(trainer.num_training_batches // every) if trainer.num_training_batches != math.inf \
        else 1
