# SPDX-License-Identifier: MIT
"""Attention and encoders of transformers."""
from __future__ import annotations

from typing import Any

from .. import tensor
from . import functional as F
from .containers import LayerList
from .layer import Layer
from .layers import Dropout, LayerNorm, Linear
from .._names import refuse_options
from ..typed import ActivationLike, ParamAttrLike, TensorLike


class MultiHeadAttention(Layer):
    """Queries, keys and values [batch, length, embed_dim]; attn_mask is added to the scores."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, kdim: int | None = None, vdim: int | None = None,
                 need_weights: bool = False, weight_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} must be divisible by num_heads {num_heads}.")
        if need_weights:
            raise NotImplementedError("(Unimplemented) MultiHeadAttention: need_weights=True.")
        self._heads, self._width, self._dropout = num_heads, embed_dim // num_heads, dropout
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(kdim or embed_dim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(vdim or embed_dim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _split(self, x):
        return tensor.transpose(tensor.reshape(x, [0, 0, self._heads, self._width]), [0, 2, 1, 3])

    def forward(self, query: TensorLike, key: str | None = None, value: TensorLike | None = None,
                attn_mask: TensorLike | None = None, cache: Any = None) -> TensorLike:
        refuse_options("MultiHeadAttention", cache=cache)
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = self._split(self.q_proj(query)), self._split(self.k_proj(key)), self._split(self.v_proj(value))
        scores = tensor.scale(tensor.matmul(q, k, transpose_y=True), self._width ** -0.5)
        if attn_mask is not None:
            scores = tensor.add(scores, attn_mask)
        weights = F.softmax(scores)
        if self._dropout:
            weights = F.dropout(weights, self._dropout, training=self.training)
        mixed = tensor.transpose(tensor.matmul(weights, v), [0, 2, 1, 3])
        return self.out_proj(tensor.reshape(mixed, [0, 0, self._heads * self._width]))


class TransformerEncoderLayer(Layer):
    """Attention, then two linear layers, each with a way around it."""
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1,
                 activation: ActivationLike = "relu", attn_dropout: Any = None, act_dropout: Any = None,
                 normalize_before: bool = False, weight_attr: ParamAttrLike = None, bias_attr: ParamAttrLike = None) -> None:
        super().__init__()
        self._config = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before,
                        weight_attr, bias_attr)
        self._before, self._act = normalize_before, getattr(F, activation)
        self.self_attn = MultiHeadAttention(d_model, nhead, dropout if attn_dropout is None else attn_dropout,
                                            weight_attr=weight_attr, bias_attr=bias_attr)
        self.linear1 = Linear(d_model, dim_feedforward, weight_attr, bias_attr)
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weight_attr, bias_attr)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)

    def forward(self, src: TensorLike, src_mask: TensorLike | None = None, cache: Any = None) -> TensorLike:
        refuse_options("TransformerEncoderLayer", cache=cache)
        x = self.norm1(src) if self._before else src
        x = tensor.add(src, self.dropout1(self.self_attn(x, x, x, src_mask)))
        x = x if self._before else self.norm1(x)
        y = self.norm2(x) if self._before else x
        y = tensor.add(x, self.dropout2(self.linear2(self.dropout(self._act(self.linear1(y))))))
        return y if self._before else self.norm2(y)


class TransformerEncoder(Layer):
    """Copies of one layer, each with parameters of its own."""

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = LayerList([encoder_layer if i == 0 else type(encoder_layer)(*encoder_layer._config)
                                 for i in range(num_layers)])
        if norm is not None:
            self.norm = norm
        self._normed = norm is not None

    def forward(self, src: TensorLike, src_mask: TensorLike | None = None, cache: Any = None) -> TensorLike:
        refuse_options("TransformerEncoder", cache=cache)
        for layer in self.layers:
            src = layer(src, src_mask)
        return self.norm(src) if self._normed else src
