# SPDX-License-Identifier: MIT
"""What happens to the user's module: the class that it has while it trains, and its copy for the device."""
import copy
import weakref

import torch

from poptorch.base import compat

_fetching = ("parameters", "named_parameters", "buffers", "named_buffers", "state_dict", "load_state_dict", "forward",
             "__call__", "apply", "_apply", "to", "cpu", "half", "float", "double")
_wrapped_classes = {}


def _fetch(module):
    """A module knows its executor weakly: one that nobody uses any more goes at once, and its IPUs are free."""
    executor = module.__dict__["_poptorch_executor"]()
    if executor is not None:
        executor.copyWeightsToHostIfNeeded()


def _wrapped_class(plain):
    """A class like a module's own whose state is fetched from the device when somebody asks for it."""
    found = _wrapped_classes.get(plain)
    if found is not None:
        return found

    def method(name):
        def called(self, *args, **kwargs):
            _fetch(self)
            return getattr(plain, name)(self, *args, **kwargs)

        called.__name__ = name
        return called

    members = {name: method(name) for name in _fetching if hasattr(plain, name)}

    def reduce(self, protocol):
        _fetch(self)
        state = {k: v for k, v in self.__dict__.items() if k != "_poptorch_executor"}
        return _restored, (plain, state)

    def deepcopy(self, memo):
        _fetch(self)
        made = object.__new__(plain)
        memo[id(self)] = made
        made.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items()
                              if k != "_poptorch_executor"})
        return made

    def destroy(self):
        """Unwraps the module: see the executor's destroy()."""
        executor = self.__dict__["_poptorch_executor"]()
        if executor is not None:
            executor.destroy()
        else:
            unwrap_module(self, self.__dict__["_poptorch_executor"])

    if not hasattr(plain, "destroy"):
        members["destroy"] = destroy
    members.update(__reduce_ex__=reduce, __deepcopy__=deepcopy, __module__=plain.__module__,
                   __qualname__=plain.__qualname__, __doc__=plain.__doc__, _poptorch_plain=plain)
    found = _wrapped_classes[plain] = type(plain.__name__, (plain,), members)
    return found


def _restored(plain, state):
    made = object.__new__(plain)
    made.__dict__.update(state)
    return made


def is_wrapped(module):
    return hasattr(type(module), "_poptorch_plain")


def wrap_module(module, executor):
    if is_wrapped(module):
        return
    module.__dict__["_poptorch_executor"] = weakref.ref(executor)
    module.__class__ = _wrapped_class(type(module))


def unwrap_module(module, reference):
    """Unless it is another executor's than that of the weak reference."""
    if not is_wrapped(module) or module.__dict__.get("_poptorch_executor") is not reference:
        return
    module.__class__ = type(module)._poptorch_plain
    module.__dict__.pop("_poptorch_executor", None)


class Copies:
    """A module like the user's, for the device: parameters and buffers are the user's, modes its own, so that train() and
    eval() of the user's module after this do not reach it. follow() takes what else was changed there since."""

    def __init__(self, model):
        self._made = {}  # by id: (the user's module, its copy, what the user's had)
        self.module = self._copied(model)

    def _copied(self, module):
        if isinstance(module, torch.jit.ScriptModule):  # its state is in C++
            return module
        compiled = compat.compiled_module(module)
        if compiled is not None:
            return self._copied(compiled)
        if id(module) not in self._made:
            plain = getattr(type(module), "_poptorch_plain", type(module))
            made = object.__new__(plain)  # torch.fx's graphs make a class of their own in __new__
            self._made[id(module)] = module, made, {}
            made.__dict__.update(training=module.training, **{kind: type(module.__dict__[kind])() for kind in _tables})
            self._take(module, made, {})
            self._made[id(module)] = module, made, _content(module)
        return self._made[id(module)][1]

    def follow(self):
        for module, made, before in list(self._made.values()):
            self._take(module, made, before)
            self._made[id(module)] = module, made, _content(module)

    def _take(self, module, made, before):
        """What is not as it was before."""
        for table, content in _content(module).items():
            old, target = before.get(table, {}), made.__dict__[table] if table else made.__dict__
            for name in old.keys() - content.keys():
                target.pop(name, None)
            for name, value in content.items():
                if name not in old or old[name] is not value:
                    target[name] = self._copied(value) if isinstance(value, torch.nn.Module) and table else value


_tables = ("_parameters", "_buffers", "_modules")
_left_out = {*_tables, "training", "_poptorch_executor", compat.compiled_call}


def _content(module):
    """What a module has, by table; attributes under None."""
    plain = {name: value for name, value in module.__dict__.items() if name not in _left_out}
    return {None: plain, **{table: dict(module.__dict__[table]) for table in _tables}}


def plain_copy(model, optimizer, compiled):
    """Copies without anything of a device, for a file, in the modes that were compiled; the optimiser's parameters are the
    copy's."""
    memo = {}
    made = copy.deepcopy(model, memo)
    for module, like in zip(torch.nn.Module.modules(made), torch.nn.Module.modules(compiled)):
        module.training = like.training
    return made, copy.deepcopy(optimizer, memo)
