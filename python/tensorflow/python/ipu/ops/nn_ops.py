# SPDX-License-Identifier: MIT
"""Activations that the IPU has operations for."""
from __future__ import annotations

from typing import Any, Callable

from tensorflow.framework.logs import without_effect
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.ops import math_ops, nn_ops
from tensorflow.python.ipu.ops.functional_ops import outlined_function as _as_it_is


def gelu(x: TensorLike, approximate: bool = True, name: str | None = None) -> Tensor:
    """x times the normal distribution."""
    return nn_ops.gelu(x, approximate, name)


def hard_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """0.2 x + 0.5, between 0 and 1."""
    return math_ops.clip_by_value(math_ops.add(math_ops.multiply(x, 0.2), 0.5), 0.0, 1.0)


def softmax(x: TensorLike, stable: bool = True, name: str | None = None) -> Tensor:
    """Along the last dimension. It is always the stable form, which subtracts the maximum."""
    return nn_ops.softmax(x, -1, name)


def multi_conv(func: Callable | None = None, options: Any = None) -> Callable:
    """A function whose convolutions do not depend on each other: PopART's scheduler sees that itself."""
    if options is not None:
        pairs = [o for o in options] if isinstance(options, (list, tuple)) else None
        if pairs is None or not all(hasattr(o, "items") for o in pairs):
            raise TypeError("multi_conv: options is a list of dictionaries.")
        without_effect(poplar_options=any(pairs))
    return _as_it_is(func)
