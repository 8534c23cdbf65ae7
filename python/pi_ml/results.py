# SPDX-License-Identifier: MIT
"""What self.log gathers: values of a batch, and their means (sums, …) over an epoch.

Nothing is copied out of a tensor before somebody asks for it, so that logging costs a step next to nothing.
"""
import torch

from pi_ml import world
from pi_ml.utilities.exceptions import MisconfigurationException

_named = {"mean": torch.mean, "sum": torch.sum, "max": torch.max, "min": torch.min, "avg": torch.mean}


class Entry:
    """How a value is logged: where it goes, and how an epoch sums it up."""

    __slots__ = ("name", "prog_bar", "logger", "on_step", "on_epoch", "reduce", "batch_size")

    def __init__(self, name, prog_bar, logger, on_step, on_epoch, reduce, batch_size):
        self.name, self.prog_bar, self.logger, self.on_step, self.on_epoch = name, prog_bar, logger, on_step, on_epoch
        self.batch_size = batch_size
        self.reduce = _named.get(reduce, reduce)
        if not callable(self.reduce):
            raise MisconfigurationException(f"self.log({name!r}): reduce_fx is {reduce!r}; it may be "
                                            f"{', '.join(map(repr, _named))} or a function of a tensor.")

    def forked(self):
        return self.on_step and self.on_epoch

    def step_name(self):
        return self.name + "_step" if self.forked() else self.name

    def epoch_name(self):
        return self.name + "_epoch" if self.forked() else self.name


class Metric:
    """One name over an epoch."""

    __slots__ = ("entry", "last", "_sum", "_weight", "_values")

    def __init__(self, entry):
        self.entry, self.last = entry, None
        self._sum, self._weight, self._values = 0.0, 0, []

    def add(self, entry, value, weight):
        self.entry, self.last = entry, value
        if not entry.on_epoch:
            return
        if entry.reduce is torch.mean:
            self._sum, self._weight = self._sum + value * weight, self._weight + weight
        elif entry.reduce is torch.sum:
            self._sum, self._weight = self._sum + value, 1
        else:
            self._values.append(value)

    def of_epoch(self):
        if self._values:
            return self.entry.reduce(torch.stack([torch.as_tensor(v) for v in self._values]))
        if not self._weight:
            return None
        return torch.as_tensor(self._sum / self._weight if self.entry.reduce is torch.mean else self._sum)


def single(value, name):
    """A logged value as one number, still a tensor: of several (device iterations, replicas) the mean."""
    if isinstance(value, torch.Tensor):
        if value.numel() == 1:
            return value.detach() if value.requires_grad else value
        return value.detach().float().mean()
    if isinstance(value, (int, float)):
        return value
    raise ValueError(f"self.log({name!r}): a number or a tensor can be logged, not {type(value).__name__}.")


class Results:
    """All metrics of a running epoch of training, validation or test."""

    def __init__(self):
        self.metrics = {}
        self._updated = []  # in this batch

    def log(self, entry, value, weight, key=None):
        key = key or entry.name
        metric = self.metrics.get(key)
        if metric is None:
            metric = self.metrics[key] = Metric(entry)
        metric.add(entry, value, weight)
        self._updated.append(key)

    def of_batch(self):
        """(entry, key, value) of what the last batch logged for steps."""
        updated, self._updated = self._updated, []
        return [(m.entry, k, m.last) for k in updated for m in (self.metrics[k],) if m.entry.on_step]

    def of_epoch(self):
        """(entry, key, value) over the epoch, and over all processes."""
        metrics = self.metrics if world.size() == 1 else self._of_all()
        return [(m.entry, k, value) for k, m in metrics.items() if m.entry.on_epoch
                for value in (m.of_epoch(),) if value is not None]

    def _of_all(self):
        mine = {k: (m._sum, m._weight, m._values) for k, m in self.metrics.items() if m.entry.on_epoch}
        parts = world.gathered(mine)
        if any(part.keys() != mine.keys() for part in parts):
            raise MisconfigurationException(f"Processes logged different names: {sorted(map(sorted, parts))}. self.log must "
                                            "not depend on the rank.")
        out = {}
        for key, metric in self.metrics.items():
            out[key] = combined = Metric(metric.entry)
            combined.last = metric.last
            for total, weight, values in (part[key] for part in parts if key in part):
                combined._sum, combined._weight = combined._sum + total, combined._weight + weight
                combined._values = combined._values + list(values)
        return out

    def state(self):
        """Sums of an epoch that goes on after a checkpoint; by name, since what they mean is logged again."""
        return {key: (m.entry.on_step, m.entry.prog_bar, m.entry.logger, m._sum, m._weight, list(m._values))
                for key, m in self.metrics.items() if m.entry.on_epoch}

    def load_state(self, state):
        for key, (on_step, prog_bar, logger, total, weight, values) in state.items():
            metric = self.metrics[key] = Metric(Entry(key, prog_bar, logger, on_step, True, "mean", None))
            metric._sum, metric._weight, metric._values = total, weight, values


def number(value):
    """For a logger or a bar."""
    return value.item() if isinstance(value, torch.Tensor) else value
