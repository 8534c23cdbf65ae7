# SPDX-License-Identifier: MIT
"""Enumerations that arguments of variables and gradients have."""
import enum


class UnconnectedGradients(enum.Enum):
    NONE, ZERO = "none", "zero"


class VariableSynchronization(enum.Enum):
    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(enum.Enum):
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)
