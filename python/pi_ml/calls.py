# SPDX-License-Identifier: MIT
"""Who is called where a hook stands: callbacks before the module, in their order."""
import inspect

from pi_ml.callbacks.base import Callback
from pi_ml.module import LightningModule


class Calls:
    """Calls hooks that somebody overrode; the others cost a look into a dictionary."""

    def __init__(self, trainer, module, callbacks):
        self._trainer, self._module, self._callbacks = trainer, module, list(callbacks)
        self._found, self._fitted = {}, {}

    def _receivers(self, name):
        found = [(getattr(c, name), True) for c in self._callbacks
                 if getattr(type(c), name, None) is not getattr(Callback, name, None)]
        own = getattr(self._module, name, None)
        if own is not None and getattr(own, "__func__", own) is not getattr(LightningModule, name, None):
            found.append((own, False))
        self._found[name] = found
        return found

    def __call__(self, name, *args):
        """True unless a receiver answered -1 (which skips, where the hook says so)."""
        receivers = self._fitted.get(name)
        if receivers is None:
            receivers = self._fitted[name] = [(_fitting(call, len(args) + 2 * of_callback), of_callback)
                                              for call, of_callback in self._receivers(name)]
        going_on = True
        for call, of_callback in receivers:
            with self._trainer._logging_from(name):
                answer = call(self._trainer, self._module, *args) if of_callback else call(*args)
            going_on = going_on and answer != -1
        return going_on

    def of_callbacks(self, name, *args):
        for callback in self._callbacks:
            with self._trainer._logging_from(name):
                getattr(callback, name)(self._trainer, self._module, *args)

    def overridden(self, name):
        """Whether anybody would be called."""
        return bool(self._found.get(name) or self._receivers(name))


def _fitting(hook, count):
    """A hook that may be called with `count` arguments: it gets those that its signature has, from the first on. One that wants
    more has the number of a loader at its end (of earlier versions), which is 0."""
    parameters = inspect.signature(hook).parameters.values()
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in placed)
    if needed > count:
        return lambda *args: hook(*args, *[0] * (needed - count))
    if len(placed) < count and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return lambda *args: hook(*args[:len(placed)])
    return hook
