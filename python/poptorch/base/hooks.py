# SPDX-License-Identifier: MIT
"""Functions of the user that run before and after every compilation."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable

import torch
from torch.utils.hooks import RemovableHandle

from poptorch._logging import logger
from poptorch.errors import createPoptorchError

_before, _after = OrderedDict(), OrderedDict()


def _register(hooks, hook):
    if not callable(hook):
        raise RuntimeError(f"A hook must be callable, a function without arguments, not {type(hook).__name__} ({hook!r}).")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def registerPreCompileHook(hook: Callable[[], Any]) -> RemovableHandle:
    """hook() runs before every compilation, until the handle that this gives is removed."""
    return _register(_before, hook)


def registerPostCompileHook(hook: Callable[[], Any]) -> RemovableHandle:
    """hook() runs after every compilation, until the handle that this gives is removed."""
    return _register(_after, hook)


gradient_hooks = ("Hooks on gradients of tensors are functions of Python, which do not run on the IPU. Write what the "
                  "gradient is to be with operators: detach(), products, torch.no_grad().")
_kinds_of_hooks = ("_backward_hooks", "_post_accumulate_grad_hooks")


def checkGradientHooks(model, weights):
    """Gradients stay on the device: nobody calls these. Those of tensors say what the weights become, and are refused."""
    for weight in weights:
        if weight.trained and any(getattr(weight.tensor, kind, None) for kind in _kinds_of_hooks):
            raise createPoptorchError(f"The parameter {weight.name} has a hook on its gradient. {gradient_hooks}")
    for name, module in torch.nn.Module.named_modules(model):
        if getattr(module, "_backward_hooks", None):
            logger.warning("Hooks on the backward pass of the module %r are ignored: gradients stay on the device.", name)


def runPreCompileHooks():
    for hook in list(_before.values()):
        hook()


def runPostCompileHooks():
    for hook in list(_after.values()):
        hook()
