# SPDX-License-Identifier: MIT
"""tf.image"""
from tensorflow import _names
from tensorflow.ops import image_ops as _ops
from tensorflow.ops.composed_ops import extract_patches  # noqa: F401

_names.export(globals(), _ops, _ops.names)
_names.explain_missing(globals())
