# SPDX-License-Identifier: MIT
"""CSVLogger: metrics.csv, one line a step, a column a metric."""
from __future__ import annotations

import csv
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from popart import _files

from pi_ml.loggers.base import FolderLogger


class CSVLogger(FolderLogger):
    """flush_logs_every_n_steps: how many lines are kept before the file is written."""

    def __init__(self, save_dir: Union[str, os.PathLike], name: str = "lightning_logs", version: Union[int, str, None] = None,
                 prefix: str = "", flush_logs_every_n_steps: int = 100) -> None:
        super().__init__(save_dir, name, version)
        self._prefix = prefix + "-" if prefix else ""
        self._every = max(1, flush_logs_every_n_steps)
        self._rows: List[Dict[str, Any]] = []
        self._columns: List[str] = []
        self._new = 0

    @property
    def experiment(self) -> Any:
        """What writes the file: log_metrics, log_hyperparams and save."""
        return self

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        row = {self._prefix + name if name != "epoch" else name: value for name, value in metrics.items()}
        row["step"] = len(self._rows) if step is None else step
        for name in row:
            if name not in self._columns:
                self._columns.append(name)
        self._rows.append(row)
        self._new += 1
        if self._new >= self._every:
            self.save()

    def save(self) -> None:
        """The whole file: later metrics may add columns."""
        if not self._new:
            return
        os.makedirs(self.log_dir, exist_ok=True)
        path = os.path.join(self.log_dir, "metrics.csv")
        with _files.writing(path, encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=self._columns)
            writer.writeheader()
            writer.writerows(self._rows)
        self._new = 0
