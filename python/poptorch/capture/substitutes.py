# SPDX-License-Identifier: MIT
"""What replaces functions of torch while a model is captured: those that look at values of tensors to check or to
choose, and so cannot run on tensors without values. The replacements compute the same without looking.

They are there for threads that capture alone: on every other thread they call what they stand for."""
import functools
import inspect
import math
import threading

import torch
import torch.nn.functional as F

from poptorch.base import compat
from poptorch.base.current import current, empty_meta
from poptorch.capture import custom_functions
from poptorch.errors import Error


def _batch_norm(forward):
    """momentum=None: running statistics are the means of all batches, so the weight of a batch is 1 / their number."""
    def batch_norm(self, input):
        counted = self.training and self.track_running_stats and self.num_batches_tracked is not None
        if self.momentum is not None or not counted:
            return forward(self, input)
        self._check_input_dim(input)
        statistics = self.running_mean, self.running_var
        before = [tensor.clone() for tensor in statistics]
        self.num_batches_tracked.add_(1)
        result = F.batch_norm(input, *statistics, self.weight, self.bias, True, 1.0, self.eps)
        with torch.no_grad():
            for tensor, old in zip(statistics, before):
                tensor.copy_(old + (tensor - old) / self.num_batches_tracked)
        return result
    return batch_norm


def _gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log(var) + (input - target)^2 / var) / 2. Variances below 0 count as eps: nobody looks."""
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input.size()[:-1] != var.size()[:-1] or var.size(-1) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def _adaptive_log_softmax(self, input, target):
    """torch computes the clusters that targets are in for these rows alone. Here: all, and the targets' are taken."""
    rows, targets = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.unsqueeze(0))
    output = self.log_prob(rows).gather(1, targets.unsqueeze(1)).squeeze(1)
    loss = -output.mean()
    return compat.adaptive_result(output if input.dim() == 2 else output.squeeze(0), loss)


def _check_of_layers(check):
    """Recurrent layers compute in the type of their activations, and torch 2 wants that to be the weights'."""
    def check_input(self, input, batch_sizes):
        kind = next((weight.dtype for weight in self._flat_weights if weight is not None), input.dtype)
        return check(self, empty_meta(tuple(input.shape), kind), batch_sizes)
    return check_input


def _refused(name):
    def refused(*args, **kwargs):
        problem = Error("Gradients cannot be asked for within forward(): they are made when the whole model is known. "
                        "Return the loss from forward(); poptorch.trainingModel does the backward pass.")
        raise current().located(name, problem)
    return refused


def _cond(pred, true_fn, false_fn, operands=()):
    """torch.cond: of what is known, without compiling the branches; the error of an if otherwise."""
    return (true_fn if pred else false_fn)(*operands)


def _of_functions(operator, *args, **kwargs):
    raise current().located(str(operator), Error(
        "Operators that take functions are not supported within a model. Use poptorch.cond, poptorch.for_loop or torch.where, "
        "or write out what it does."))


def _numbers(data, kinds):
    """Lists with numbers in the place of tensors without dimensions; kinds: gets the types of these, None for others."""
    if isinstance(data, (list, tuple)):
        return [_numbers(entry, kinds) for entry in data]
    is_number = isinstance(data, torch.Tensor) and not data.dim()
    kinds.add(data.dtype if is_number else None)
    return data.item() if is_number else data


def _on_the_host(make):
    """torch.tensor and its like make their values themselves: not on "ipu:0", nor of tensors within lists."""
    def made(*args, device=None, **kwargs):
        if device is not None and torch.device(device).type == "ipu":
            device = None
        if args and isinstance(args[0], (list, tuple)):
            kinds = set()
            args = (_numbers(args[0], kinds), *args[1:])
            if kinds and None not in kinds:
                kwargs.setdefault("dtype", functools.reduce(torch.promote_types, kinds))
        return make(*args, device=device, **kwargs)
    return made


class _Unless:
    """What a class has while a capture runs on this thread, and what on others."""

    def __init__(self, value, otherwise):
        self._value, self._otherwise = value, otherwise

    def __get__(self, instance, kind=None):
        chosen = self._otherwise if current() is None else self._value
        return chosen.__get__(instance, kind) if hasattr(chosen, "__get__") else chosen


def _function(ours, theirs):
    """A function that is ours while a capture runs on this thread."""
    @functools.wraps(theirs)
    def chosen(*args, **kwargs):
        return (theirs if current() is None else ours)(*args, **kwargs)
    return chosen


def _substitutes():
    """(object, attribute, value to have while captures run)"""
    norm, clusters, layers = compat.BatchNorm, torch.nn.AdaptiveLogSoftmaxWithLoss, torch.nn.RNNBase
    members = [(norm, "forward", _batch_norm(norm.forward)), (clusters, "forward", _adaptive_log_softmax),
               (layers, "check_input", _check_of_layers(layers.check_input)),
               (torch.autograd.Function, "apply", classmethod(custom_functions.apply)),
               (torch.distributions.Distribution, "_validate_args", False)]  # whose checks would look at values
    functions = [(F, "gaussian_nll_loss", _gaussian_nll_loss),
                 (torch.autograd, "grad", _refused("torch.autograd.grad()")),
                 (torch.autograd, "backward", _refused("backward()"))]
    functions += [(torch, name, _on_the_host(getattr(torch, name))) for name in ("tensor", "as_tensor", "asarray")]
    functions += [(torch, "cond", _cond)] if hasattr(torch, "cond") else []
    functions += [(compat.HigherOrderOperator, "__call__", _of_functions)] if compat.HigherOrderOperator else []
    functions += compat.substitutes(lambda: current().said_to_compile())
    return ([(where, name, _Unless(value, inspect.getattr_static(where, name))) for where, name, value in members]
            + [(where, name, _function(value, getattr(where, name))) for where, name, value in functions]
            + compat.mode_flags() + compat.uncompiled())


_lock = threading.Lock()
_users = set()  # the captures that run
_undo = []  # (object, attribute, its substitute, what it was)
_inherited = object()


def begin(capture):
    """Substitutes are in place until this capture ends and no other runs. What a thread without a capture calls is
    torch's, through them. How to undo a change is noted before it is made: Ctrl-C comes anywhere."""
    with _lock:
        _users.add(capture)
        try:
            compat.run_uncompiled()
            if _undo:
                return
            for where, name, value in _substitutes():
                _undo.append((where, name, value, vars(where).get(name, _inherited)))
                setattr(where, name, value)
        except BaseException:
            _users.discard(capture)
            if not _users:
                _restore()
            raise


def end(capture):
    """May be called twice."""
    with _lock:
        _users.discard(capture)
        if not _users:
            _restore()


def _restore():
    compat.run_compiled()
    while _undo:
        where, name, value, before = _undo[-1]
        if vars(where).get(name) is value:  # nobody set it meanwhile
            delattr(where, name) if before is _inherited else setattr(where, name, before)
        _undo.pop()
