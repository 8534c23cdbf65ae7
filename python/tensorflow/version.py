# SPDX-License-Identifier: MIT
"""tf.version"""
from tensorflow._version import VERSION  # noqa: F401
