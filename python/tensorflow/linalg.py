# SPDX-License-Identifier: MIT
"""tf.linalg"""
from tensorflow import _names
from tensorflow.ops import array_ops as _array
from tensorflow.ops import linalg_ops as _ops
from tensorflow.ops import math_ops as _math

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _math, ("matmul", "einsum", "tensordot", "norm", "l2_normalize", "global_norm"))
_names.export(globals(), _array, ("eye",))
band_part, tensor_diag = _array.linalg_band_part, _ops.diag
_names.explain_missing(globals())
