# SPDX-License-Identifier: MIT
"""How gradients of several batches become one."""
import enum


class GradientAccumulationReductionMethod(enum.Enum):
    SUM, MEAN, RUNNING_MEAN = "sum", "mean", "running_mean"

    @classmethod
    def parse(cls, value):
        if isinstance(value, cls):
            return value
        for each in cls:
            if str(value).lower() == each.value:
                return each
        raise ValueError(f"Cannot parse {value!r} as one of 'sum', 'mean', 'running_mean'.")
