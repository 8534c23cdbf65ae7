# SPDX-License-Identifier: MIT
"""For graphs of TensorFlow 1."""
from tensorflow import _names

_names.lazy(globals(), {"layers": "ipu_tensorflow_addons.v1.layers"})
