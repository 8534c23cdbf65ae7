# SPDX-License-Identifier: MIT
"""Logger: numbered folders (save_dir/name/version_N), hyperparameters in hparams.yaml."""
from __future__ import annotations

import os
import re
from typing import Any, Dict, Mapping, Optional, Union

from popart import _files


class Logger:
    """A place for metrics. Override log_metrics, save and finalize."""

    def __init__(self, save_dir: Union[str, os.PathLike], name: str = "lightning_logs",
                 version: Union[int, str, None] = None) -> None:
        self.save_dir, self.name = os.fspath(save_dir), name or ""
        self._version = version
        self._hparams: Dict[str, Any] = {}

    @property
    def root_dir(self) -> str:
        """The folder of all versions."""
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
        """The folder of this version."""
        version = self.version
        return os.path.join(self.root_dir, version if isinstance(version, str) else f"version_{version}")

    def log_hyperparams(self, params: Any) -> None:
        """Keeps hyper-parameters."""
        self._hparams.update(params)
        os.makedirs(self.log_dir, exist_ok=True)
        with _files.writing(os.path.join(self.log_dir, "hparams.yaml"), encoding="utf-8") as file:
            for name, value in self._hparams.items():
                file.write(f"{name}: {_yaml(value)}\n")

    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> Any:
        """Keeps values of a step."""
        raise NotImplementedError

    def save(self) -> None:
        """Writes what is held back."""
        pass

    def finalize(self, status: str) -> None:
        """Called when training has ended: "success" or "failed"."""
        self.save()


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
