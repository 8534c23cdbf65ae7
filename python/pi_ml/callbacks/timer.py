# SPDX-License-Identifier: MIT
"""Timer: how long the stages take, and an end for a training that takes too long."""
from __future__ import annotations

import datetime
import time
from typing import Any, Dict, Optional, Union

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.log import log
from pi_ml.utilities.exceptions import MisconfigurationException


class Timer(Callback):
    """duration: "DD:HH:MM:SS", a timedelta, or a dictionary of its arguments. interval: "step" or "epoch"."""

    def __init__(self, duration: Union[str, datetime.timedelta, Dict[str, int], None] = None, interval: str = "step",
                 verbose: bool = True) -> None:
        if interval not in ("step", "epoch"):
            raise MisconfigurationException(f"Unsupported parameter value `Timer(interval={interval!r})`. Possible choices "
                                            "are: step, epoch.")
        found = parsed(duration)
        self._limit = found.total_seconds() if found is not None else None
        self._interval, self._verbose = interval, verbose
        self._start: Dict[str, float] = {}
        self._end: Dict[str, Optional[float]] = {}
        self._before = 0.0

    def start_time(self, stage: str = "train") -> Optional[float]:
        """When a stage began, on time.monotonic's clock; None before."""
        return self._start.get(stage)

    def end_time(self, stage: str = "train") -> Optional[float]:
        """When a stage ended, on time.monotonic's clock; None before."""
        return self._end.get(stage)

    def time_elapsed(self, stage: str = "train") -> float:
        """Seconds spent in a stage."""
        if stage not in self._start:
            return self._before if stage == "train" else 0.0
        return (self._end.get(stage) or time.monotonic()) - self._start[stage] + (self._before if stage == "train" else 0.0)

    def time_remaining(self, stage: str = "train") -> Optional[float]:
        """Seconds left of the limit; None without one."""
        return None if self._limit is None else self._limit - self.time_elapsed(stage)

    def on_train_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._start["train"], self._end["train"] = time.monotonic(), None

    def on_train_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._end["train"] = time.monotonic()

    def on_validation_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._start["validate"], self._end["validate"] = time.monotonic(), None

    def on_validation_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._end["validate"] = time.monotonic()

    def on_test_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._start["test"], self._end["test"] = time.monotonic(), None

    def on_test_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._end["test"] = time.monotonic()

    def on_train_batch_end(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        if self._interval == "step":
            self._check(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self._interval == "epoch":
            self._check(trainer)

    def _check(self, trainer):
        if self._limit is not None and self.time_elapsed() >= self._limit and not trainer.should_stop:
            trainer.should_stop = True
            if self._verbose:
                log.info("Time limit reached. Elapsed time is %s. Signaling Trainer to stop.",
                         datetime.timedelta(seconds=int(self.time_elapsed())))

    def state_dict(self) -> Dict[str, Any]:
        return {"time_elapsed": {"train": self.time_elapsed()}}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self._before = state.get("time_elapsed", {}).get("train", 0.0)


def parsed(value: Any) -> Any:
    """A time as a timedelta: one, a dictionary of its arguments, or "DD:HH:MM:SS"."""
    if value is None or isinstance(value, datetime.timedelta):
        return value
    if isinstance(value, dict):
        try:
            return datetime.timedelta(**value)
        except TypeError:
            raise MisconfigurationException(f"max_time={value!r}: the keys are those of datetime.timedelta.") from None
    if isinstance(value, str):
        parts = value.strip().split(":")
        if len(parts) == 4 and all(p.isdigit() for p in parts):
            return datetime.timedelta(**dict(zip(("days", "hours", "minutes", "seconds"), map(int, parts))))
    raise MisconfigurationException(f"`Timer(duration={value!r})` is not a valid duration. Expected a string in the format "
                                    "DD:HH:MM:SS, a dictionary, or a timedelta.")
