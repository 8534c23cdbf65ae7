# SPDX-License-Identifier: MIT
"""Sums and means over replicas."""
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import convert_to_tensor


def cross_replica_sum(x, replica_group_size=None, name=None):
    return apply("CrossReplicaSum", [convert_to_tensor(x)], name=name)


def cross_replica_mean(x, replica_group_size=None, name=None):
    from tensorflow.python.ipu import scopes, system
    count = system.device(scopes.device_index() or 0).ipus
    return cross_replica_sum(x) * (1.0 / count)
