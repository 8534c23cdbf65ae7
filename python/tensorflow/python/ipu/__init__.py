# SPDX-License-Identifier: MIT
"""The IPU's own part: from tensorflow.python import ipu"""
from tensorflow import _names
from tensorflow.python.ipu import config, ipu_strategy  # noqa: F401

_names.lazy(globals(), {})
