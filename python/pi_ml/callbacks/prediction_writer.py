# SPDX-License-Identifier: MIT
"""BasePredictionWriter: keeps what predict gives, batch by batch or at its end."""
from __future__ import annotations

from typing import Any, List, Optional

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.utilities.exceptions import MisconfigurationException

_intervals = ("batch", "epoch", "batch_and_epoch")


class BasePredictionWriter(Callback):
    """Override write_on_batch_end, write_on_epoch_end or both. write_interval: "batch", "epoch" or "batch_and_epoch".

    batch_indices: the numbers of the rows in the data set, where the loader takes them in their order; None where it does not.
    """

    def __init__(self, write_interval: str = "batch") -> None:
        if write_interval not in _intervals:
            raise MisconfigurationException(f"`write_interval` should be one of {', '.join(_intervals)}, not "
                                            f"{write_interval!r}.")
        self.interval = write_interval
        self._indices: List[List[Optional[List[int]]]] = []

    def write_on_batch_end(self, trainer: Any, pl_module: torch.nn.Module, prediction: Any,
                           batch_indices: Optional[List[int]], batch: Any, batch_idx: int, dataloader_idx: int) -> None:
        """Called with what predict_step gave for a batch."""
        raise NotImplementedError(f"{type(self).__name__} has no write_on_batch_end().")

    def write_on_epoch_end(self, trainer: Any, pl_module: torch.nn.Module, predictions: List[Any],
                           batch_indices: Optional[List[Any]]) -> None:
        """Called with what all batches gave."""
        raise NotImplementedError(f"{type(self).__name__} has no write_on_epoch_end().")

    def on_predict_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._indices = [[] for _ in trainer.predict_dataloaders]

    def on_predict_batch_end(self, trainer: Any, pl_module: torch.nn.Module, outputs: Any, batch: Any, batch_idx: int,
                             dataloader_idx: int) -> None:
        found = self._indices[dataloader_idx]
        rows = trainer._rows
        first = sum(len(indices) for indices in found if indices)
        in_order = isinstance(getattr(trainer.predict_dataloaders[dataloader_idx], "sampler", None),
                              torch.utils.data.SequentialSampler)
        found.append(list(range(first, first + rows)) if in_order else None)
        if "batch" in self.interval:
            self.write_on_batch_end(trainer, pl_module, outputs, found[-1], batch, batch_idx, dataloader_idx)

    def on_predict_epoch_end(self, trainer: Any, pl_module: torch.nn.Module, outputs: List[Any]) -> None:
        if "epoch" in self.interval:
            self.write_on_epoch_end(trainer, pl_module, outputs, self._indices)
