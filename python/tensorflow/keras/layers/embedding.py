# SPDX-License-Identifier: MIT
"""Embedding: rows of a table by their numbers. Masking: steps that are not to count."""
from __future__ import annotations

from tensorflow.framework.typed import ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from typing import Any

from tensorflow.keras import constraints, initializers, regularizers
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops

__all__ = ["Embedding", "Masking"]


class Embedding(Layer):
    """mask_zero: number 0 is padding, and masked in what follows."""

    def __init__(self, input_dim: int, output_dim: int, embeddings_initializer: InitializerLike = "uniform",
                 embeddings_regularizer: RegularizerLike = None, activity_regularizer: RegularizerLike = None,
                 embeddings_constraint: ConstraintLike = None, mask_zero: bool = False, input_length: Any = None,
                 **kwargs: Any) -> None:
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = tuple(input_length) if isinstance(input_length, (list, tuple)) else (input_length,)
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(f"Both `input_dim` and `output_dim` should be positive, found input_dim {input_dim} and "
                             f"output_dim {output_dim}")
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim, self.output_dim, self.mask_zero, self.input_length = input_dim, output_dim, mask_zero, input_length
        self.supports_masking = mask_zero
        self._input_dtype = "int32"
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)

    def build(self, input_shape: ShapeLike | None = None) -> None:
        self.embeddings = parts.weight(self, "embeddings", (self.input_dim, self.output_dim))

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor | None:
        return math_ops.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs: TensorLike) -> Tensor:
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = math_ops.cast(inputs, "int32")
        return math_ops.cast(array_ops.gather(self.embeddings, inputs), self.compute_dtype)

    def get_config(self) -> dict:
        return {**super().get_config(), "input_dim": self.input_dim, "output_dim": self.output_dim,
                "mask_zero": self.mask_zero, "input_length": self.input_length, **parts.config(self, ("embeddings",))}


class Masking(Layer):
    """Steps whose entries are all `mask_value` are zeros, and masked in what follows."""
    _config = ("mask_value",)

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value, self.supports_masking = mask_value, True

    def _kept(self, inputs, keepdims):
        return math_ops.reduce_any(math_ops.not_equal(inputs, float(self.mask_value)), -1, keepdims=keepdims)

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Tensor:
        return self._kept(inputs, False)

    def call(self, inputs: TensorLike) -> Tensor:
        return math_ops.multiply(inputs, math_ops.cast(self._kept(inputs, True), inputs.dtype))
