# SPDX-License-Identifier: MIT
"""Lookups."""
from tensorflow.framework.logs import without_effect
from tensorflow.ops import array_ops


def embedding_lookup(params, ids, name=None, serialization_factor=1, indices_are_sorted=False):
    without_effect(serialization_factor=serialization_factor if serialization_factor != 1 else None,
                   indices_are_sorted=indices_are_sorted)
    return array_ops.gather(params, ids, name=name)


def create_host_embedding(*args, **kwargs):
    raise NotImplementedError("Embeddings in the host's memory are not there; docs/tensorflow.md lists what is. "
                              "offload_weights keeps a table in memory beside the chip.")
