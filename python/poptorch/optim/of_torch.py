# SPDX-License-Identifier: MIT
"""Optimizers of torch.optim that train a model on the device: their state is the device's.

While such a model is compiled, its optimizer has a class of its own. `state`, and so state_dict() and pickling, has what torch
would have after the same steps, fetched when somebody looks; load_state_dict() sends it to the device.
"""
import collections
import functools
import weakref

import torch

from poptorch.base import compat, notices
from poptorch.module.weights import plain_data

_LINK = "_poptorch_link"
_classes = {}
# Names of torch -> PopART's slots. None: a number of steps that PopART does not count.
_NAMES = (
    (torch.optim.SGD, {"momentum_buffer": "Accl1"}),
    (torch.optim.Adam, {"step": "Step", "exp_avg": "Accl1", "exp_avg_sq": "Accl2"}),
    (torch.optim.AdamW, {"step": "Step", "exp_avg": "Accl1", "exp_avg_sq": "Accl2"}),
    (torch.optim.RMSprop, {"step": None, "square_avg": "Accl1", "grad_avg": "Accl2", "momentum_buffer": "Accl3"}),
)


class _Link:
    """Between an optimizer and the executor that trains with it."""

    def __init__(self, executor, kind, names):
        self.executor, self.kind, self.names = weakref.ref(executor), kind, names
        self.fetched = executor._optimizer.calls  # how many the state is of
        self.busy = False

    def fetch(self, optimizer):
        """The device's state becomes the optimizer's, if there were steps since the last time."""
        executor = self.executor()
        if self.busy or executor is None or not executor.isCompiled():
            return
        calls = executor._optimizer.calls
        if calls == self.fetched:
            return
        self.busy = True
        try:
            self._take(optimizer, executor, (calls - self.fetched) * executor.options.device_iterations)
            self.fetched = calls
        finally:
            self.busy = False

    def _take(self, optimizer, executor, steps):
        found, _ = executor._read_optimizer()
        ids, state = executor._executable.getOptimizerStateIds(), optimizer.__dict__["state"]
        for weight in executor._weights.used:
            before = state.get(weight.tensor, {})
            made = self._of(weight, found, ids, before, steps) if weight.trained else {}
            if made:
                state[weight.tensor] = {**before, **made}

    def _of(self, weight, found, ids, before, steps):
        """The state of a weight; as in torch, none of one that the loss does not depend on."""
        own = ids.get(weight.name, {})
        if not own and set(ids) - {""}:
            return {}
        out, first = {}, compat.first_state(self.kind)
        for name, slot in self.names.items():
            values = found.get(own.get(slot))
            if slot is None:
                out[name] = before.get(name, first[name] * 0) + steps
            elif name == "step":
                out[name] = values.reshape(()).clone()
            elif values is not None:
                out[name] = values.to(plain_data(weight.tensor).dtype)
            elif name in first and first[name] is None:
                out[name] = None  # of SGD without momentum
        return out

    def send(self, optimizer):
        """The optimizer's state becomes the device's."""
        executor, state = self.executor(), optimizer.__dict__["state"]
        made, ids = {}, executor._executable.getOptimizerStateIds()
        for weight in executor._weights.used:
            for name, value in state.get(weight.tensor, {}).items():
                slot = self.names.get(name)
                if slot is not None and value is not None:
                    own = ids.get(weight.name, {}).get(slot, f"{name} of {weight.name}")
                    made[own] = torch.as_tensor(value, dtype=torch.float32)
                    if getattr(value, "dtype", None) is torch.float16:
                        notices.of_rounded_state(optimizer)
        if made:
            executor._write_optimizer(made, {})
        self.fetched = executor._optimizer.calls


def plain_type(optimizer):
    """The class that the user made."""
    return getattr(type(optimizer), "_poptorch_plain", type(optimizer))


def is_attached(optimizer, executor):
    link = optimizer.__dict__.get(_LINK)
    return link is not None and link.executor() is executor


def attach(optimizer, executor):
    """The executor trains with it from now on. State that it has goes to the device."""
    kind, names = next(((kind, names) for kind, names in _NAMES if isinstance(optimizer, kind)), (None, None))
    if names is None:
        return
    link = optimizer.__dict__.get(_LINK)
    if link is not None:
        link.fetch(optimizer)  # of another model
    else:
        optimizer.__class__ = _class_of(type(optimizer))
        _guard_step(optimizer)
    link = optimizer.__dict__[_LINK] = _Link(executor, kind, names)
    link.send(optimizer)


def detach(optimizer, executor, keep):
    """keep: the optimizer has the device's state afterwards; otherwise that stays with the device, for another optimizer."""
    link = optimizer.__dict__.get(_LINK)
    if link is None or link.executor() not in (executor, None):
        return
    if keep:
        link.fetch(optimizer)
    else:
        optimizer.__dict__["state"] = collections.defaultdict(dict)
    del optimizer.__dict__[_LINK]
    optimizer.__class__ = plain_type(optimizer)
    step = optimizer.__dict__.get("step")
    if hasattr(step, "_poptorch_plain"):
        optimizer.__dict__["step"] = step._poptorch_plain


def _guard_step(optimizer):
    """A learning rate scheduler may have put its own function over the method."""
    step = optimizer.__dict__.get("step")
    if step is None:
        return

    own = weakref.ref(optimizer)

    @functools.wraps(step)
    def told(*args, **kwargs):
        notices.of_step(own())
        return step(*args, **kwargs)

    told._poptorch_plain = step
    optimizer.__dict__["step"] = told


def _made(plain):
    return plain.__new__(plain)


def _class_of(plain):
    found = _classes.get(plain)
    if found is not None:
        return found

    def step(self, *args, **kwargs):
        if _LINK in self.__dict__:
            notices.of_step(self)
        return plain.step(self, *args, **kwargs)

    def load_state_dict(self, state_dict):
        link = self.__dict__[_LINK]
        link.busy = True
        try:
            plain.load_state_dict(self, state_dict)
        finally:
            link.busy = False
        link.send(self)

    def state(self):
        if _LINK in self.__dict__:
            self.__dict__[_LINK].fetch(self)
        return self.__dict__["state"]

    def reduce(self, protocol):
        return _made, (plain,), self.__getstate__()

    step.hooked = True  # torch's own mark: it would put its timer around this once more
    members = {"step": step, "load_state_dict": load_state_dict, "__reduce_ex__": reduce,
               "state": property(state, lambda self, value: self.__dict__.__setitem__("state", value)),
               "_poptorch_plain": plain, "__module__": plain.__module__, "__qualname__": plain.__qualname__,
               "__doc__": plain.__doc__}
    found = _classes[plain] = type(plain.__name__, (plain,), members)
    return found
