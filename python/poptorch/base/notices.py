# SPDX-License-Identifier: MIT
"""What a program asks for though it has no effect on a model on the device: told once, with the line that asked."""
import os
import sys
from typing import Any

import torch

from poptorch._logging import logger
from poptorch.base import compat

# Folders of files that are not the user's: poptorch's and torch's.
hidden = (os.path.dirname(os.path.dirname(__file__)) + os.sep, os.path.dirname(torch.__file__) + os.sep)


def place():
    """file:line of the user's that is being run."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(hidden):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "the program"


def tell(owner, what, text):
    """A warning, once for an object."""
    told = owner.__dict__.setdefault("_told", set())
    if what not in told:
        told.add(what)
        logger.warning("%s: %s", place(), text)


def of_step(optimizer):
    tell(optimizer, "step", "optimizer.step() has no effect on a model that is trained on the IPU: every call of the "
         "poptorch.trainingModel updates the weights. Leave it out; setOptimizer() hands over new learning rates.")


def of_subclass(optimizer, known):
    tell(optimizer, "class", f"Poptorch does not run Python optimizer code directly: of {type(optimizer).__name__} the device "
         f"computes what {known} does, and its own step() is never run.")


def of_rounded_state(optimizer):
    tell(optimizer, "rounded", "torch.optim keeps the state of float16 weights in float16, so that small numbers of it were "
         "rounded or are 0 now. The state of poptorch.optim stays in float32.")


def of_gradient(executor):
    """Somebody reads the gradient of a parameter, which is None; torch does so in passing."""
    frame = sys._getframe(2)
    if frame.f_code.co_filename == compat.clipping_file:
        tell(executor, "clip", "clip_grad_norm_() and clip_grad_value_() have no effect on a model that is trained on the "
             "IPU: its gradients stay there. Give max_grad_norm to an optimizer of poptorch.optim.")
    elif not frame.f_code.co_filename.startswith(hidden):
        tell(executor, "grad", "gradients of a model that is trained on the IPU stay there: the parameter's grad is None. "
             "Options.anchorTensor brings them to the host.")


def of_other_training(executor):
    tell(executor, "others", "another model has trained weights of this one since they came to its device, where they are the "
         "old ones. Between their calls, use copyWeightsToHost() of one and copyWeightsToDevice() of the other.")


def of_values(translator):
    tell(translator, "values", "the optimizer has other values than the IPU, for example of a learning rate scheduler. The "
         "model trains with the old ones until setOptimizer() hands them over: call it after scheduler.step().")


def _in_autocast():
    """Whether the program is in an enabled region; torch hides that from dispatch modes."""
    depth = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    if depth == 1:
        return False
    with compat.state_at_entry():
        return compat.autocasting()


def of_autocast(capture):
    """At every operator."""
    if _in_autocast():
        tell(capture, "autocast", "torch.autocast has no effect in a model on the IPU. Use poptorch.autocast, model.half(), or "
             "layers and inputs of the type that is wanted.")


def of_generator(capture):
    tell(capture, "generator", "a torch.Generator has no effect in a model on the IPU, which draws other numbers at every "
         "call. Options.randomSeed fixes them.")
