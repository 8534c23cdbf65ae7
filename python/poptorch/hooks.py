# SPDX-License-Identifier: MIT
"""Functions of the user that run before and after every compilation."""
from collections import OrderedDict

from torch.utils.hooks import RemovableHandle

_before, _after = OrderedDict(), OrderedDict()


def _register(hooks, hook):
    if not callable(hook):
        raise RuntimeError(f"A hook must be a function without arguments, not {type(hook).__name__} ({hook!r}).")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def registerPreCompileHook(hook) -> RemovableHandle:
    """hook() runs before every compilation, until the handle that this gives is removed."""
    return _register(_before, hook)


def registerPostCompileHook(hook) -> RemovableHandle:
    """hook() runs after every compilation, until the handle that this gives is removed."""
    return _register(_after, hook)


def runPreCompileHooks():
    for hook in list(_before.values()):
        hook()


def runPostCompileHooks():
    for hook in list(_after.values()):
        hook()
