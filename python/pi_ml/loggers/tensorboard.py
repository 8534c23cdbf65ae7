# SPDX-License-Identifier: MIT
"""TensorBoardLogger: event files that TensorBoard reads, written without it."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

from popart._events import EventFile

from pi_ml.loggers.base import FolderLogger, rank_zero_experiment
from pi_ml.utilities.exceptions import MisconfigurationException


class TensorBoardLogger(FolderLogger):
    """Writes event files that TensorBoard reads. default_hp_metric: hyperparameters come with a metric hp_metric of -1."""

    def __init__(self, save_dir: Union[str, os.PathLike], name: str = "lightning_logs", version: Union[int, str, None] = None,
                 log_graph: bool = False, default_hp_metric: bool = False, prefix: str = "",
                 sub_dir: Optional[str] = None) -> None:
        if log_graph:
            raise MisconfigurationException("TensorBoardLogger(log_graph=True): graphs of models are not written; "
                                            "IPUStrategy(autoreport=True) shows what runs on IPUs.")
        super().__init__(save_dir, name, version)
        self._hp_metric = default_hp_metric
        self._prefix = prefix + "-" if prefix else ""
        self._file: Any = None
        self._sub_dir = sub_dir

    @property
    def log_dir(self) -> str:
        folder = super().log_dir
        return os.path.join(folder, self._sub_dir) if self._sub_dir else folder

    @property
    @rank_zero_experiment
    def experiment(self) -> Any:
        """The event file; made when it is first needed."""
        if self._file is None:
            self._file = EventFile(self.log_dir)
        return self._file

    def log_hyperparams(self, params: Any, metrics: Union[Mapping[str, Any], float, None] = None,
                        *args: Any, **kwargs: Any) -> None:
        """Keeps hyperparameters, and metrics that belong to them: by name, or one number as hp_metric."""
        super().log_hyperparams(params)
        if metrics is None and self._hp_metric:
            metrics = -1
        if metrics is not None:
            self.log_metrics(metrics if isinstance(metrics, Mapping) else {"hp_metric": metrics}, 0)

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        for name, value in metrics.items():
            if isinstance(value, dict):
                for part, number in value.items():
                    self.experiment.add_scalar(f"{self._prefix}{name}/{part}", number, step)
            else:
                self.experiment.add_scalar(self._prefix + name, value, step)

    def save(self) -> None:
        if self._file is not None:
            self._file.flush()

    def finalize(self, status: str) -> None:
        self.save()
