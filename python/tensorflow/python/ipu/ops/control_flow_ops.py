# SPDX-License-Identifier: MIT
"""The order of a program."""
from tensorflow.framework import nest
from tensorflow.framework.tensors import convert_to_tensor
from tensorflow.ops import math_ops


def barrier(tensors, insert_barrier_for_gradient=False, name=None):
    """The tensors, of which none is used before all are computed. A program's operations run in the order in which they were
    traced, so that what follows the barrier does run after it; so do gradients, in the opposite order."""
    flat = [convert_to_tensor(t) for t in nest.flatten(tensors)]
    return nest.pack_sequence_as(tensors, [math_ops.identity(t, name) for t in flat])
