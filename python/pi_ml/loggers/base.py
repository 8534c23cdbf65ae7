# SPDX-License-Identifier: MIT
"""Logger, for loggers of your own; FolderLogger: numbered folders (save_dir/name/version_N), with hparams.yaml."""
from __future__ import annotations

import argparse
import functools
import os
import re
from typing import Any, Callable, Dict, Mapping, Optional, Union

from popart import _files

from pi_ml import world


class Logger:
    """A place for metrics. Override name, version, log_metrics and what else is wanted."""

    @property
    def name(self) -> Optional[str]:
        """What is logged."""
        return type(self).__name__

    @property
    def version(self) -> Union[int, str, None]:
        """Which of several runs of the same name."""
        return 0

    @property
    def save_dir(self) -> Optional[str]:
        """Where it keeps files; None if it does not."""
        return None

    @property
    def root_dir(self) -> Optional[str]:
        """The folder of all versions; None if there is none."""
        return None

    @property
    def log_dir(self) -> Optional[str]:
        """The folder of this version; None if there is none."""
        return None

    @property
    def experiment(self) -> Any:
        """The object that does the logging."""
        return None

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """Keeps hyperparameters."""

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> Any:
        """Keeps values of a step."""
        raise NotImplementedError(f"{type(self).__name__} has no log_metrics().")

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Keeps the graph of a model, where a logger does."""

    def after_save_checkpoint(self, checkpoint_callback: Any) -> None:
        """Called when ModelCheckpoint has written a file."""

    def save(self) -> None:
        """Writes what is held back."""

    def finalize(self, status: str) -> None:
        """Called when training has ended: "success" or "interrupted"."""
        self.save()


LightningLoggerBase = Logger  # before 1.7


def rank_zero_experiment(experiment: Callable[..., Any]) -> Callable[..., Any]:
    """Of several processes the first has the experiment; the others have one whose methods do nothing."""
    @functools.wraps(experiment)
    def first_only(self):
        return experiment(self) if world.rank() == 0 else _Nothing()
    return first_only


class _Nothing:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


class FolderLogger(Logger):
    """A logger of files."""

    name, save_dir = "", ""  # set for each

    def __init__(self, save_dir: Union[str, os.PathLike], name: Optional[str] = "lightning_logs",
                 version: Union[int, str, None] = None) -> None:
        self.save_dir, self.name = os.fspath(save_dir), name or ""
        self._version = version
        self._hparams: Dict[str, Any] = {}

    @property
    def root_dir(self) -> str:
        return os.path.join(self.save_dir, self.name)

    @property
    def version(self) -> Union[int, str]:
        """The next free number, unless one was given."""
        if self._version is None:
            taken = [int(found.group(1)) for entry in _entries(self.root_dir)
                     for found in (re.fullmatch(r"version_(\d+)", entry),) if found]
            self._version = max(taken, default=-1) + 1
        return self._version

    @property
    def log_dir(self) -> str:
        version = self.version
        return os.path.join(self.root_dir, version if isinstance(version, str) else f"version_{version}")

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        self._hparams.update(vars(params) if isinstance(params, argparse.Namespace) else params)
        os.makedirs(self.log_dir, exist_ok=True)
        with _files.writing(os.path.join(self.log_dir, "hparams.yaml"), encoding="utf-8") as file:
            for name, value in self._hparams.items():
                file.write(f"{name}: {_yaml(value)}\n")


def _entries(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def _yaml(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    return "'" + str(value).replace("'", "''").replace("\n", " ") + "'"
