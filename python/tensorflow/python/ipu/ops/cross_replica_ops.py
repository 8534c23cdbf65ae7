# SPDX-License-Identifier: MIT
"""Sums and means over replicas, or over groups of so many that follow each other."""
from tensorflow.framework import nest
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import convert_to_tensor


def _reduced(op, x, size, name):
    if size is not None and (not isinstance(size, int) or size < 1):
        raise ValueError(f"replica_group_size must be a positive number, not {size!r}.")
    return apply(op, [convert_to_tensor(x)], {"replica_group_size": size or 0}, name=name)


def cross_replica_sum(x, replica_group_size=None, name=None):
    return _reduced("CrossReplicaSum", x, replica_group_size, name)


def cross_replica_mean(x, replica_group_size=None, name=None):
    return _reduced("CrossReplicaMean", x, replica_group_size, name)


def assume_equal_across_replicas(tensors, inplace=False):
    """The tensors, which are the same on all replicas: programs of replicas may differ in nothing else, so that this says
    nothing new here."""
    return nest.map_structure(lambda t: apply("Identity", [convert_to_tensor(t)]), tensors)
