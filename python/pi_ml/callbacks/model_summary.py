# SPDX-License-Identifier: MIT
"""ModelSummary: the table of layers before a training."""
from pi_ml import summary
from pi_ml.callbacks.base import Callback
from pi_ml.log import log


class ModelSummary(Callback):
    def __init__(self, max_depth=1):
        self._max_depth = max_depth

    def on_fit_start(self, trainer, pl_module):
        if self._max_depth:
            log.info("\n%s", summary.ModelSummary(pl_module, self._max_depth))
