# SPDX-License-Identifier: MIT
"""tf.keras.models"""
from tensorflow import _names
from tensorflow.keras.engine.functional import Functional  # noqa: F401
from tensorflow.keras.engine.sequential import Sequential  # noqa: F401
from tensorflow.keras.engine.training import Model  # noqa: F401

_names.lazy(globals(), {})
