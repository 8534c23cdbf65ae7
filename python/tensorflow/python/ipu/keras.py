# SPDX-License-Identifier: MIT
"""ipu.keras: what programs before Keras had its own ipu part import from here."""
from tensorflow import _names
from tensorflow.keras.ipu import *  # noqa: F401,F403
from tensorflow.keras.ipu import PipelineStage, ReplicatedMetricReductionMethod  # noqa: F401

_names.lazy(globals(), {"layers": "tensorflow.keras.ipu.layers", "optimizers": "tensorflow.keras.ipu.optimizers"})
