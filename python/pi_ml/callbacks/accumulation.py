# SPDX-License-Identifier: MIT
"""GradientAccumulationScheduler: other numbers of accumulated batches from some epochs on, on the CPU: an IPU's program has
one."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.utilities.exceptions import MisconfigurationException


class GradientAccumulationScheduler(Callback):
    """scheduling: {epoch: number of batches from then on}; 1 before the first."""

    def __init__(self, scheduling: Dict[int, int]) -> None:
        if not scheduling or any(not isinstance(n, int) or isinstance(n, bool) or n < least
                                 for epoch, count in scheduling.items() for n, least in ((epoch, 0), (count, 1))):
            raise MisconfigurationException("GradientAccumulationScheduler needs numbers of batches by epochs, such as "
                                            f"{{0: 1, 4: 8}}, not {scheduling!r}.")
        self.scheduling, self._now = {0: 1, **scheduling}, 1

    def going_to_accumulate_grad_batches(self) -> bool:
        """Whether any number is above 1."""
        return max(self.scheduling.values()) > 1

    def get_accumulate_grad_batches(self, epoch: int) -> int:
        """The number in an epoch."""
        return self.scheduling[max(first for first in self.scheduling if first <= epoch)]

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        if stage != "fit":
            return
        if trainer.accelerator.name == "ipu" and len(set(self.scheduling.values())) > 1:
            raise MisconfigurationException("IPUs currently does not support different `accumulate_grad_batches` at different "
                                            f"epochs: {self.scheduling}.")
        if trainer.accumulate_grad_batches not in (1, self._now):
            raise MisconfigurationException("Trainer(accumulate_grad_batches=...) and a GradientAccumulationScheduler say the "
                                            "same thing; give one of them.")
        self._set(trainer, 0)

    def on_train_epoch_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._set(trainer, trainer.current_epoch)

    def _set(self, trainer, epoch):
        self._now = trainer.accumulate_grad_batches = self.get_accumulate_grad_batches(epoch)
