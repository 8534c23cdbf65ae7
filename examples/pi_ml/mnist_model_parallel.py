#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The classifier of mnist.py spread over four IPUs: as a pipeline, with BeginBlock or with Block, times replicas.

With --accumulate 7 or more the four IPUs work at the same time, each on its own batch; with less one after the other.
"""
import argparse

import pi_ml as pl
import poptorch
import torch
from mnist import DigitsDataModule, LitClassifier, check
from pi_ml.strategies import IPUStrategy
from torch import nn


class BeginBlocks(LitClassifier):
    """A layer begins a block; what follows belongs to it until the next begins."""

    def __init__(self):
        super().__init__()
        self.l1 = poptorch.BeginBlock(nn.Linear(28 * 28, 128), ipu_id=0)
        self.l2 = poptorch.BeginBlock(nn.Linear(128, 64), ipu_id=1)
        self.l3 = poptorch.BeginBlock(nn.Linear(64, 32), ipu_id=2)
        self.l4 = poptorch.BeginBlock(nn.Linear(32, 10), ipu_id=3)

    def forward(self, x):
        x = torch.relu(self.l1(x.flatten(1)))
        return self.l4(torch.relu(self.l3(torch.relu(self.l2(x)))))


class Blocks(LitClassifier):
    """Blocks as contexts within forward."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(28 * 28, 128), nn.Linear(128, 64), nn.Linear(64, 32), nn.Linear(32, 10)])

    def forward(self, x):
        x = x.flatten(1)
        for ipu, layer in enumerate(self.layers):
            with poptorch.Block(ipu_id=ipu):
                x = layer(x if ipu == 0 else torch.relu(x))
        return x


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", choices=("begin", "within"), default="begin", help="BeginBlock, or Block in forward")
    parser.add_argument("--replicas", type=int, default=1, help="of the four IPUs each (default 1)")
    parser.add_argument("--accumulate", type=int, default=8, help="batches of one weight update (default 8)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=6000)
    parser.add_argument("--data", help="folder with MNIST's IDX files")
    parser.add_argument("--logs", default=".", help="folder for logs and checkpoints")
    parser.add_argument("--check", action="store_true", help="fail unless 70 %% of the test digits are recognised")
    args = parser.parse_args()
    pl.seed_everything(1)
    inference = poptorch.Options().deviceIterations(4).replicationFactor(args.replicas)  # a pipeline of four wants four
    trainer = pl.Trainer(ipus=args.replicas, max_epochs=args.epochs, accumulate_grad_batches=args.accumulate,
                         strategy=IPUStrategy(inference_opts=inference), default_root_dir=args.logs)
    model = BeginBlocks() if args.blocks == "begin" else Blocks()
    data = DigitsDataModule(args.data, args.samples, batch_size=8)
    trainer.fit(model, datamodule=data)
    accuracy = trainer.test(model, datamodule=data)[0]["test_acc"]
    check(args.check, accuracy > 0.7, f"only {accuracy:.3f} of the test digits are recognised")


if __name__ == "__main__":
    main()
