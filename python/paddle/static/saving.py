# SPDX-License-Identifier: MIT
"""Training states: <path>.pdparams and <path>.pdopt (numpy arrays by name, pickled as Paddle does) and <path>.pdmodel."""
from __future__ import annotations

import os
import pickle
from typing import Any, Sequence

import numpy as np
from popart import _files, _pickles

from .. import scopes
from ..dtypes import VarType
from ..variable import Parameter
from ..typed import PathLike, ProgramLike


def _persistables(program):
    return [v for v in program.list_vars() if v.persistable and v.type == VarType.LOD_TENSOR]


def save(program: ProgramLike, model_path: PathLike, protocol: int = 4, **configs: Any) -> None:
    """Parameters, the optimizer's variables and the program."""
    scope, variables = scopes.global_scope(), _persistables(program)
    _files.make_folder_of(model_path)
    for suffix, kind in ((".pdparams", True), (".pdopt", False)):
        values = {v.name: np.array(scope.array(v.name)) for v in variables
                  if isinstance(v, Parameter) == kind and scope.array(v.name) is not None}
        with _files.writing(model_path + suffix) as file:
            pickle.dump(values, file, protocol=protocol)
    with _files.writing(model_path + ".pdmodel") as file:
        file.write(program.serialize_to_string())


def _loaded(path):
    try:
        with open(path, "rb") as file:
            values = _pickles.load(file)
    except OSError:
        raise
    except Exception as problem:  # damaged bytes can ask for anything, more memory than there is too
        raise ValueError(f"(InvalidArgument) The file {path} is damaged: {problem or type(problem).__name__}") from None
    if not isinstance(values, dict):
        raise ValueError(f"(InvalidArgument) The file {path} has no arrays by name.")
    return {name: np.asarray(value) for name, value in values.items() if isinstance(value, np.ndarray)}


def load_program_state(model_path: PathLike, var_list: Sequence | None = None) -> dict:
    """Arrays by name."""
    path = model_path if model_path.endswith(".pdparams") else model_path + ".pdparams"
    if not os.path.isfile(path):
        raise ValueError(f"(NotFound) There is no file {path}; paddle.static.save writes it.")
    out = _loaded(path)
    more = path[:-len(".pdparams")] + ".pdopt"
    if os.path.isfile(more):
        out.update(_loaded(more))
    return out


def set_program_state(program: ProgramLike, state_dict: dict) -> None:
    """Values for the variables of a program; those that are not in the dict stay as they are."""
    scope = scopes.global_scope()
    for var in _persistables(program):
        if var.name not in state_dict:
            continue
        value = np.asarray(state_dict[var.name])
        if tuple(value.shape) != tuple(var.shape):
            raise ValueError(f"The variable {var.name!r} has shape {list(var.shape)}, and its value in the file "
                             f"{list(value.shape)}.")
        scope.var(var.name).get_tensor().set(value)


def load(program: ProgramLike, model_path: PathLike, executor: Any = None, var_list: Sequence | None = None) -> None:
    """Sets a program's parameters from what static.save wrote."""
    set_program_state(program, load_program_state(model_path))
