# SPDX-License-Identifier: MIT
"""Which IPU of a device an operation is on (ipu.scopes.ipu_shard)."""
from __future__ import annotations

import typing as _typing

from tensorflow import _names
from tensorflow.framework.operations import Operation as _Operation
from tensorflow.python.ipu.optimizers import ShardedOptimizer  # noqa: F401
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any


def get_sharding(op: str) -> int | None:
    """The shard of an operation or tensor; None: it has none of its own."""
    tensor = op.result if isinstance(op, _Operation) else op
    return None if tensor is None else getattr(tensor, "shard", None)


def get_shard_from_colocation(op: str) -> int | None:
    """The shard of what an operation is placed with: operations without a shard have that of their inputs."""
    return get_sharding(op)


def propagate_sharding(g: Any) -> None:
    """Gradients are on the shards of what they are the gradients of, so that nothing is left to do in the graph."""
    if not hasattr(g, "recorder"):
        raise TypeError(f"propagate_sharding takes a tf.Graph, not {type(g).__name__}.")


_names.explain_missing(globals())
