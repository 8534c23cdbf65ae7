# SPDX-License-Identifier: MIT
"""ModelSummary: the table of layers before a training."""
from __future__ import annotations

from typing import Any

import torch

from pi_ml import summary
from pi_ml.callbacks.base import Callback
from pi_ml.log import log


class ModelSummary(Callback):
    """Prints the layers and their parameters when fit begins."""
    def __init__(self, max_depth: int = 1) -> None:
        self._max_depth = max_depth

    def on_fit_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if self._max_depth:
            log.info("\n%s", summary.ModelSummary(pl_module, self._max_depth))
