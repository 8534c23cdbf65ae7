# SPDX-License-Identifier: MIT
"""Hooks: what a module and a data module may override."""
from typing import Any


class ModuleHooks:
    """Hooks of a LightningModule, in the order in which they are called."""

    trainer: Any

    def configure_callbacks(self):
        return []

    def on_fit_start(self): pass
    def on_sanity_check_start(self): pass
    def on_sanity_check_end(self): pass
    def on_train_start(self): pass
    def on_epoch_start(self): pass
    def on_train_epoch_start(self): pass
    def on_train_batch_start(self, batch, batch_idx, unused=0): pass

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        return batch

    def on_before_zero_grad(self, optimizer): pass
    def on_before_backward(self, loss): pass
    def on_after_backward(self): pass
    def on_before_optimizer_step(self, optimizer, optimizer_idx): pass
    def on_train_batch_end(self, outputs, batch, batch_idx, unused=0): pass
    def on_train_epoch_end(self): pass
    def on_epoch_end(self): pass
    def on_train_end(self): pass
    def on_fit_end(self): pass

    def on_validation_model_eval(self):
        self.trainer.model.eval()

    def on_validation_model_train(self):
        self.trainer.model.train()

    def on_test_model_eval(self):
        self.trainer.model.eval()

    def on_test_model_train(self):
        self.trainer.model.train()

    def on_predict_model_eval(self):
        self.trainer.model.eval()

    def on_validation_start(self): pass
    def on_validation_epoch_start(self): pass
    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_validation_epoch_end(self): pass
    def on_validation_end(self): pass
    def on_test_start(self): pass
    def on_test_epoch_start(self): pass
    def on_test_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_test_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_test_epoch_end(self): pass
    def on_test_end(self): pass
    def on_predict_start(self): pass
    def on_predict_epoch_start(self): pass
    def on_predict_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_predict_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_predict_epoch_end(self, results): pass
    def on_predict_end(self): pass
    def on_save_checkpoint(self, checkpoint): pass
    def on_load_checkpoint(self, checkpoint): pass


class DataHooks:
    """Where data comes from; of a LightningModule and of a LightningDataModule."""

    def prepare_data(self): pass
    def setup(self, stage=None): pass
    def teardown(self, stage=None): pass

    def train_dataloader(self):
        return None

    def val_dataloader(self):
        return None

    def test_dataloader(self):
        return None

    def predict_dataloader(self):
        return None

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch
