# SPDX-License-Identifier: MIT
"""pi_ml: a trainer in the manner of Lightning, for models of PyTorch on simulated IPUs or on the CPU.

An own, small package, not PyTorch Lightning: what is here behaves as there, and docs/pi_ml.md lists what is not here.
"""
from pi_ml.datamodule import LightningDataModule
from pi_ml.module import LightningModule
from pi_ml.seeding import seed_everything
from pi_ml.trainer import Trainer
from pi_ml.callbacks.base import Callback
from pi_ml.version import VERSION as __version__
from pi_ml import accelerators, callbacks, loggers, plugins, strategies, utilities

__all__ = ["Callback", "LightningDataModule", "LightningModule", "Trainer", "seed_everything"]
