# SPDX-License-Identifier: MIT
"""tf.image"""
from tensorflow import _names
from tensorflow.ops import image_ops as _ops

_names.export(globals(), _ops, _ops.names)
_names.explain_missing(globals())
