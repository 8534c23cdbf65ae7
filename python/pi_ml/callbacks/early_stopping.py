# SPDX-License-Identifier: MIT
"""EarlyStopping: ends a training that gets no better."""
from __future__ import annotations

import math
from typing import Any, Dict, Optional

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.log import log
from pi_ml.results import number
from pi_ml.utilities.exceptions import MisconfigurationException


class EarlyStopping(Callback):
    """Stops when `monitor` did not improve by min_delta for `patience` checks, is not finite, or passes a threshold."""

    def __init__(self, monitor: str, min_delta: float = 0.0, patience: int = 3, verbose: bool = False, mode: str = "min",
                 strict: bool = True, check_finite: bool = True, stopping_threshold: Optional[float] = None,
                 divergence_threshold: Optional[float] = None, check_on_train_epoch_end: Optional[bool] = None) -> None:
        if mode not in ("min", "max"):
            raise MisconfigurationException(f"`mode` can be 'min' or 'max', got {mode}")
        self.monitor, self.patience, self.verbose, self.mode, self.strict = monitor, patience, verbose, mode, strict
        self.min_delta = abs(min_delta) * (1 if mode == "max" else -1)
        self.check_finite, self.stopping_threshold = check_finite, stopping_threshold
        self.divergence_threshold = divergence_threshold
        self._at_epoch_end = check_on_train_epoch_end
        self.wait_count = self.stopped_epoch = 0
        self._best = math.inf if mode == "min" else -math.inf

    @property
    def best_score(self) -> torch.Tensor:
        """The best value until now."""
        return torch.tensor(self._best)

    @property
    def state_key(self) -> str:
        return f"EarlyStopping{{'monitor': '{self.monitor}', 'mode': '{self.mode}'}}"

    def _better(self, value, than):
        return value > than if self.mode == "max" else value < than

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        if self._at_epoch_end is None:
            self._at_epoch_end = trainer.val_check_interval == 1.0 and trainer.check_val_every_n_epoch == 1

    def on_train_epoch_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self._at_epoch_end:
            self._check(trainer)

    def on_validation_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if not self._at_epoch_end and not trainer.sanity_checking and trainer.validating:
            self._check(trainer)

    def _check(self, trainer):
        metrics = trainer.callback_metrics
        if self.monitor not in metrics:
            text = (f"Early stopping conditioned on metric `{self.monitor}` which is not available. Pass in or modify your "
                    f"`EarlyStopping` callback to use any of the following: `{'`, `'.join(sorted(metrics)) or 'none'}`")
            if self.strict:
                raise RuntimeError(text)
            log.warning(text)
            return
        stop, reason = self._evaluate(number(metrics[self.monitor]))
        if stop:
            trainer.should_stop = True
            self.stopped_epoch = trainer.current_epoch
        if reason and self.verbose:
            log.info(reason)

    def _evaluate(self, value):
        if self.check_finite and not math.isfinite(value):
            return True, (f"Monitored metric {self.monitor} = {value} is not finite. Previous best value was "
                          f"{self.best_score:.3f}. Signaling Trainer to stop.")
        if self.stopping_threshold is not None and self._better(value, self.stopping_threshold):
            return True, (f"Stopping threshold reached: {self.monitor} = {value} has passed {self.stopping_threshold}. "
                          "Signaling Trainer to stop.")
        if self.divergence_threshold is not None and self._better(-value, -self.divergence_threshold):
            return True, (f"Divergence threshold reached: {self.monitor} = {value} has passed {self.divergence_threshold}. "
                          "Signaling Trainer to stop.")
        if self._better(value - self.min_delta, self._best):
            reason = f"Metric {self.monitor} improved. New best score: {value:.3f}"
            self._best, self.wait_count = value, 0
            return False, reason
        self.wait_count += 1
        if self.wait_count >= self.patience:
            return True, (f"Monitored metric {self.monitor} did not improve in the last {self.wait_count} records. Best "
                          f"score: {self.best_score:.3f}. Signaling Trainer to stop.")
        return False, None

    def state_dict(self) -> Dict[str, Any]:
        return {"wait_count": self.wait_count, "stopped_epoch": self.stopped_epoch, "best_score": self._best,
                "patience": self.patience}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self.wait_count, self.stopped_epoch = state["wait_count"], state["stopped_epoch"]
        self._best, self.patience = float(state["best_score"]), state["patience"]
