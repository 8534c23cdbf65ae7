# SPDX-License-Identifier: MIT
"""tf.math"""
from tensorflow import _names
from tensorflow.ops import composed_ops as _composed
from tensorflow.ops import counting_ops as _counting
from tensorflow.ops import math_ops as _ops
from tensorflow.ops import nn_ops as _nn
from tensorflow.ops import special_ops as _special

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _nn, ("softmax", "log_softmax", "l2_normalize", "zero_fraction", "softsign", "in_top_k", "top_k"))
_names.export(globals(), _counting, [n for n in _counting.names if n not in ("sort", "argsort", "searchsorted")])
_names.export(globals(), _special, _special.names)
_names.export(globals(), _composed, _composed.math)
_names.explain_missing(globals())
