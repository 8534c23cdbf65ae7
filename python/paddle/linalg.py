# SPDX-License-Identifier: MIT
"""paddle.linalg."""
from .tensor.math import matmul, norm
from ._names import refuse_unknown

__all__ = ["matmul", "norm"]
refuse_unknown(__name__)
