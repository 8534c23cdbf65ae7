# SPDX-License-Identifier: MIT
"""Enumerations that arguments of variables and gradients have."""
import enum


class UnconnectedGradients(enum.Enum):
    """What the gradient is where there is no way from source to target: None or zeros."""
    NONE, ZERO = "none", "zero"


class VariableSynchronization(enum.Enum):
    """When replicas agree on a variable."""
    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(enum.Enum):
    """How values of replicas become a variable's."""
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)
