# SPDX-License-Identifier: MIT
"""tf.keras.ipu: pipeline stages, and Keras' own names for parts of the ipu package."""
from tensorflow import _names
from tensorflow.keras.ipu.assignments import (FunctionalLayerPipelineStageAssignment,  # noqa: F401
                                              FunctionalNestedModelPipelineStageAssignment,
                                              ModelLayerPipelineStageAssignment, NestedModelPipelineStageAssignment,
                                              SequentialLayerPipelineStageAssignment,
                                              SequentialNestedModelPipelineStageAssignment, is_nested_model)
from tensorflow.keras.ipu.pipeline_stage import PipelineStage  # noqa: F401
from tensorflow.python.ipu.replicated_metrics import ReplicatedMetricReductionMethod  # noqa: F401

_names.lazy(globals(), {"layers": "tensorflow.keras.ipu.layers", "optimizers": "tensorflow.keras.ipu.optimizers"})
