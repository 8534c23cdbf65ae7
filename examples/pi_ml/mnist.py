#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a classifier of digits with pi_ml's Trainer, on IPUs or (--ipus 0) on the CPU with plain torch.

The data are MNIST's IDX files from a folder (--data), or digits that are drawn here.
"""
import argparse
import os
import sys

import pi_ml as pl
import torch
from pi_ml.strategies import IPUStrategy
from torch.nn import functional as F
from torch.utils.data import DataLoader, random_split

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "poptorch"))
from common import check, grey_images  # data of the examples of PopTorch


class LitClassifier(pl.LightningModule):
    """Two layers. What a step logs comes back from the IPU with the step's results."""

    def __init__(self, hidden_dim=128, learning_rate=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.l1 = torch.nn.Linear(28 * 28, hidden_dim)
        self.l2 = torch.nn.Linear(hidden_dim, 10)

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x.flatten(1))))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x).float(), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def accuracy(self, batch):
        x, y = batch
        return (self(x).argmax(dim=-1) == y).float().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_acc", self.accuracy(batch), prog_bar=True)

    def test_step(self, batch, batch_idx):
        self.log("test_acc", self.accuracy(batch))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)


class DigitsDataModule(pl.LightningDataModule):
    def __init__(self, folder=None, samples=6000, batch_size=32, workers=0):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        given = self.hparams
        whole = grey_images(given.folder, True, given.samples)
        held = len(whole) // 10
        self.train, self.val = random_split(whole, [len(whole) - held, held], torch.Generator().manual_seed(0))
        self.test = grey_images(given.folder, False, given.samples // 5)

    def loader(self, dataset, **kwargs):
        return DataLoader(dataset, self.hparams.batch_size, drop_last=True, num_workers=self.hparams.workers, **kwargs)

    def train_dataloader(self):
        return self.loader(self.train, shuffle=True)

    def val_dataloader(self):
        return self.loader(self.val)

    def test_dataloader(self):
        return self.loader(self.test)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ipus", type=int, default=1, help="replicas; 0 trains on the CPU (default 1)")
    parser.add_argument("--precision", type=int, choices=(16, 32), default=32, help="16: layers compute in half")
    parser.add_argument("--device-iterations", type=int, default=1, help="batches in a call of the device")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--samples", type=int, default=6000, help="drawn digits, without --data")
    parser.add_argument("--data", help="folder with MNIST's IDX files")
    parser.add_argument("--workers", type=int, default=0, help="processes that load data")
    parser.add_argument("--logs", default=".", help="folder for logs and checkpoints")
    parser.add_argument("--check", action="store_true", help="fail unless 70 %% of the test digits are recognised")
    return parser.parse_args()


def main():
    args = arguments()
    pl.seed_everything(1)
    where = {}
    if args.ipus:
        where = {"ipus": args.ipus, "strategy": IPUStrategy(device_iterations=args.device_iterations),
                 "precision": args.precision}
    trainer = pl.Trainer(max_epochs=args.epochs, default_root_dir=args.logs, **where)
    model = LitClassifier()
    data = DigitsDataModule(args.data, args.samples, args.batch_size, args.workers)
    trainer.fit(model, datamodule=data)
    accuracy = trainer.test(model, datamodule=data)[0]["test_acc"]
    check(args.check, accuracy > 0.7, f"only {accuracy:.3f} of the test digits are recognised")


if __name__ == "__main__":
    main()
