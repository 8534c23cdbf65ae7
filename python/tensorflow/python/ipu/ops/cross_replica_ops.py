# SPDX-License-Identifier: MIT
"""Sums and means over replicas, or over groups of this many in order."""
from __future__ import annotations

from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.ops.marks import assume_equal_across_replicas  # noqa: F401


def _reduced(op, x, size, name):
    if size is not None and (not isinstance(size, int) or size < 1):
        raise ValueError(f"replica_group_size must be a positive number, not {size!r}.")
    return apply(op, [convert_to_tensor(x)], {"replica_group_size": size or 0}, name=name)


def cross_replica_sum(x, replica_group_size: int | None = None, name: str | None = None) -> Tensor:
    return _reduced("CrossReplicaSum", x, replica_group_size, name)


def cross_replica_mean(x, replica_group_size: int | None = None, name: str | None = None) -> Tensor:
    return _reduced("CrossReplicaMean", x, replica_group_size, name)
