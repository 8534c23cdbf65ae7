# SPDX-License-Identifier: MIT
"""Where metrics go."""
from __future__ import annotations

from typing import Any

from pi_ml import paths
from pi_ml.loggers.base import Logger, LightningLoggerBase, rank_zero_experiment
from pi_ml.loggers.csv_logs import CSVLogger
from pi_ml.loggers.tensorboard import TensorBoardLogger
from pi_ml.utilities.exceptions import MisconfigurationException


def loggers_of(given: Any, root: Any) -> Any:
    """Trainer's flag `logger` as a list: True is TensorBoard's files below the root folder."""
    if given is True:
        return [TensorBoardLogger(root, name="lightning_logs")]
    if given is False or given is None:
        return []
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    for logger in found:
        if not isinstance(logger, Logger):
            raise MisconfigurationException(f"Trainer(logger={logger!r}): a Logger of pi_ml.loggers is needed, True or False.")
    return found


def __getattr__(name):
    raise paths.missing("loggers", name)
