# SPDX-License-Identifier: MIT
"""tf.train"""
from tensorflow import _names

_names.lazy(globals(), {})
