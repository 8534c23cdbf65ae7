# SPDX-License-Identifier: MIT
"""trainingModel, inferenceModel and load: what makes executors."""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, TYPE_CHECKING, Union

import torch

from poptorch.base import compat
from poptorch.errors import createPoptorchError, require
from poptorch.module.wrapping import is_wrapped
from poptorch.options import Options

if TYPE_CHECKING:  # import time: popart
    from poptorch.run.executor import PoplarExecutor


def _user_model(model):
    from poptorch.run.executor import PoplarExecutor  # import time: popart
    if isinstance(model, PoplarExecutor):
        return model._user_model
    if not isinstance(model, torch.nn.Module):
        raise createPoptorchError(f"A torch.nn.Module is needed, not {type(model).__name__}.")
    return compat.compiled_module(model) or model


def _checked(options):
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise createPoptorchError(f"Invalid type for options: a poptorch.Options is needed, not "
                                  f"{type(options).__name__}.")
    return options.freeze()


def _executor(options, training, optimizer, user_model):
    from poptorch.run.executor import PoplarExecutor  # import time: popart
    return PoplarExecutor(user_model, options, training, optimizer, wrapped_again)


def trainingModel(model: Union[torch.nn.Module, "PoplarExecutor"], options: Optional[Options] = None,
                  optimizer: Optional[torch.optim.Optimizer] = None) -> "PoplarExecutor":
    """The module, to be trained on the IPU. Its forward() computes the loss. Modules train or not as they are set: call
    train() before, and eval() on those that are to be left out, such as frozen norms."""
    user_model = _user_model(model)
    options = _checked(options)
    if is_wrapped(user_model):
        raise RuntimeError("Model has already been wrapped in 'poptorch.trainingModel'. Call model.destroy() on the "
                           "model to unwrap before wrapping again.")
    if optimizer is None:
        parameters = [p for p in user_model.parameters() if p.requires_grad]
        optimizer = torch.optim.SGD(parameters or [torch.nn.Parameter(torch.zeros(()))], lr=0.01)
    from poptorch.optim.translate import check_optimizer  # import time: popart
    check_optimizer(optimizer)
    return _executor(options, True, optimizer, user_model)


def wrapped_again(training, model, options, optimizer):
    """What a copy of a wrapper is."""
    return trainingModel(model, options, optimizer) if training else inferenceModel(model, options)


def inferenceModel(model: Union[torch.nn.Module, "PoplarExecutor"], options: Optional[Options] = None) -> "PoplarExecutor":
    """The module, to be run on the IPU."""
    user_model = _user_model(model)
    options = _checked(options)
    if options.Training.gradient_accumulation != 1:
        raise createPoptorchError(
            "You must set poptorch.Options().Training.gradientAccumulation to 1 or leave it as its default value (1) when "
            "running a poptorch.inferenceModel(). Use poptorch.Options().deviceIterations() to process a sufficient number of "
            "batches each run for pipelined execution instead.")
    return _executor(options, False, None, user_model)


def load(filename: Union[str, os.PathLike], edit_opts_fn: Optional[Callable[[Options], Any]] = None) -> "PoplarExecutor":
    """The executor of a file that was saved with export_model=True, ready to run."""
    from poptorch.run.persistence import importPoptorchMetadataFromFile  # import time: popart
    record = importPoptorchMetadataFromFile(filename)
    require(record["model"] is not None, f"{filename} was saved with export_model=False. Wrap the model again, and use "
            "loadExecutable().")
    options = record["options"]
    if edit_opts_fn is not None:
        edit_opts_fn(options)
    if record["training"]:
        executor = trainingModel(record["model"], options, record["optimizer"])
    else:
        executor = inferenceModel(record["model"], options)
    executor.loadExecutable(filename)
    return executor
