# SPDX-License-Identifier: MIT
"""Sharding."""
from tensorflow import _names
from tensorflow.python.ipu.optimizers import ShardedOptimizer  # noqa: F401

_names.lazy(globals(), {})
