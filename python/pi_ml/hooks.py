# SPDX-License-Identifier: MIT
"""Hooks: what a module and a data module may override."""
from __future__ import annotations

from typing import Any, Dict, Optional

import torch


class CheckpointHooks:
    """Hooks around checkpoints; of a LightningModule and of a LightningDataModule."""

    def on_save_checkpoint(self, checkpoint: Dict[str, Any]) -> None: pass
    def on_load_checkpoint(self, checkpoint: Dict[str, Any]) -> None: pass


class ModuleHooks(CheckpointHooks):
    """Hooks of a LightningModule, in the order in which they are called."""

    trainer = None  # type: Any  # not an annotation, which torch.jit.script would read

    def configure_callbacks(self) -> Any:
        return []

    def on_fit_start(self) -> None: pass
    def on_sanity_check_start(self) -> None: pass
    def on_sanity_check_end(self) -> None: pass
    def on_train_start(self) -> None: pass
    def on_epoch_start(self) -> None: pass
    def on_train_epoch_start(self) -> None: pass
    def on_train_batch_start(self, batch: Any, batch_idx: int, unused: int = 0) -> Any: pass

    def transfer_batch_to_device(self, batch: Any, device: torch.device, dataloader_idx: int) -> Any:
        return batch

    def on_before_zero_grad(self, optimizer: torch.optim.Optimizer) -> None: pass
    def on_before_backward(self, loss: torch.Tensor) -> None: pass
    def on_after_backward(self) -> None: pass
    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer, optimizer_idx: int) -> None: pass
    def on_train_batch_end(self, outputs: Any, batch: Any, batch_idx: int, unused: int = 0) -> None: pass
    def on_train_epoch_end(self) -> None: pass
    def on_epoch_end(self) -> None: pass
    def on_train_end(self) -> None: pass
    def on_fit_end(self) -> None: pass

    def on_validation_model_eval(self) -> None:
        self.trainer.model.eval()

    def on_validation_model_train(self) -> None:
        self.trainer.model.train()

    def on_test_model_eval(self) -> None:
        self.trainer.model.eval()

    def on_test_model_train(self) -> None:
        self.trainer.model.train()

    def on_predict_model_eval(self) -> None:
        self.trainer.model.eval()

    def on_validation_start(self) -> None: pass
    def on_validation_epoch_start(self) -> None: pass
    def on_validation_batch_start(self, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_validation_batch_end(self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_validation_epoch_end(self) -> None: pass
    def on_validation_end(self) -> None: pass
    def on_test_start(self) -> None: pass
    def on_test_epoch_start(self) -> None: pass
    def on_test_batch_start(self, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_test_batch_end(self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_test_epoch_end(self) -> None: pass
    def on_test_end(self) -> None: pass
    def on_predict_start(self) -> None: pass
    def on_predict_epoch_start(self) -> None: pass
    def on_predict_batch_start(self, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_predict_batch_end(self, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int) -> None: pass
    def on_predict_epoch_end(self, results: Any) -> None: pass
    def on_predict_end(self) -> None: pass


ModelHooks = ModuleHooks  # as Lightning calls them


class DataHooks:
    """Where data comes from; of a LightningModule and of a LightningDataModule."""

    def prepare_data(self) -> None: pass
    def setup(self, stage: Optional[str] = None) -> None: pass
    def teardown(self, stage: Optional[str] = None) -> None: pass

    def train_dataloader(self) -> Any:
        return None

    def val_dataloader(self) -> Any:
        return None

    def test_dataloader(self) -> Any:
        return None

    def predict_dataloader(self) -> Any:
        return None

    def on_before_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch
