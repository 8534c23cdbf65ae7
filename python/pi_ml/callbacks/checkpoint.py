# SPDX-License-Identifier: MIT
"""ModelCheckpoint: keeps the best, the last, or every nth state of a training in files."""
from __future__ import annotations

import datetime
import math
import os
import re
import time
from typing import Any, Dict, Mapping, Optional, Union

import torch
from popart import _files

from pi_ml import world
from pi_ml.callbacks.base import Callback
from pi_ml.log import log, rank_zero_warn
from pi_ml.results import number
from pi_ml.utilities.exceptions import MisconfigurationException


class ModelCheckpoint(Callback):
    """filename: such as "{epoch}-{val_loss:.2f}"; metrics in braces are filled in.

    save_top_k: how many of the best by `monitor` stay (-1 all, 0 none); without a monitor it is 1, -1 or 0, and the newest
    counts as the best. Saves after validation, or (save_on_train_epoch_end) at the end of an epoch; every_n_epochs,
    every_n_train_steps or train_time_interval say how often.
    """

    CHECKPOINT_NAME_LAST = "last"
    FILE_EXTENSION = ".ckpt"
    STARTING_VERSION = 1

    def __init__(self, dirpath: Union[str, os.PathLike, None] = None, filename: Optional[str] = None,
                 monitor: Optional[str] = None, verbose: bool = False, save_last: Optional[bool] = None, save_top_k: int = 1,
                 save_weights_only: bool = False, mode: str = "min", auto_insert_metric_name: bool = True,
                 every_n_train_steps: Optional[int] = None, train_time_interval: Optional[datetime.timedelta] = None,
                 every_n_epochs: Optional[int] = None, save_on_train_epoch_end: Optional[bool] = None) -> None:
        self.monitor, self.verbose, self.save_last, self.save_top_k = monitor, verbose, save_last, save_top_k
        self.save_weights_only, self.auto_insert_metric_name, self.mode = save_weights_only, auto_insert_metric_name, mode
        self.filename = filename
        self.dirpath: Any = os.path.abspath(os.fspath(dirpath)) if dirpath else None
        self._given_folder = dirpath is not None
        self._every(every_n_train_steps, train_time_interval, every_n_epochs)
        self._at_epoch_end = save_on_train_epoch_end
        self._check()
        self.best_model_path = self.last_model_path = self.kth_best_model_path = ""
        self.best_model_score = self.current_score = self.kth_value = None
        self.best_k_models: Dict[str, Any] = {}
        self._last_step, self._last_time = 0, 0.0

    def _every(self, steps, interval, epochs):
        if sum(x is not None for x in (steps, interval, epochs)) > 1:
            raise MisconfigurationException("Combination of parameters every_n_train_steps, train_time_interval and "
                                            "every_n_epochs should be mutually exclusive.")
        if all(x is None for x in (steps, interval, epochs)):
            epochs = 1
        for name, value in (("every_n_train_steps", steps or 0), ("every_n_epochs", epochs or 0)):
            if not isinstance(value, int) or value < 0:
                raise MisconfigurationException(f"{name}={value!r} should be a whole number >= 0.")
        if interval is not None and not isinstance(interval, datetime.timedelta):
            raise MisconfigurationException(f"train_time_interval={interval!r} should be a datetime.timedelta.")
        self._steps, self._interval, self._epochs = steps or 0, interval, epochs or 0

    def _check(self):
        if self.mode not in ("min", "max"):
            raise MisconfigurationException(f"`mode` can be min, max but got {self.mode}")
        if not isinstance(self.save_top_k, int) or self.save_top_k < -1:
            raise MisconfigurationException(f"Invalid value for save_top_k={self.save_top_k}. Must be >= -1")
        if self.monitor is None and self.save_top_k not in (-1, 0, 1):
            raise MisconfigurationException(f"ModelCheckpoint(save_top_k={self.save_top_k}, monitor=None) is not a valid "
                                            "configuration. No quantity for top_k to track.")

    @property
    def state_key(self) -> str:
        parts = {"monitor": self.monitor, "mode": self.mode, "every_n_train_steps": self._steps,
                 "every_n_epochs": self._epochs, "train_time_interval": self._interval}
        return f"ModelCheckpoint{parts}"

    # ---- when

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        if stage != "fit":
            return
        if self._at_epoch_end is None:
            self._at_epoch_end = trainer.val_check_interval == 1.0 and trainer.check_val_every_n_epoch == 1
        if not self._given_folder:
            self.dirpath = world.of_first(os.path.join(_folder(trainer), "checkpoints"))

    def on_train_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        self._last_time = time.monotonic()
        if self._given_folder and self.save_top_k and os.path.isdir(self.dirpath) and os.listdir(self.dirpath) \
                and trainer.global_step == 0:
            rank_zero_warn(f"Checkpoint directory {self.dirpath} exists and is not empty.")

    def on_train_batch_end(self, trainer: Any, pl_module: torch.nn.Module, *args: Any) -> None:
        by_steps = self._steps and trainer.global_step % self._steps == 0
        by_time = False
        if self._interval is not None:
            by_time = world.of_first(time.monotonic() - self._last_time >= self._interval.total_seconds())
        if not (by_steps or by_time) or self._saved_already(trainer):
            return
        self._last_time = time.monotonic()
        self._save(trainer)

    def on_validation_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        if not self._at_epoch_end and self._epochs and trainer.validating and not self._saved_already(trainer) \
                and (trainer.current_epoch + 1) % self._epochs == 0 and not trainer._fast:
            self._save(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        ends = self._at_epoch_end or not trainer.val_dataloaders
        if ends and self._epochs and not self._saved_already(trainer) and (trainer.current_epoch + 1) % self._epochs == 0:
            self._save(trainer)

    def _saved_already(self, trainer):
        return trainer.sanity_checking or self._last_step == trainer.global_step

    # ---- what

    def _save(self, trainer):
        self._last_step = trainer.global_step
        metrics = {name: number(value) for name, value in trainer.callback_metrics.items()}
        metrics.setdefault("epoch", trainer.current_epoch)
        metrics.setdefault("step", trainer.global_step)
        if self.save_top_k:
            self._save_monitored(trainer, metrics) if self.monitor else self._save_newest(trainer, metrics)
        if self.save_last:
            path = self._path(self.format_checkpoint_name({}, self.CHECKPOINT_NAME_LAST))
            self._write(trainer, path)
            self.last_model_path = path

    def _save_newest(self, trainer, metrics):
        path = self._free(metrics)
        old = self.best_model_path
        self.best_model_path = path
        self._write(trainer, path)
        if self.save_top_k == 1 and old and old != path:
            _remove(old)

    def _save_monitored(self, trainer, metrics):
        if self.monitor not in metrics:
            text = (f"`ModelCheckpoint(monitor={self.monitor!r})` could not find the monitored key in the returned metrics: "
                    f"{sorted(metrics)}. HINT: Did you call `log({self.monitor!r}, value)` in the `LightningModule`?")
            if trainer.val_dataloaders and trainer.limit_val_batches:
                raise MisconfigurationException(text)
            rank_zero_warn(text)
            return
        value = metrics[self.monitor]
        self.current_score = torch.tensor(value)
        if math.isnan(value):
            value = math.inf if self.mode == "min" else -math.inf
        worst = self._worst()
        if self.save_top_k != -1 and len(self.best_k_models) >= self.save_top_k \
                and not self._better(value, self.best_k_models[worst]):
            return
        path = self._free(metrics)
        dropped = worst if self.save_top_k != -1 and len(self.best_k_models) >= self.save_top_k else None
        if dropped is not None:
            del self.best_k_models[dropped]
        self.best_k_models[path] = value
        self.kth_best_model_path = self._worst()
        self.kth_value = torch.tensor(self.best_k_models[self.kth_best_model_path])
        choose = min if self.mode == "min" else max
        self.best_model_path = choose(self.best_k_models, key=self.best_k_models.__getitem__)
        self.best_model_score = torch.tensor(self.best_k_models[self.best_model_path])
        if self.verbose:
            log.info("Epoch %d, global step %d: %r reached %.5f (best %.5f), saving model to %r as top %d",
                     trainer.current_epoch, trainer.global_step, self.monitor, value, self.best_model_score, path,
                     self.save_top_k)
        self._write(trainer, path)
        if dropped is not None and dropped != path:
            _remove(dropped)

    def _better(self, value, than):
        return value < than if self.mode == "min" else value > than

    def _worst(self):
        choose = max if self.mode == "min" else min
        return choose(self.best_k_models, key=self.best_k_models.__getitem__) if self.best_k_models else None

    def _write(self, trainer, path):
        trainer.save_checkpoint(path, self.save_weights_only)
        for logger in trainer.loggers:
            logger.after_save_checkpoint(self)

    # ---- names

    def _path(self, name):
        return os.path.join(self.dirpath, name + self.FILE_EXTENSION)

    def _free(self, metrics):
        """A path that no checkpoint of this run has."""
        name = self.format_checkpoint_name(metrics)
        path, version = self._path(name), self.STARTING_VERSION
        while os.path.exists(path) and path != self.best_model_path:
            path = self._path(f"{name}-v{version}")
            version += 1
        return world.of_first(path)

    def format_checkpoint_name(self, metrics: Mapping[str, Any], filename: Optional[str] = None) -> str:
        """The template with its metrics filled in: {epoch} -> epoch=2."""
        template = filename or self.filename or "{epoch}-{step}"

        def filled(match):
            name, form = match.group(1), match.group(2) or ""
            text = format(metrics.get(name, 0), form[1:]) if form else f"{metrics.get(name, 0)}"
            return f"{name}={text}" if self.auto_insert_metric_name else text

        return re.sub(r"\{([^{}:]+)(:[^{}]*)?\}", filled, template)

    def to_yaml(self, filepath: Union[str, os.PathLike, None] = None) -> None:
        """Writes the kept files and their scores, one a line; into the folder of the checkpoints unless told otherwise."""
        path = os.path.join(self.dirpath, "best_k_models.yaml") if filepath is None else filepath
        with _files.writing(path, encoding="utf-8") as file:
            for name, score in self.best_k_models.items():
                file.write(f"{name}: {score!r}\n")

    # ---- state

    def state_dict(self) -> Dict[str, Any]:
        return {"monitor": self.monitor, "best_model_score": self.best_model_score, "best_model_path": self.best_model_path,
                "current_score": self.current_score, "dirpath": self.dirpath, "best_k_models": dict(self.best_k_models),
                "kth_best_model_path": self.kth_best_model_path, "kth_value": self.kth_value,
                "last_model_path": self.last_model_path, "last_step": self._last_step}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self._last_step = state.get("last_step", 0)
        if state["dirpath"] != self.dirpath and self._given_folder:
            rank_zero_warn(f"The dirpath has changed from {state['dirpath']!r} to {self.dirpath!r}, therefore "
                           "`best_model_score`, `kth_best_model_path`, `kth_value`, `last_model_path` and `best_k_models` "
                           "won't be reloaded. Only `best_model_path` will be reloaded.")
            self.best_model_path = state["best_model_path"]
            return
        for name in ("best_model_path", "best_model_score", "current_score", "kth_best_model_path", "kth_value",
                     "last_model_path"):
            setattr(self, name, state[name])
        self.best_k_models = dict(state["best_k_models"])


def _folder(trainer):
    """The logger's folder; of a logger without one a folder with its name and version."""
    logger = trainer.logger
    if logger is None or logger.log_dir:
        return trainer.log_dir
    version = logger.version if isinstance(logger.version, str) else f"version_{logger.version}"
    return os.path.join(logger.save_dir or trainer.default_root_dir, str(logger.name), version)


def _remove(path):
    if world.rank() == 0 and os.path.exists(path):
        os.unlink(path)
