# SPDX-License-Identifier: MIT
"""tf.compat"""
from tensorflow import _names

_names.lazy(globals(), {"v1": "tensorflow.compat.v1", "v2": "tensorflow"})
