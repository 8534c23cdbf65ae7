# SPDX-License-Identifier: MIT
"""Attention and transformers of torch.nn, in training and evaluation, with masks."""
import pytest
import torch

from harness import rand
from modules import check_inference, check_module

nn = torch.nn


class Attention(nn.Module):
    def __init__(self, **keywords):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, **keywords)

    def forward(self, q, k, v, mask=None, padding=None, **keywords):
        return self.attention(q, k, v, attn_mask=mask, key_padding_mask=padding, **keywords)


def causal(n):
    return torch.triu(torch.ones(n, n), 1).bool()


def padding(batch, n):
    mask = torch.zeros(batch, n).bool()
    mask[0, -1] = True
    return mask


ATTENTIONS = [dict(), dict(batch_first=True), dict(bias=False), dict(add_bias_kv=True), dict(add_zero_attn=True),
              dict(kdim=5, vdim=7)]


@pytest.mark.parametrize("keywords", ATTENTIONS, ids=str)
def test_attention(keywords):
    q, k, v = rand(4, 4, 8), rand(4, 4, keywords.get("kdim", 8)), rand(4, 4, keywords.get("vdim", 8))
    check_module(Attention(**keywords), q, k, v)


def test_masks():
    x = rand(2, 4, 8)
    check_module(Attention(batch_first=True), x, x, x, causal(4), padding(2, 4))
    check_module(Attention(batch_first=True), x, x, x, rand(4, 4, 4))  # one for every batch element and head


class Self(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


def test_self_attention():
    check_module(Self(), rand(2, 4, 8))


LAYERS = [dict(), dict(norm_first=True), dict(activation="gelu"), dict(batch_first=False)]


@pytest.mark.parametrize("keywords", LAYERS, ids=str)
def test_encoder_layer(keywords):
    options = {"batch_first": True, **keywords}
    check_module(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, **options), rand(2, 4, 8))


def test_encoder_with_masks():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2,
                                    enable_nested_tensor=False)
    check_module(encoder, rand(2, 4, 8), causal(4), padding(2, 4))


def test_encoder_that_would_nest():
    """Evaluation of a batch with padding: torch leaves out what is padded, and has zeros there."""
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2)

        def forward(self, x, mask):
            return self.encoder(x, src_key_padding_mask=mask).masked_fill(mask.unsqueeze(-1), 0)

    check_inference(Encoder(), rand(2, 4, 8), padding(2, 4))


def test_decoder_layer():
    check_module(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True), rand(2, 3, 8), rand(2, 4, 8))


def test_whole():
    model = nn.Transformer(8, 2, 2, 2, 16, dropout=0.0, batch_first=True)
    check_module(model, rand(2, 4, 8), rand(2, 3, 8))


def test_scaled_products():
    class Scaled(nn.Module):
        def forward(self, q, k, v, mask):
            if hasattr(nn.functional, "scaled_dot_product_attention"):  # 2.0
                scaled = nn.functional.scaled_dot_product_attention
                return scaled(q, k, v, mask), scaled(q, k, v, is_causal=True)
            return (torch._C._nn._scaled_dot_product_attention(q, k, v, mask, 0.0, True),
                    torch._C._nn._scaled_dot_product_attention(q, k, v, None, 0.0, True, True))

    q = rand(2, 3, 4, 8)
    check_inference(Scaled(), q, q + 1, rand(2, 3, 4, 8), ~causal(4))
