# SPDX-License-Identifier: MIT
"""Steps of a module: which arguments they take, where their loss is, and how one is a model for an IPU."""
import inspect
from typing import Any

import torch

from pi_ml.compat import tree_flatten, tree_unflatten
from pi_ml.log import rank_zero_warn
from pi_ml.utilities.exceptions import MisconfigurationException


def bind_step(step):
    """call(batch, batch_idx, dataloader_idx) of a step that takes some of them."""
    parameters = [p for p in inspect.signature(step).parameters.values()]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return step
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    needed = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty for p in parameters)
    if needed > 3:
        raise MisconfigurationException(f"{step.__name__} takes (batch, batch_idx, dataloader_idx), not {needed} arguments. "
                                        "An optimizer_idx or hiddens are of several optimisers and of truncated "
                                        "backpropagation, which are not supported.")
    return lambda *arguments: step(*arguments[:min(count, 3)])


def loss_of(output):
    """The loss in what training_step returned."""
    if isinstance(output, dict):
        if "loss" not in output:
            raise MisconfigurationException("In automatic_optimization, when `training_step` returns a dict, the 'loss' key "
                                            f"needs to be present. It has: {', '.join(map(repr, output)) or 'nothing'}.")
        output = output["loss"]
    if not isinstance(output, torch.Tensor):
        raise MisconfigurationException("In automatic optimization, `training_step` must return a Tensor, a dict with key "
                                        f"'loss', or None (where the step will be skipped). Found {type(output).__name__}.")
    return output


def with_loss(output, loss):
    return {**output, "loss": loss} if isinstance(output, dict) else loss


class StepModule(torch.nn.Module):
    """A step as a model of its own: forward takes the leaves of a batch, and returns the tensors that the step returns
    and those that it logs. What is no tensor is kept from the time of the capture."""

    def __init__(self, module, stage, step_name, trainer):
        super().__init__()
        self.module = module
        self._stage, self._name = stage, step_name
        self.__dict__["_trainer"] = trainer
        self.__dict__["_made"] = {}  # by the capture, which works on a copy of this module: shared with it
        self.batch_spec: Any = None
        self.precision = trainer.precision

    def forward(self, *leaves):
        from poptorch.capture.blocks import joining_last_block  # a trainer on the CPU does without
        spec, indices = self.batch_spec
        batch = tree_unflatten(list(leaves[:spec.num_leaves]), spec)
        numbers = list(leaves[spec.num_leaves:]) + [0] * (2 - indices)
        step = bind_step(getattr(self.module, self._name))
        trainer = self._trainer
        with trainer._logging_from(self._name), trainer._recording(self.module) as logged, joining_last_block() as joined:
            output = self._finished(step(batch, *numbers))
        if joined:
            rank_zero_warn(f"{self._name}: operations stand outside of every poptorch.Block; they run with the last one.")
        return self._packed(output, logged)

    def _finished(self, output):
        if self._stage == "train":
            import poptorch  # likewise
            output = self._ended("training_step_end", output)
            if output is None:
                raise MisconfigurationException("Skipping backward by returning `None` from your `training_step` is not "
                                                "implemented for IPUs. Return the loss.")
            loss = loss_of(output)
            return with_loss(output, poptorch.identity_loss(loss, "mean" if loss.dim() else "none"))
        return output if self._stage == "predict" else self._ended(f"{self._name}_end", output)

    def _ended(self, hook, output):
        end = getattr(self.module, hook, None)  # Lightning has none since 2.0
        return output if end is None else end(output)

    def _packed(self, output, logged):
        leaves, spec = tree_flatten(output)
        tensors: "list[torch.Tensor]" = []
        places: "dict[int, _Place]" = {}

        def place(value):
            if not isinstance(value, torch.Tensor):
                return value
            if id(value) not in places:
                places[id(value)] = _Place(len(tensors))
                tensors.append(value)
            return places[id(value)]

        self._made.update(spec=spec, leaves=[place(leaf) for leaf in leaves],
                          logged=[(entry, key, place(value)) for entry, key, value in logged])
        if not tensors:
            raise MisconfigurationException(f"{self._name} neither returns nor logs a tensor: there is nothing to compute on "
                                            "the IPU.")
        return tuple(tensors)

    def unpacked(self, results):
        """(what the step returned, what it logged) from the results of a call."""
        made = self._made
        values = [results[leaf.index] if type(leaf) is _Place else leaf for leaf in made["leaves"]]
        single = made["spec"].num_leaves == 1 and made["spec"].type is None
        output = values[0] if single else tree_unflatten(values, made["spec"])
        return output, [(entry, key, results[value.index] if type(value) is _Place else value)
                        for entry, key, value in made["logged"]]


class _Place:
    """Where a tensor stands among the results."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index
