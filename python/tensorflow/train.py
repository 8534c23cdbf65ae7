# SPDX-License-Identifier: MIT
"""tf.train: checkpoints of variables, layers, models and optimisers. A checkpoint is an .npz file of numbers under names that
the program gave its objects; `checkpoint` beside it names the newest one."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.framework import checkpoints as _checkpoints
from tensorflow.framework import nest
from tensorflow.framework.arrays import save_arrays
from tensorflow.framework.context import active
from tensorflow.framework.errors import NotFoundError
from tensorflow.framework.modules import Module
from tensorflow.framework.typed import PathLike
from tensorflow.framework.variables import Variable
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.metrics.base import Metric
from tensorflow.keras.optimizers.base import Optimizer


class Checkpoint:
    """Checkpoint(model=model, optimizer=optimizer, step=variable): also lists, dictionaries and tf.Modules of them."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None:
            kwargs = {"root": root, **kwargs}
        for name, value in kwargs.items():
            _parts(name, value)
            setattr(self, name, value)
        self.save_counter = Variable(np.int64(0), False, name="save_counter", dtype="int64")

    def _found(self):
        """({name: variable}, {name: optimiser})"""
        variables, optimizers = {}, {}
        for name, value in self.__dict__.items():
            for key, part in _parts(name, value):
                (optimizers if isinstance(part, Optimizer) else variables)[key] = part
        return variables, optimizers

    def write(self, file_prefix: PathLike, options: Any = None) -> str:
        """Writes all variables to files with this prefix."""
        if active() is not None:
            raise NotImplementedError("tf.train.Checkpoint is used outside of graphs; of TensorFlow 1's graphs "
                                      "tf.compat.v1.train.Saver keeps the variables.")
        path, (variables, optimizers) = os.fspath(file_prefix), self._found()
        names = {id(v): key for key, v in variables.items()}
        for key, optimizer in optimizers.items():
            variables = {**variables, **_kept(key, optimizer, names)}
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        save_arrays(path + ".npz", {key.replace("/", "|"): v.numpy() for key, v in variables.items()})
        return path

    def save(self, file_prefix: PathLike, options: Any = None) -> str:
        """Writes <file_prefix>-1, -2 ... and what tf.train.latest_checkpoint finds."""
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        _checkpoints.name_newest(path)
        return path

    def read(self, save_path: PathLike, options: Any = None) -> Status:
        """What is there already gets its values; a model has to be built."""
        path = os.fspath(save_path)
        if not os.path.exists(path + ".npz"):
            raise NotFoundError(None, None, f"Unsuccessful find of the checkpoint {path}: there is no {path}.npz. (Checkpoints "
                                "of others are not read.)")
        stored = _checkpoints.values(path)
        variables, optimizers = self._found()
        for key, layer in _unbuilt(self.__dict__):
            raise ValueError(f"The model or layer {layer.name} ({key}) has no variables yet, so that a checkpoint cannot be "
                             "restored: build it first, for example by calling it.")
        for key, optimizer in optimizers.items():
            _make_slots(key, optimizer, variables, stored)
        names = {id(v): key for key, v in variables.items()}
        for key, optimizer in optimizers.items():
            variables = {**variables, **_kept(key, optimizer, names)}
        for key, variable in variables.items():
            if key in stored:
                _set(key, variable, stored[key])
        return Status(path, set(stored), set(variables))

    def restore(self, save_path: PathLike | None, options: Any = None) -> Status:
        """Of None (no checkpoint was found) nothing is restored."""
        return Status(None, set(), set(self._found()[0])) if save_path is None else self.read(save_path)


class Status:
    """What of a checkpoint found its place."""

    def __init__(self, path: PathLike | None, stored: set, wanted: set) -> None:
        self._path, self._stored, self._wanted = path, stored, wanted

    def _check(self, missing, what):
        if self._path is None:
            raise AssertionError("No checkpoint was restored.")
        if missing:
            raise AssertionError(f"{what} {', '.join(sorted(missing)[:5])} (checkpoint {self._path})")
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Raises AssertionError if a variable was not in the checkpoint."""
        return self._check(self._wanted - self._stored, "The checkpoint has no values for")

    def assert_consumed(self) -> Status:
        """Raises AssertionError if the checkpoint and the variables are not the same."""
        self.assert_existing_objects_matched()
        return self._check(self._stored - self._wanted, "Nothing here takes the checkpoint's")

    def assert_nontrivial_match(self) -> Status:
        """Raises AssertionError if nothing was read."""
        self._check(set(), "")
        if not self._wanted & self._stored - {"save_counter"}:
            raise AssertionError(f"Nothing was restored of the checkpoint {self._path}: its names are others.")
        return self

    def expect_partial(self) -> Status:
        """No warnings about what was not read."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Values are there already."""


def _parts(name, value):
    """(name, variable or optimiser) of an object."""
    if isinstance(value, (Variable, Optimizer)):
        return [(name, value)]
    if isinstance(value, (Layer, Metric)):
        return [(f"{name}/{i}", v) for i, v in enumerate(value.weights if isinstance(value, Layer) else value.variables)]
    if isinstance(value, Checkpoint):
        return [p for key, each in value.__dict__.items() for p in _parts(f"{name}/{key}", each)]
    if isinstance(value, Module):
        inside = {key: each for key, each in sorted(value.__dict__.items()) if _any_inside(each)}
        return [p for key, each in inside.items() for p in _parts(f"{name}/{key}", each)]
    if isinstance(value, (list, tuple)):
        return [p for i, each in enumerate(value) for p in _parts(f"{name}/{i}", each)]
    if isinstance(value, dict):
        return [p for key, each in value.items() for p in _parts(f"{name}/{key}", each)]
    raise ValueError(f"`Checkpoint` was expecting {name} to be a trackable object (a variable, layer, model, metric, "
                     f"optimizer, tf.Module, or a list or dictionary of them), got {value!r}.")


def _any_inside(value):
    return any(isinstance(v, (Variable, Optimizer, Layer, Metric, Module)) for v in nest.flatten(value))


def _unbuilt(objects):
    for key, value in objects.items():
        for part in nest.flatten(value):
            if isinstance(part, Layer) and not part.built:
                yield key, part


def _kept(key, optimizer, names):
    """What an optimiser keeps, {name: variable}; slots by the names of their variables."""
    out = {f"{key}/{i}": v for i, v in enumerate([optimizer.iterations, *optimizer._own_weights()])}
    if optimizer._rate is not None:
        out[f"{key}/learning_rate"] = optimizer._rate
    for var, slot in optimizer._order:
        if id(var) in names:
            out[f"{key}/slots/{slot}/{names[id(var)]}"] = optimizer.get_slot(var, slot)
    return out


def _make_slots(key, optimizer, variables, stored):
    """Those that a checkpoint has values for."""
    for name in stored:
        if name.startswith(f"{key}/slots/"):
            var = variables.get(name[len(f"{key}/slots/"):].split("/", 1)[1])
            if var is not None:
                optimizer.create_slots(var)


def _set(key, variable, values):
    if tuple(variable.shape) != values.shape:
        raise ValueError(f"Tensor's shape {values.shape} is not compatible with supplied shape {tuple(variable.shape)}: the "
                         f"checkpoint's {key} is of another model.")
    variable.set(values)


class CheckpointManager:
    """Keeps the newest checkpoints of a folder."""

    def __init__(self, checkpoint: Checkpoint, directory: PathLike, max_to_keep: int,
                 keep_checkpoint_every_n_hours: Any = None, checkpoint_name: str = "ckpt", step_counter: Any = None,
                 checkpoint_interval: Any = None, init_fn: Any = None) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError("Either a positive integer or `None` was expected for max_to_keep, got "
                             f"{max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed when `checkpoint_interval` is set.")
        if keep_checkpoint_every_n_hours is not None:
            raise NotImplementedError("CheckpointManager(keep_checkpoint_every_n_hours=...) is not there: use max_to_keep.")
        self.checkpoint, self.directory, self._keep = checkpoint, os.fspath(directory), max_to_keep
        self._prefix, self._init = os.path.join(self.directory, checkpoint_name), init_fn
        self._counter, self.checkpoint_interval, self._saved_at = step_counter, checkpoint_interval, None

    @property
    def checkpoints(self) -> list:
        """Paths, the newest last."""
        start = os.path.basename(self._prefix) + "-"
        names = os.listdir(self.directory) if os.path.isdir(self.directory) else []
        numbers = [n[len(start):-len(".npz")] for n in names if n.startswith(start) and n.endswith(".npz")]
        return [f"{self._prefix}-{n}" for n in sorted((int(n) for n in numbers if n.isdigit()))]

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the newest checkpoint; None if there is none."""
        return latest_checkpoint(self.directory)

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Writes a checkpoint and removes those beyond max_to_keep."""
        now = None if self._counter is None else int(self._counter)
        if check_interval and self.checkpoint_interval is not None and self._saved_at is not None and \
                now - self._saved_at < self.checkpoint_interval:
            return None
        self._saved_at = now
        self.checkpoint.save_counter.assign_add(1)
        number = int(self.checkpoint.save_counter if checkpoint_number is None else checkpoint_number)
        path = self.checkpoint.write(f"{self._prefix}-{number}")
        _checkpoints.name_newest(path)
        for old in self.checkpoints[:-self._keep] if self._keep else ():
            os.remove(old + ".npz")
        return path

    def restore_or_initialize(self) -> str | None:
        """Reads the newest checkpoint; None if there is none."""
        newest = self.latest_checkpoint
        if newest is not None:
            self.checkpoint.restore(newest)
        elif self._init is not None:
            self._init()
        return newest


def latest_checkpoint(checkpoint_dir: PathLike, latest_filename: str | None = None) -> str | None:
    """The newest checkpoint of a folder, or None."""
    return _checkpoints.latest(os.fspath(checkpoint_dir), latest_filename)


names = ("Checkpoint", "CheckpointManager", "latest_checkpoint")
_names.lazy(globals(), {name: f"tensorflow.data.examples:{name}" for name in (
    "Example", "Features", "Feature", "BytesList", "FloatList", "Int64List")})
