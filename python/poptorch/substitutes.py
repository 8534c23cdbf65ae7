# SPDX-License-Identifier: MIT
"""What replaces functions of torch while a model is captured: those that look at values of tensors to check or to
choose, and so cannot run on tensors without values. The replacements compute the same without looking."""
import math

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import CheckpointFunction

from . import custom_functions
from ._current import current
from .errors import Error


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
    return torch.nn.modules.adaptive._ASMoutput(output if input.dim() == 2 else output.squeeze(0), loss)


def _checkpointed(run_function, preserve_rng_state, *args):
    """torch.utils.checkpoint saves memory by its own means; on the IPU that is Options and recomputationCheckpoint."""
    return run_function(*args)


def _refused(name):
    def refused(*args, **kwargs):
        problem = Error("Gradients cannot be asked for within forward(): they are made when the whole model is known. "
                        "Return the loss from forward(); poptorch.trainingModel does the backward pass.")
        raise current().located(name, problem)
    return refused


def substitutes():
    """(object, attribute, value to have while a capture runs)"""
    norm = torch.nn.modules.batchnorm._BatchNorm
    return [(norm, "forward", _batch_norm(norm.forward)), (F, "gaussian_nll_loss", _gaussian_nll_loss),
            (torch.nn.AdaptiveLogSoftmaxWithLoss, "forward", _adaptive_log_softmax),
            (torch.autograd.Function, "apply", classmethod(custom_functions.apply)),
            (CheckpointFunction, "apply", staticmethod(_checkpointed)),
            (torch.autograd, "grad", _refused("torch.autograd.grad()")),
            (torch.autograd, "backward", _refused("backward()"))]
