# SPDX-License-Identifier: MIT
"""tf.keras.preprocessing: sequences of one length."""
from tensorflow import _names

_names.lazy(globals(), {"sequence": "tensorflow.keras.preprocessing.sequence"})
__all__ = ["sequence"]
