# SPDX-License-Identifier: MIT
"""Replicas as operations."""
from tensorflow.python.ipu.ops.cross_replica_ops import cross_replica_mean, cross_replica_sum  # noqa: F401
