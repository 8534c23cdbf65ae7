# SPDX-License-Identifier: MIT
"""Activations that the IPU has operations for."""
from tensorflow.ops import math_ops, nn_ops


def gelu(x, approximate=True, name=None):
    return nn_ops.gelu(x, approximate, name)


def hard_sigmoid(x, name=None):
    return math_ops.clip_by_value(math_ops.add(math_ops.multiply(x, 0.2), 0.5), 0.0, 1.0)
