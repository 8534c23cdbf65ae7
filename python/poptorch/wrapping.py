# SPDX-License-Identifier: MIT
"""trainingModel and inferenceModel; what happens to the user's module."""
import copy
import weakref

import torch

from .errors import createPoptorchError

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
        made = plain.__new__(plain)
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
    made = plain.__new__(plain)
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


def _user_model(model):
    from .executor import PoplarExecutor
    if isinstance(model, PoplarExecutor):
        return model._user_model
    if not isinstance(model, torch.nn.Module):
        raise createPoptorchError(f"A torch.nn.Module is needed, not {type(model).__name__}.")
    return model


def _checked(options):
    from .options import Options
    if options is None:
        return Options()
    if not isinstance(options, Options):
        raise createPoptorchError(f"Invalid type for options: a poptorch.Options is needed, not "
                                  f"{type(options).__name__}.")
    return options.freeze()


def check_optimizer(optimizer):
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise createPoptorchError(f"Invalid type for optimizer: one of torch.optim or poptorch.optim is needed, not "
                                  f"{type(optimizer).__name__}.")
    from .optim_translate import kind_of
    kind_of(optimizer)


class _Copies:
    """A module like the user's, for the device: parameters and buffers are the user's, modes its own, so that train() and
    eval() of the user's module after this do not reach it. follow() takes what else was changed there since."""

    def __init__(self, model):
        self._made = {}  # by id: (the user's module, its copy, what the user's had)
        self.module = self._copied(model)

    def _copied(self, module):
        if isinstance(module, torch.jit.ScriptModule):  # its state is in C++
            return module
        if id(module) not in self._made:
            plain = getattr(type(module), "_poptorch_plain", type(module))
            made = plain.__new__(plain)
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


def _content(module):
    """What a module has, by table; attributes under None."""
    plain = {name: value for name, value in module.__dict__.items()
             if name not in _tables and name not in ("training", "_poptorch_executor")}
    return {None: plain, **{table: dict(module.__dict__[table]) for table in _tables}}


def plain_copy(model, optimizer, compiled):
    """Copies without anything of a device, for a file, in the modes that were compiled; the optimiser's parameters are the
    copy's."""
    memo = {}
    made = copy.deepcopy(model, memo)
    for module, like in zip(torch.nn.Module.modules(made), torch.nn.Module.modules(compiled)):
        module.training = like.training
    return made, copy.deepcopy(optimizer, memo)


def _executor(options, training, optimizer, user_model):
    from .executor import PoplarExecutor
    copies = _Copies(user_model)
    made = PoplarExecutor(copies.module, options, training, optimizer, user_model)
    made._follow_module = copies.follow
    return made


def trainingModel(model, options=None, optimizer=None):
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
    check_optimizer(optimizer)
    return _executor(options, True, optimizer, user_model)


def wrapped_again(training, model, options, optimizer):
    """What a copy of a wrapper is."""
    return trainingModel(model, options, optimizer) if training else inferenceModel(model, options)


def inferenceModel(model, options=None):
    """The module, to be run on the IPU."""
    user_model = _user_model(model)
    options = _checked(options)
    if options.Training.gradient_accumulation != 1:
        raise createPoptorchError(
            "You must set poptorch.Options().Training.gradientAccumulation to 1 or leave it as its default value (1) when "
            "running a poptorch.inferenceModel(). Use poptorch.Options().deviceIterations() to process a sufficient number of "
            "batches each run for pipelined execution instead.")
    return _executor(options, False, None, user_model)
