# SPDX-License-Identifier: MIT
"""TensorBoardLogger: event files that TensorBoard reads, written without it."""
import os

from popart._events import EventFile

from pi_ml.loggers.base import Logger


class TensorBoardLogger(Logger):
    def __init__(self, save_dir, name="lightning_logs", version=None, prefix="", sub_dir=None):
        super().__init__(save_dir, name, version)
        self._prefix = prefix + "-" if prefix else ""
        self._file, self._sub_dir = None, sub_dir

    @property
    def log_dir(self):
        folder = super().log_dir
        return os.path.join(folder, self._sub_dir) if self._sub_dir else folder

    @property
    def experiment(self):
        """The event file; made when it is first needed."""
        if self._file is None:
            self._file = EventFile(self.log_dir)
        return self._file

    def log_metrics(self, metrics, step=None):
        for name, value in metrics.items():
            if isinstance(value, dict):
                for part, number in value.items():
                    self.experiment.add_scalar(f"{self._prefix}{name}/{part}", number, step)
            else:
                self.experiment.add_scalar(self._prefix + name, value, step)

    def save(self):
        if self._file is not None:
            self._file.flush()

    def finalize(self, status):
        self.save()
