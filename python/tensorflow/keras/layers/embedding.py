# SPDX-License-Identifier: MIT
"""Embedding: rows of a table by their numbers. Masking: steps that are not to count."""
from tensorflow.keras import constraints, initializers, regularizers
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops

__all__ = ["Embedding", "Masking"]


class Embedding(Layer):
    """mask_zero: number 0 is padding, and masked in what follows."""

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
                 activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
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

    def build(self, input_shape=None):
        self.embeddings = parts.weight(self, "embeddings", (self.input_dim, self.output_dim))

    def compute_mask(self, inputs, mask=None):
        return math_ops.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs):
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = math_ops.cast(inputs, "int32")
        return math_ops.cast(array_ops.gather(self.embeddings, inputs), self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "input_dim": self.input_dim, "output_dim": self.output_dim,
                "mask_zero": self.mask_zero, "input_length": self.input_length, **parts.config(self, ("embeddings",))}


class Masking(Layer):
    """Steps whose entries are all `mask_value` are zeros, and masked in what follows."""

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value, self.supports_masking = mask_value, True

    def _kept(self, inputs, keepdims):
        return math_ops.reduce_any(math_ops.not_equal(inputs, float(self.mask_value)), -1, keepdims=keepdims)

    def compute_mask(self, inputs, mask=None):
        return self._kept(inputs, False)

    def call(self, inputs):
        return math_ops.multiply(inputs, math_ops.cast(self._kept(inputs, True), inputs.dtype))

    def get_config(self):
        return {**super().get_config(), "mask_value": self.mask_value}
