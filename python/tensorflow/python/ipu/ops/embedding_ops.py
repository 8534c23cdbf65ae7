# SPDX-License-Identifier: MIT
"""Lookups, in tables of the device and of the host."""
from __future__ import annotations

from tensorflow.framework.logs import without_effect
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import array_ops
from tensorflow.python.ipu.ops.host_embedding import (HostEmbedding, HostEmbeddingOptimizerSpec,  # noqa: F401
                                                      HostEmbeddingSGDGAOptimizerSpec, create_host_embedding)


def embedding_lookup(params: TensorLike, ids: TensorLike, name: str | None = None, serialization_factor: int = 1,
                     indices_are_sorted: bool = False) -> Tensor:
    """Rows of a table by index, in parts if serialization_factor is above 1."""
    without_effect(serialization_factor=serialization_factor if serialization_factor != 1 else None,
                   indices_are_sorted=indices_are_sorted)
    return array_ops.gather(params, ids, name=name)
