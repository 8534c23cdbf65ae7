# SPDX-License-Identifier: MIT
"""tf.train's functions that look into checkpoints (.npz files of a Saver or an estimator); variables that begin with them."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from tensorflow import _names
from tensorflow.compat.v1.graphs import global_variables
from tensorflow.framework import checkpoints, errors
from tensorflow.framework.dtypes import as_dtype
from tensorflow.framework.typed import PathLike
from tensorflow.framework.variables import Variable


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """Whether there is a checkpoint of this name."""
    return os.path.isfile(os.fspath(checkpoint_prefix) + ".npz")


def _found(path):
    path = os.fspath(path)
    path = checkpoints.latest(path) if os.path.isdir(path) else path
    if path is None or not checkpoint_exists(path):
        raise errors.NotFoundError(None, None, f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}. "
                                   "(Checkpoints of others are not read.)")
    return path


class CheckpointReader:
    """The variables of a checkpoint, by name."""

    def __init__(self, path: PathLike) -> None:
        self._values = {name.removesuffix(":0"): array for name, array in checkpoints.values(_found(path)).items()}

    def get_variable_to_shape_map(self) -> dict:
        """{name: shape}"""
        return {name: list(array.shape) for name, array in self._values.items()}

    def get_variable_to_dtype_map(self) -> dict:
        """{name: type}"""
        return {name: as_dtype(array.dtype) for name, array in self._values.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether the checkpoint has a variable of this name."""
        return tensor_str in self._values

    def get_tensor(self, tensor_str: str) -> np.ndarray:
        """The values of a variable."""
        if tensor_str not in self._values:
            raise errors.NotFoundError(None, None, f"Key {tensor_str} not found in checkpoint")
        return self._values[tensor_str]


NewCheckpointReader = load_checkpoint = CheckpointReader


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> np.ndarray:
    """The values of one variable."""
    return CheckpointReader(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: PathLike) -> list:
    """[(name, shape)], sorted by name."""
    return sorted(CheckpointReader(ckpt_dir_or_file).get_variable_to_shape_map().items())


def init_from_checkpoint(ckpt_dir_or_file: PathLike, assignment_map: dict) -> None:
    """Variables begin with values of a checkpoint when their initializers run. assignment_map: {name in the checkpoint: name or
    variable here}, or {scope that ends in /: scope that ends in /}."""
    reader = CheckpointReader(ckpt_dir_or_file)
    own = {v.name.removesuffix(":0"): v for v in global_variables()}
    for old, new in dict(assignment_map).items():
        for name, variable in _pairs(reader, own, old, new):
            values = reader.get_tensor(name)
            if values.shape != tuple(variable.shape):
                raise ValueError(f"Shape of variable {variable.name} ({tuple(variable.shape)}) doesn't match with shape of "
                                 f"tensor {name} ({values.shape}) from checkpoint reader.")
            variable.remember_initial(values)


def _pairs(reader: CheckpointReader, own: dict, old: str, new: Any) -> list:
    if isinstance(new, Variable):
        found = [(old, new)]
    elif old.endswith("/") or new.endswith("/"):
        old, new = ("" if scope == "/" else scope for scope in (old, new))
        found = [(old + name[len(new):], v) for name, v in own.items() if name.startswith(new)]
        if not found:
            raise ValueError(f"No variables of the scope {new} are in the graph.")
    elif new not in own:
        raise ValueError(f"Assigned variable {new} is not in the graph.")
    else:
        found = [(old, own[new])]
    for name, variable in found:
        if not reader.has_tensor(name):
            raise ValueError(f"Tensor {name} is not found in the checkpoint; {variable.name} should begin with it.")
    return found


_names.explain_missing(globals())
