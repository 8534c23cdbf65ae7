# SPDX-License-Identifier: MIT
"""pi_ml: a trainer in the manner of Lightning, for models of PyTorch on simulated IPUs or on the CPU.

An own, small package, not PyTorch Lightning: what is here behaves as there, and docs/pi_ml.md lists what is not here.
"""
import importlib as _importlib
import sys as _sys

from pi_ml.datamodule import LightningDataModule
from pi_ml.module import LightningModule
from pi_ml.seeding import seed_everything
from pi_ml.trainer import Trainer
from pi_ml.callbacks.base import Callback
from pi_ml.version import VERSION as __version__
from pi_ml import paths as _paths
from pi_ml import accelerators, callbacks, loggers, plugins, strategies, utilities

_sys.meta_path.insert(0, _paths.Finder(__name__))

__all__ = ["Callback", "LightningDataModule", "LightningModule", "Trainer", "seed_everything"]


def __getattr__(name):
    if name in _paths.MOVED:
        return _importlib.import_module(f"pi_ml.{name}")
    raise _paths.missing("", name)
