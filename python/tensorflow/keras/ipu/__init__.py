# SPDX-License-Identifier: MIT
"""tf.keras.ipu: pipeline stages, and Keras' own names for parts of the ipu package."""
from tensorflow import _names
from tensorflow.keras.engine.assignments import (FunctionalLayerPipelineStageAssignment,
                                              FunctionalNestedModelPipelineStageAssignment,
                                              ModelLayerPipelineStageAssignment, NestedModelPipelineStageAssignment,
                                              SequentialLayerPipelineStageAssignment,
                                              SequentialNestedModelPipelineStageAssignment, is_nested_model)
from tensorflow.keras.ipu.pipeline_stage import PipelineStage
from tensorflow.keras.ipu.replicated_metrics import ReplicatedMetricReductionMethod

_names.lazy(globals(), {"layers": "tensorflow.keras.ipu.layers", "optimizers": "tensorflow.keras.ipu.optimizers"})
