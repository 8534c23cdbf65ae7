# SPDX-License-Identifier: MIT
"""Replicas as operations."""
from __future__ import annotations

from tensorflow.framework.context import active
from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.python.ipu.ops.cross_replica_ops import cross_replica_mean, cross_replica_sum  # noqa: F401


def replication_index(name: str | None = None) -> Tensor:
    """The number of the replica that runs, from 0: an int32."""
    if active() is None:
        raise RuntimeError("replication_index belongs into a program for an IPU.")
    return apply("ReplicaIndex", [], name=name)


def assume_equal_across_replicas(tensor, inplace=False, name=None):
    """The tensor, which the program promises to be the same in all replicas; nothing here depends on the promise."""
    return convert_to_tensor(tensor)
