# SPDX-License-Identifier: MIT
"""tf.math"""
from tensorflow import _names
from tensorflow.ops import math_ops as _ops
from tensorflow.ops import nn_ops as _nn

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _nn, ("softmax", "log_softmax", "l2_normalize", "zero_fraction", "softsign"))
_names.lazy(globals(), {})
