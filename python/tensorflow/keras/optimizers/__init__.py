# SPDX-License-Identifier: MIT
"""Keras' optimisers, one a file."""
from tensorflow import _names
from tensorflow.keras.optimizers.base import Optimizer, deserialize, get, serialize

_names.families(globals())
_names.lazy(globals(), {"schedules": "tensorflow.keras.optimizers.schedules"})
