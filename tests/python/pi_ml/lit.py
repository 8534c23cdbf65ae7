# SPDX-License-Identifier: MIT
"""A small classifier and its data, for all tests of the trainer."""
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

import pi_ml as pl

_generator = torch.Generator().manual_seed(0)
ROWS = torch.randn(256, 12, generator=_generator)
LABELS = (ROWS @ torch.randn(12, 4, generator=_generator)).argmax(-1)


def loader(batch_size=8, rows=256, **kwargs):
    return DataLoader(TensorDataset(ROWS[:rows], LABELS[:rows]), batch_size=batch_size, **kwargs)


class Classifier(pl.LightningModule):
    """Logs its loss in the step; accuracies at the end of epochs."""

    def __init__(self, hidden=16, rate=0.01, dropout=0.0):
        super().__init__()
        self.save_hyperparameters()
        self.first = torch.nn.Linear(12, hidden)
        self.dropout = torch.nn.Dropout(dropout)
        self.second = torch.nn.Linear(hidden, 4)

    def forward(self, x):
        return self.second(self.dropout(torch.relu(self.first(x))))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x).float(), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        scores = self(x).float()
        self.log("val_loss", F.cross_entropy(scores, y))
        return (scores.argmax(-1) == y).float().mean()

    def validation_epoch_end(self, outputs):
        self.log("val_acc", torch.stack([o.mean() for o in outputs]).mean(), prog_bar=True)

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_acc", (self(x).argmax(-1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)


class Losses(pl.Callback):
    """What every training step returned."""

    def __init__(self):
        self.values = []

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, unused=0):
        self.values.append(outputs["loss"])

    def numbers(self):
        return [v.float().mean().item() for v in self.values]


def trainer(tmp_path, **kwargs):
    kwargs.setdefault("enable_progress_bar", False)
    kwargs.setdefault("enable_model_summary", False)
    kwargs.setdefault("logger", False)
    kwargs.setdefault("enable_checkpointing", False)
    kwargs.setdefault("max_epochs", 1)
    return pl.Trainer(default_root_dir=tmp_path, **kwargs)


def fit(tmp_path, model=None, train=None, val=None, **kwargs):
    """(trainer, model, losses) of a training that begins the same every time."""
    pl.seed_everything(3)
    model = Classifier() if model is None else model() if isinstance(model, type) else model
    losses = Losses()
    made = trainer(tmp_path, callbacks=[losses, *kwargs.pop("callbacks", ())], **kwargs)
    made.fit(model, loader(shuffle=True) if train is None else train, val)
    return made, model, losses.numbers()


def same_weights(one, other, **kwargs):
    for (name, a), (_, b) in zip(one.state_dict().items(), other.state_dict().items()):
        torch.testing.assert_close(a, b, msg=lambda text, n=name: f"{n}: {text}", **kwargs)
