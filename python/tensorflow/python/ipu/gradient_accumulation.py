# SPDX-License-Identifier: MIT
"""How gradients of several batches become one."""
from tensorflow.ops.placement import GradientAccumulationReductionMethod  # noqa: F401
