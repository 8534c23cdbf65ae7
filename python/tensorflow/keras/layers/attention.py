# SPDX-License-Identifier: MIT
"""Attention:  softmax(scores of query and key) . value.  Attention, AdditiveAttention, MultiHeadAttention."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.shapes import TensorShape
from tensorflow.framework.typed import AxisLike, ConstraintLike, InitializerLike, RegularizerLike, ShapeLike, TensorLike
from tensorflow.framework.tensors import Tensor
from tensorflow.keras import constraints, initializers, regularizers
from tensorflow.keras.engine.base_layer import Layer
from tensorflow.keras.layers import parts
from tensorflow.ops import array_ops, math_ops, nn_ops

__all__ = ["Attention", "AdditiveAttention", "MultiHeadAttention"]


def _lowest(dtype):
    return -65504.0 if dtype.name == "float16" else -1e9


def masked(scores, kept):
    """Scores with a large negative number added where nothing is kept."""
    left_out = math_ops.subtract(1.0, math_ops.cast(kept, scores.dtype))
    return math_ops.add(scores, math_ops.multiply(left_out, _lowest(scores.dtype)))


class _DenseAttention(Layer):
    _config = ("causal", "dropout")

    def __init__(self, causal=False, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.causal, self.dropout, self.supports_masking = causal, dropout, True

    def call(self, inputs, mask=None, training=None, return_attention_scores=False):
        if not isinstance(inputs, (list, tuple)) or not 2 <= len(inputs) <= 3:
            raise ValueError(f"{type(self).__name__} layer accepts inputs list of length 2 or 3, namely [query, value] or "
                             f"[query, value, key]. Given: {inputs}")
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        mask = list(mask) if mask is not None else [None, None]
        scores = self._scores(query, key)
        if mask[1] is not None:
            scores = masked(scores, array_ops.expand_dims(mask[1], -2))
        if self.causal:
            rows, columns = scores.shape[-2], scores.shape[-1]
            scores = masked(scores, np.tril(np.ones((rows, columns), np.float32)))
        weights = nn_ops.softmax(scores)
        if training and self.dropout > 0:
            weights = nn_ops.dropout(weights, self.dropout)
        out = math_ops.matmul(weights, value)
        if mask[0] is not None:
            out = math_ops.multiply(out, math_ops.cast(array_ops.expand_dims(mask[0], -1), out.dtype))
        return (out, weights) if return_attention_scores else out

    def compute_mask(self, inputs, mask=None):
        return mask[0] if isinstance(mask, (list, tuple)) else None


class Attention(_DenseAttention):
    """Scores are products."""
    _config = ("use_scale",)

    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: ShapeLike) -> None:
        self.scale = self.add_weight("scale", (), initializer="ones") if self.use_scale else None

    def _scores(self, query, key):
        scores = math_ops.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else math_ops.multiply(scores, math_ops.cast(self.scale, scores.dtype))


class AdditiveAttention(_DenseAttention):
    """Scores are  sum(scale * tanh(query + key))."""
    _config = ("use_scale",)

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: ShapeLike) -> None:
        size = TensorShape(input_shape[1])[-1]
        self.scale = self.add_weight("scale", (size,), initializer="glorot_uniform") if self.use_scale else None

    def _scores(self, query, key):
        both = math_ops.tanh(math_ops.add(array_ops.expand_dims(query, -2), array_ops.expand_dims(key, -3)))
        both = both if self.scale is None else math_ops.multiply(both, math_ops.cast(self.scale, both.dtype))
        return math_ops.reduce_sum(both, -1)


class _Projection(Layer):
    """A product over the last `inner` axes with a kernel [in..., out...]."""

    def __init__(self, inner, outer, use_bias, settings, **kwargs):
        super().__init__(**kwargs)
        self._inner, self._outer, self._use_bias = inner, tuple(outer), use_bias
        self.__dict__["_settings"] = settings  # a layer that is not inside of this one

    def build(self, input_shape):
        own = tuple(TensorShape(input_shape))[-self._inner:]
        self.kernel = parts.weight(self, "kernel", (*own, *self._outer), settings=self._settings)
        self.bias = parts.weight(self, "bias", self._outer, settings=self._settings) if self._use_bias else None

    def call(self, x):
        size = int(np.prod([d for d in x.shape[-self._inner:]]))
        rows = array_ops.dims(x)[:x.shape.rank - self._inner]
        flat = array_ops.reshape(x, [*rows, size])
        kernel = array_ops.reshape(math_ops.cast(self.kernel, x.dtype), [size, -1])
        out = array_ops.reshape(math_ops.matmul(flat, kernel), [*rows, *self._outer])
        return out if self.bias is None else math_ops.add(out, math_ops.cast(self.bias, out.dtype))


class MultiHeadAttention(Layer):
    """Kernels: query, key [in, heads, key_dim], value [in, heads, value_dim], attention_output [heads, value_dim, out]."""

    def __init__(self, num_heads: int, key_dim: int, value_dim: int | None = None, dropout: float = 0.0,
                 use_bias: bool = True, output_shape: ShapeLike | None = None, attention_axes: AxisLike | None = None,
                 kernel_initializer: InitializerLike = "glorot_uniform", bias_initializer: InitializerLike = "zeros",
                 kernel_regularizer: RegularizerLike = None, bias_regularizer: RegularizerLike = None,
                 activity_regularizer: RegularizerLike = None, kernel_constraint: ConstraintLike = None,
                 bias_constraint: ConstraintLike = None, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if attention_axes not in (None, 1, (1,), [1]):
            raise NotImplementedError("MultiHeadAttention(attention_axes=...) other than 1 is not there; docs/tensorflow.md "
                                      "lists what is.")
        self._num_heads, self._key_dim, self._value_dim = num_heads, key_dim, value_dim or key_dim
        self._dropout, self._use_bias = dropout, use_bias
        self._output_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self.kernel_initializer, self.bias_initializer = map(initializers.get, (kernel_initializer, bias_initializer))
        self.kernel_regularizer, self.bias_regularizer = map(regularizers.get, (kernel_regularizer, bias_regularizer))
        self.kernel_constraint, self.bias_constraint = map(constraints.get, (kernel_constraint, bias_constraint))
        self.supports_masking = True

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape)
        if shape.rank != 3:
            raise NotImplementedError(f"MultiHeadAttention takes [batch, steps, features] here, not {shape}.")
        heads = self._num_heads

        def projection(name, inner, outer):
            return _Projection(inner, outer, self._use_bias, self, name=name, dtype=self._policy)

        self._query_dense = projection("query", 1, (heads, self._key_dim))
        self._key_dense = projection("key", 1, (heads, self._key_dim))
        self._value_dense = projection("value", 1, (heads, self._value_dim))
        self._output_dense = projection("attention_output", 2, self._output_shape or (shape[-1],))

    def call(self, query: TensorLike, value: TensorLike, key: str | None = None, attention_mask: TensorLike | None = None,
             return_attention_scores: bool = False, training: bool | None = None) -> Tensor | tuple:
        key = value if key is None else key
        query, key, value = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        query = math_ops.multiply(query, 1.0 / float(np.sqrt(self._key_dim)))
        heads_first = [0, 2, 1, 3]
        query, key, value = (array_ops.transpose(t, heads_first) for t in (query, key, value))
        scores = math_ops.matmul(query, key, transpose_b=True)
        if attention_mask is not None:
            kept = math_ops.cast(attention_mask, scores.dtype)
            scores = masked(scores, array_ops.expand_dims(kept, 1) if kept.shape.rank == 3 else kept)
        weights = nn_ops.softmax(scores)
        used = nn_ops.dropout(weights, self._dropout) if training and self._dropout else weights
        out = self._output_dense(array_ops.transpose(math_ops.matmul(used, value), heads_first))
        return (out, weights) if return_attention_scores else out

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> None:
        return None

    def get_config(self) -> dict:
        return {**super().get_config(), "num_heads": self._num_heads, "key_dim": self._key_dim,
                "value_dim": self._value_dim, "dropout": self._dropout, "use_bias": self._use_bias,
                "output_shape": self._output_shape, **parts.config(self, ("kernel", "bias"))}
