# SPDX-License-Identifier: MIT
"""Regularisers: a tensor -> a number that is added to the loss."""
from __future__ import annotations

from typing import Any

from tensorflow import _names
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras.named import Registry
from tensorflow.ops import math_ops

_all = Registry("regularizer")
serialize, deserialize = _all.serialize, _all.deserialize


def get(identifier: Any) -> Any:
    """A regularizer by its name or configuration, or the object itself."""
    return L1L2(0.01, 0.01) if identifier == "l1_l2" else _all.get(identifier)


class Regularizer:
    """A term of the loss that depends on a weight: called with it."""
    def __call__(self, x: TensorLike) -> float:
        return 0.0

    @classmethod
    def from_config(cls, config: dict) -> Any:
        """A new one from the arguments that get_config gave."""
        return cls(**config)


@_all.add()
class L1L2(Regularizer):
    """l1 * sum |x| + l2 * sum x^2"""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = float(l1 or 0), float(l2 or 0)

    def __call__(self, x: TensorLike) -> Tensor:
        out = None
        if self.l1:
            out = math_ops.multiply(math_ops.reduce_sum(math_ops.abs(x)), self.l1)
        if self.l2:
            squares = math_ops.multiply(math_ops.reduce_sum(math_ops.square(x)), self.l2)
            out = squares if out is None else math_ops.add(out, squares)
        return math_ops.multiply(math_ops.reduce_sum(x), 0.0) if out is None else out

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return {"l1": self.l1, "l2": self.l2}


@_all.add("l1")
class L1(L1L2):
    """The sum of absolute values, times `l1`."""
    def __init__(self, l1: float = 0.01, **kwargs: Any) -> None:
        super().__init__(kwargs.pop("l", l1), 0)

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return {"l1": self.l1}


@_all.add("l2")
class L2(L1L2):
    """The sum of squares, times `l2`."""
    def __init__(self, l2: float = 0.01, **kwargs: Any) -> None:
        super().__init__(0, kwargs.pop("l", l2))

    def get_config(self) -> dict:
        """The arguments it was made with."""
        return {"l2": self.l2}


l1, l2 = L1, L2


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """L1 and L2 together."""
    return L1L2(l1, l2)


_names.explain_missing(globals())
