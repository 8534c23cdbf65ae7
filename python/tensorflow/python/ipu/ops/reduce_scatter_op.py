# SPDX-License-Identifier: MIT
"""Replicas that add up what they have and keep a part of it each."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.ops import array_ops
from tensorflow.python.ipu.ops.cross_replica_ops import cross_replica_mean, cross_replica_sum
from tensorflow.python.ipu.ops.replication_ops import replication_index

_OPS: dict[str, Any] = {"COLLECTIVE_OP_ADD": cross_replica_sum, "COLLECTIVE_OP_MEAN": cross_replica_mean,
                        "COLLECTIVE_OP_LOCAL": lambda x: x}


def reduce_scatter(x, replication_factor: int, op: str = "COLLECTIVE_OP_ADD", name: str | None = None) -> Tensor:
    """Of a vector: replica i has part i of the sum over replicas, filled with zeros to equal parts. COLLECTIVE_OP_MEAN divides
    by the replicas, COLLECTIVE_OP_LOCAL takes parts without adding."""
    x = convert_to_tensor(x)
    if x.shape.rank != 1:
        raise ValueError(f"reduce_scatter takes a vector; the shape is {x.shape}.")
    if isinstance(replication_factor, bool) or not isinstance(replication_factor, int) or replication_factor < 1:
        raise ValueError(f"replication_factor must be a positive number, not {replication_factor!r}.")
    if op not in _OPS:
        raise ValueError(f"reduce_scatter: {op!r} is not a reduction: {', '.join(_OPS)}.")
    padded = array_ops.pad(x, [[0, -x.shape[0] % replication_factor]])
    rows = array_ops.reshape(_OPS[op](padded), [replication_factor, -1])
    return array_ops.gather(rows, replication_index(), name=name)
