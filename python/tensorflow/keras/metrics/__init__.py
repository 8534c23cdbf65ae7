# SPDX-License-Identifier: MIT
"""Keras' metrics, one family a file."""
from tensorflow import _names
from tensorflow.keras.metrics.base import Metric, deserialize, get, serialize

_names.families(globals())
_names.explain_missing(globals())
