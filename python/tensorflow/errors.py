# SPDX-License-Identifier: MIT
"""tf.errors"""
from tensorflow import _names
from tensorflow.framework.errors import *  # noqa: F401,F403

_names.explain_missing(globals())
