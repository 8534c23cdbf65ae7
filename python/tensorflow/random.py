# SPDX-License-Identifier: MIT
"""tf.random"""
from tensorflow import _names
from tensorflow.ops import random_ops as _ops

_names.export(globals(), _ops, _ops.names)
_names.lazy(globals(), {})
