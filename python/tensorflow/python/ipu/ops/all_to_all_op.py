# SPDX-License-Identifier: MIT
"""Replicas that exchange parts of what they have."""
from __future__ import annotations

from tensorflow.framework.dispatch import apply
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops


def _replicas(count):
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"The number of replicas must be a positive number, not {count!r}.")
    return count


def all_to_all(x: TensorLike, split_dimension: int, concat_dimension: int, number_of_replicas: int,
               name: str | None = None) -> Tensor:
    """x is split along one dimension; replica i gets part i of every replica, joined along the other dimension."""
    x, count = convert_to_tensor(x), _replicas(number_of_replicas)
    for dimension in (split_dimension, concat_dimension):
        if not -x.shape.rank <= dimension < x.shape.rank:
            raise ValueError(f"all_to_all: there is no dimension {dimension} in a tensor of shape {x.shape}.")
    if x.shape[split_dimension] % count:
        raise ValueError(f"all_to_all: dimension {split_dimension} of shape {x.shape} cannot be split into {count} parts.")
    rows = array_ops.stack(array_ops.split(x, count, split_dimension))
    made = apply("AllToAll", [rows], {"replicas": count}, name=name)
    return array_ops.concat(array_ops.unstack(made), concat_dimension)


def all_gather(x: TensorLike, replication_factor: int, name: str | None = None) -> Tensor:
    """[replicas, *x.shape]: what all replicas have."""
    return apply("AllGather", [convert_to_tensor(x)], {"replicas": _replicas(replication_factor)}, name=name)
