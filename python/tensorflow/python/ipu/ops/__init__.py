# SPDX-License-Identifier: MIT
"""Operations of the IPU's own."""
from tensorflow import _names

_OPERATIONS = ("pipelining_ops", "embedding_ops", "functional_ops", "rand_ops", "normalization_ops", "replication_ops",
               "cross_replica_ops", "custom_ops", "internal_ops", "nn_ops", "all_to_all_op", "math_ops", "image_ops",
               "within_replica_ops", "reduce_scatter_op", "statistics_ops", "control_flow_ops", "grad_util_ops",
               "slicing_ops")
_names.lazy(globals(), {name: f"tensorflow.python.ipu.ops.{name}" for name in _OPERATIONS})
