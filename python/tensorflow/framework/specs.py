# SPDX-License-Identifier: MIT
"""TensorSpec: shape and type of a tensor to come."""
from __future__ import annotations

from typing import Any

from . import dtypes
from .shapes import TensorShape
from tensorflow.framework.typed import DTypeLike, ShapeLike, TensorLike


class TypeSpec:
    """The base of descriptions of values."""
    pass


class TensorSpec(TypeSpec):
    """Shape, type and name of a tensor."""
    def __init__(self, shape: ShapeLike | None, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> None:
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name

    def is_compatible_with(self, other: TensorLike) -> Any:
        """Whether a tensor fits."""
        return self.dtype is other.dtype and self.shape.is_compatible_with(other.shape)

    @classmethod
    def from_tensor(cls, tensor: TensorLike, name: str | None = None) -> Any:
        """The description of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
