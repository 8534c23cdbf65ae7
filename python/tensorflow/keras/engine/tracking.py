# SPDX-License-Identifier: MIT
"""The numbers of an epoch as they grow: losses as means over batches, metrics of what batches add, for every replica."""
import numpy as np

from tensorflow.framework.context import eagerly


class Tracker:
    """reduction: what is shown of several replicas: NONE (the last one), LIST, SUM or MEAN."""

    def __init__(self, replicas=1, reduction="NONE"):
        self._replicas, self._reduction = replicas, reduction
        self._sums, self._counts = {}, {}
        self._added = {}  # id of a variable -> (it, sums for each replica)

    def reset(self, metrics=()):
        self.__init__(self._replicas, self._reduction)
        for metric in metrics:
            metric.reset_state()

    def _split(self, values, shape):
        """[rounds, replicas, *shape]"""
        return np.asarray(values).reshape(-1, self._replicas, *shape)

    def losses(self, names, all_values, weight=1.0, summed=1):
        """summed: how many batches each value is the sum of."""
        for name, values in zip(names, all_values):
            rows = self._split(values, ())
            self._sums[name] = self._sums.get(name, 0) + rows.sum(0, dtype=np.float64) * weight
            self._counts[name] = self._counts.get(name, 0) + len(rows) * weight * summed

    def add(self, variable, values):
        rows = self._split(values, tuple(variable.shape)).sum(0, dtype=np.float64)
        before = self._added.get(id(variable))
        self._added[id(variable)] = (variable, rows if before is None else before[1] + rows)

    def _reduced(self, each):
        if self._replicas == 1 or self._reduction == "NONE":
            return each[-1]
        if self._reduction == "LIST":
            return list(each)
        total = sum(each)
        return total if self._reduction == "SUM" else total / len(each)

    def logs(self, metrics):
        out = {name: self._reduced([float(s / self._counts[name]) for s in np.atleast_1d(sums)])
               for name, sums in self._sums.items()}
        for metric in metrics:
            each = []
            for r in self._shown():
                for variable in metric.variables:
                    found = self._added.get(id(variable))
                    if found is not None:
                        variable.set(found[1][r])
                with eagerly():
                    value = metric.result()
                value = np.asarray(value)
                each.append(value.item() if value.ndim == 0 else value)
            out[metric.name] = self._reduced(each)
        return out

    def _shown(self):
        return range(self._replicas - 1, self._replicas) if self._reduction == "NONE" else range(self._replicas)
