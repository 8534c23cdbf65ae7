# SPDX-License-Identifier: MIT
"""Operations of the IPU's own."""
from tensorflow import _names

_names.lazy(globals(), {name: f"tensorflow.python.ipu.ops.{name}" for name in ("pipelining_ops",)})
