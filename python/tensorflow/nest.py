# SPDX-License-Identifier: MIT
"""tf.nest"""
from tensorflow import _names
from tensorflow.framework.nest import (assert_same_structure, flatten, is_nested, map_structure,  # noqa: F401
                                       pack_sequence_as)

_names.explain_missing(globals())
