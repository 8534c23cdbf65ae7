# SPDX-License-Identifier: MIT
"""TensorBoardLogger: event files that TensorBoard reads, written without it."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

from popart._events import EventFile

from pi_ml.loggers.base import Logger


class TensorBoardLogger(Logger):
    """Writes event files that TensorBoard reads."""
    def __init__(self, save_dir: Union[str, os.PathLike], name: str = "lightning_logs", version: Union[int, str, None] = None,
                 prefix: str = "", sub_dir: Optional[str] = None) -> None:
        super().__init__(save_dir, name, version)
        self._prefix = prefix + "-" if prefix else ""
        self._file: Any = None
        self._sub_dir = sub_dir

    @property
    def log_dir(self) -> str:
        folder = super().log_dir
        return os.path.join(folder, self._sub_dir) if self._sub_dir else folder

    @property
    def experiment(self) -> Any:
        """The event file; made when it is first needed."""
        if self._file is None:
            self._file = EventFile(self.log_dir)
        return self._file

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
