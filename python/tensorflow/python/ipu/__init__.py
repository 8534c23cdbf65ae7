# SPDX-License-Identifier: MIT
"""The IPU's own part: from tensorflow.python import ipu"""
from tensorflow import _names
from tensorflow.python.ipu import config, flags, ipu_strategy  # noqa: F401

flags.current()  # an unknown flag ends the program at once
_MODULES = ("scopes", "ipu_compiler", "loops", "ipu_infeed_queue", "ipu_outfeed_queue", "utils", "ops", "optimizers",
            "gradient_accumulation", "sharding", "keras", "dataset_benchmark", "distributed")
_names.lazy(globals(), {**{name: f"tensorflow.python.ipu.{name}" for name in _MODULES},
                        **{name: f"tensorflow.python.ipu.ops.{name}" for name in (
                            "pipelining_ops", "embedding_ops", "functional_ops", "rand_ops", "normalization_ops",
                            "replication_ops", "cross_replica_ops", "custom_ops", "internal_ops", "nn_ops", "all_to_all_op")}})
