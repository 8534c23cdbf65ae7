# SPDX-License-Identifier: MIT
"""Keras' losses, one family a file: functions (one number per sample) and classes that reduce them."""
from tensorflow import _names
from tensorflow.keras.losses.base import Loss, Reduction, deserialize, get, serialize

_names.families(globals())
_names.explain_missing(globals())
