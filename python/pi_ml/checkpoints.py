# SPDX-License-Identifier: MIT
"""Checkpoint files: Lightning's keys, written whole or not at all, so that a killed run leaves the one before."""
from __future__ import annotations

import inspect
import os
import pickle
from typing import Any, Dict, Union

import torch
from popart import _files

from pi_ml.utilities.exceptions import CheckpointError, MisconfigurationException

_needed = ("state_dict", "epoch", "global_step")


def write(path: Union[str, os.PathLike], checkpoint: Dict[str, Any]) -> None:
    """Whole or not at all, and on the disk when this returns: a reader never sees half a checkpoint."""
    _files.make_folder_of(path)
    with _files.writing(path) as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())


def read(path: Union[str, os.PathLike]) -> Any:
    """The dictionary in a checkpoint file; CheckpointError says what is wrong with one that cannot be used."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"Checkpoint at {path} not found. Aborting training.")
    if not os.path.isfile(path):
        raise CheckpointError(f"{path} is not a checkpoint file. Give the file itself, such as "
                              "lightning_logs/version_0/checkpoints/last.ckpt.")
    try:
        found = torch.load(path, map_location="cpu", weights_only=False)  # loops and hyper-parameters are in it too
    except (RuntimeError, OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, ValueError, KeyError,
            IndexError,
            UnicodeDecodeError) as problem:
        raise CheckpointError(f"{path} cannot be read as a checkpoint ({type(problem).__name__}: {problem}). It is damaged, "
                              "or it is another kind of file: resume from another checkpoint.") from problem
    missing = [key for key in _needed if not isinstance(found, dict) or key not in found]
    if missing:
        raise CheckpointError(f"{path} is not a checkpoint of a trainer: it lacks {', '.join(missing)}. Weights alone are "
                              "loaded with model.load_state_dict(torch.load(path)).")
    return found


def load_weights(module: torch.nn.Module, state: Dict[str, Any], path: Union[str, os.PathLike], strict: bool = True) -> Any:
    try:
        return module.load_state_dict(state, strict=strict)
    except RuntimeError as problem:
        raise CheckpointError(f"The checkpoint {path} is of another model than {type(module).__name__}: {problem}") from problem


class Loading:
    """load_from_checkpoint of a LightningModule."""

    CHECKPOINT_HYPER_PARAMS_KEY = "hyper_parameters"

    @classmethod
    def load_from_checkpoint(cls, checkpoint_path: Union[str, os.PathLike], map_location: Any = None, strict: bool = True,
                             **kwargs: Any) -> Any:
        """A new module with the weights and, unless given here, the hyperparameters of a checkpoint. Weights
        are on the CPU, whatever map_location says: an IPU takes them from there."""
        found = read(checkpoint_path)
        arguments = {**found.get(cls.CHECKPOINT_HYPER_PARAMS_KEY, {}), **kwargs}
        signature = inspect.signature(cls.__init__).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in signature.values()):
            arguments = {n: v for n, v in arguments.items() if n in signature}
        missing = [n for n, p in list(signature.items())[1:]
                   if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and n not in arguments]
        if missing:
            raise MisconfigurationException(f"{cls.__name__}.load_from_checkpoint: the checkpoint has no "
                                            f"{', '.join(missing)}. Give them as arguments here, or call "
                                            "self.save_hyperparameters() in __init__ before training.")
        module: Any = cls(**arguments)
        module.on_load_checkpoint(found)
        load_weights(module, found["state_dict"], checkpoint_path, strict)
        return module
