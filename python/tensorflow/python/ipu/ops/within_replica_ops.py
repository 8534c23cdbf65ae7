# SPDX-License-Identifier: MIT
"""Collectives among the IPUs of one replica: a list of tensors, one on each IPU, in and out."""
from __future__ import annotations

from typing import Sequence

from tensorflow.framework.context import placed
from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.ops import array_ops, math_ops

_OPS = {"COLLECTIVE_OP_ADD": math_ops.add, "COLLECTIVE_OP_MUL": math_ops.multiply, "COLLECTIVE_OP_MIN": math_ops.minimum,
        "COLLECTIVE_OP_MAX": math_ops.maximum}


def _shards(tensors, what):
    tensors = [convert_to_tensor(t) for t in tensors]
    if len(tensors) < 2:
        raise ValueError(f"{what} needs tensors of at least two IPUs; {len(tensors)} was given.")
    if len({t.dtype for t in tensors}) > 1:
        raise ValueError(f"{what}: the types of the shards differ: {', '.join(t.dtype.name for t in tensors)}.")
    return tensors


def _reduced(tensors, op, what):
    name = op if str(op).startswith("COLLECTIVE_OP_") else f"COLLECTIVE_OP_{op}".upper()
    if name not in _OPS:
        raise ValueError(f"{what}: {op!r} is not a reduction: {', '.join(_OPS)}.")
    out = tensors[0]
    for t in tensors[1:]:
        if t.shape.as_list() != out.shape.as_list():
            raise ValueError(f"{what}: the shards have shapes {out.shape} and {t.shape}.")
        out = _OPS[name](out, t)
    return out


def _on_each(count, make):
    out = []
    for i in range(count):
        with placed(shard=i):
            out.append(make(i))
    return out


def all_gather(input_shards: Sequence, axis: int = 0) -> list[Tensor]:
    """All of them joined along an axis, on every IPU."""
    tensors = _shards(input_shards, "all_gather")
    return _on_each(len(tensors), lambda i: array_ops.concat(tensors, axis))


def all_reduce(input_shards: Sequence, op: str) -> list[Tensor]:
    """All of them added (COLLECTIVE_OP_ADD), multiplied or compared, on every IPU."""
    tensors = _shards(input_shards, "all_reduce")
    return _on_each(len(tensors), lambda i: _reduced(tensors, op, "all_reduce"))


def reduce_scatter(input_shards: Sequence, op: str, axis: int = 0) -> list[Tensor]:
    """Part i of the reduced tensor on IPU i. What cannot be divided is filled with zeros."""
    tensors = _shards(input_shards, "reduce_scatter")
    rank, count = tensors[0].shape.rank, len(tensors)
    if not -rank <= axis < rank:
        raise ValueError(f"reduce_scatter: there is no axis {axis} in a tensor of shape {tensors[0].shape}.")
    missing = -tensors[0].shape[axis] % count
    paddings = [[0, missing if d == axis % rank else 0] for d in range(rank)]
    total = array_ops.pad(_reduced(tensors, op, "reduce_scatter"), paddings)
    parts = array_ops.split(total, count, axis)
    return _on_each(count, lambda i: math_ops.identity(parts[i]))
