# SPDX-License-Identifier: MIT
"""Lookups."""
from tensorflow.ops import array_ops


def embedding_lookup(params, ids, name=None, serialization_factor=1, indices_are_sorted=False):
    return array_ops.gather(params, ids, name=name)
