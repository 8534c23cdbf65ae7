# SPDX-License-Identifier: MIT
"""Callback: what happens beside the training, at the places that hooks name."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch


def _hook(self, trainer, pl_module, *args):
    pass


class Callback:
    """Override what you need. Every hook gets the trainer and the module first."""

    @property
    def state_key(self) -> str:
        """The name that its state has in checkpoints."""
        return type(self).__qualname__

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        """Called before fit, validate, test or predict begin."""

    def teardown(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        """Called when fit, validate, test or predict have ended."""

    def on_exception(self, trainer: Any, pl_module: torch.nn.Module, exception: BaseException) -> None: pass
    def on_save_checkpoint(self, trainer: Any, pl_module: torch.nn.Module, checkpoint: Dict[str, Any]) -> None: pass
    def on_load_checkpoint(self, trainer: Any, pl_module: torch.nn.Module, callback_state: Dict[str, Any]) -> None: pass

    def state_dict(self) -> Dict[str, Any]:
        """What checkpoints keep of it."""
        return {}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Takes what state_dict gave, from a checkpoint."""


for _name in ("fit_start", "fit_end", "sanity_check_start", "sanity_check_end", "train_start", "train_end", "epoch_start",
              "epoch_end", "train_epoch_start", "train_epoch_end", "train_batch_start", "train_batch_end",
              "before_zero_grad", "before_backward", "after_backward", "before_optimizer_step",
              *(f"{stage}_{place}" for stage in ("validation", "test", "predict")
                for place in ("start", "end", "epoch_start", "epoch_end", "batch_start", "batch_end"))):
    setattr(Callback, "on_" + _name, _hook)
