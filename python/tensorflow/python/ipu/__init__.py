# SPDX-License-Identifier: MIT
"""The IPU's own part: from tensorflow.python import ipu"""
from tensorflow import _names
from tensorflow.python.ipu import config, flags, ipu_strategy
from tensorflow.python.ipu.ops import _OPERATIONS

flags.current()  # an unknown flag ends the program at once
_MODULES = ("scopes", "ipu_compiler", "loops", "ipu_infeed_queue", "ipu_outfeed_queue", "utils", "ops", "optimizers",
            "gradient_accumulation", "sharding", "keras", "dataset_benchmark", "distributed", "ipu_estimator", "ipu_run_config",
            "ipu_session_run_hooks", "ipu_pipeline_estimator", "serving", "application_compile_op", "embedded_runtime")
_OPTIMIZERS = ("cross_replica_optimizer", "gradient_accumulation_optimizer", "map_gradient_optimizer", "sharded_optimizer")
_names.lazy(globals(), {**{name: f"tensorflow.python.ipu.{name}" for name in _MODULES},
                        **{name: "tensorflow.python.ipu.optimizers" for name in _OPTIMIZERS},
                        **{name: f"tensorflow.python.ipu.ops.{name}" for name in _OPERATIONS},
                        **{name: f"tensorflow.python.ipu.ops.functional_ops:{name}" for name in (
                            "outlined_function", "function")}})
