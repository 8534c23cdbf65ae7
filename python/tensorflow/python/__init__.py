# SPDX-License-Identifier: MIT
"""tensorflow.python: the ipu package."""
from tensorflow import _names

_names.lazy(globals(), {"ipu": "tensorflow.python.ipu", "keras": "tensorflow.keras"})
