# SPDX-License-Identifier: MIT
"""LearningRateMonitor: logs the learning rates of all parameter groups."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.log import rank_zero_warn
from pi_ml.utilities.exceptions import MisconfigurationException


class LearningRateMonitor(Callback):
    """logging_interval: "step", "epoch", or None: each scheduler's own."""

    def __init__(self, logging_interval: Optional[str] = None, log_momentum: bool = False) -> None:
        if logging_interval not in (None, "step", "epoch"):
            raise MisconfigurationException("logging_interval should be `step` or `epoch` or `None`.")
        self.logging_interval, self.log_momentum = logging_interval, log_momentum
        self.lrs: Dict[str, Any] = {}

    def on_train_start(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        if not trainer.loggers:
            raise MisconfigurationException("Cannot use `LearningRateMonitor` callback with `Trainer` that has no logger.")
        if not trainer.lr_scheduler_configs:
            rank_zero_warn("You are using `LearningRateMonitor` callback with models that have no learning rate schedulers.")

    def on_train_batch_start(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        every = trainer.log_every_n_steps
        if self.logging_interval != "epoch" and every and (trainer.global_step + 1) % every == 0:
            self._log(trainer, "step")

    def on_train_epoch_start(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        if self.logging_interval != "step":
            self._log(trainer, "epoch")

    def _log(self, trainer, interval):
        configs = trainer.lr_scheduler_configs
        if self.logging_interval is None and configs and all(c["interval"] != interval for c in configs):
            return
        if self.logging_interval is None and not configs and interval == "step":
            return
        values = {}
        for optimizer, config in zip(trainer.optimizers, configs or [{"name": None}]):
            name = config.get("name") or f"lr-{type(optimizer).__name__}"
            groups = optimizer.param_groups
            for index, group in enumerate(groups):
                suffix = f"/pg{index + 1}" if len(groups) > 1 else ""
                values[name + suffix] = group["lr"]
                self.lrs.setdefault(name + suffix, []).append(group["lr"])
                if self.log_momentum:
                    values[f"{name}-momentum{suffix}"] = group.get("momentum", group.get("betas", (0,))[0])
        values["epoch"] = trainer.current_epoch
        for logger in trainer.loggers:
            logger.log_metrics(values, trainer.global_step)
