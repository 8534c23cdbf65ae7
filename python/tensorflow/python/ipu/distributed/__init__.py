# SPDX-License-Identifier: MIT
"""Several processes that poprun started."""
from tensorflow import _names
from tensorflow.python.ipu.distributed.popdist_strategy import PopDistStrategy

_names.lazy(globals(), {"popdist_strategy": "tensorflow.python.ipu.distributed.popdist_strategy"})
