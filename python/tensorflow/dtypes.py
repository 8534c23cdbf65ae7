# SPDX-License-Identifier: MIT
"""tf.dtypes"""
from tensorflow.framework.dtypes import *  # noqa: F401,F403
from tensorflow.ops.math_ops import cast, saturate_cast  # noqa: F401
