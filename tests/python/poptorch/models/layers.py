# SPDX-License-Identifier: MIT
"""Parts that the model families share, written as the libraries of models write them today."""
import math

import torch
import torch.nn.functional as F
from torch import nn

import poptorch


def math_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """What torch.nn.functional.scaled_dot_product_attention says that it computes."""
    if enable_gqa:
        shared = query.size(-3) // key.size(-3)
        key, value = key.repeat_interleave(shared, -3), value.repeat_interleave(shared, -3)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if attn_mask is not None:
        hidden = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype is torch.bool else scores + attn_mask
        dead = (hidden == -math.inf).all(-1, keepdim=True)
        weights = hidden.masked_fill(dead, 0).softmax(-1).masked_fill(dead, 0)
    else:
        weights = scores.softmax(-1)
    return torch.dropout(weights, dropout_p, True) @ value


def attention(*args, **keywords):
    """torch's own; the operator behind it where torch has no such function yet."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(*args, **keywords)
    if poptorch.isRunningOnIpu():
        from poptorch.capture.attention import attention as recorded
        return recorded(*args, **keywords)
    return math_attention(*args, **keywords)


def split_heads(x, heads):
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).contiguous().flatten(2)


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        kind = x.dtype
        x = x.to(torch.float32)
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)).to(kind)


class Rotary(nn.Module):
    def __init__(self, width, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, width, 2).float() / width), persistent=False)

    def forward(self, x, position_ids):
        inv_freq = self.inv_freq[None, :, None].float().expand(position_ids.shape[0], -1, 1).to(x.device)
        with torch.autocast(device_type=x.device.type, enabled=False):
            angles = (inv_freq @ position_ids[:, None, :].float()).transpose(1, 2)
            both = torch.cat((angles, angles), dim=-1)
            return both.cos().to(x.dtype), both.sin().to(x.dtype)


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), dim=-1)


def turned(x, cos, sin):
    return x * cos.unsqueeze(1) + rotate_half(x) * sin.unsqueeze(1)


def causal_mask(x, window=None):
    """As transformers makes it: of positions, by functions of them; nothing of it depends on x but its shape."""
    length = x.shape[1]
    rows = torch.arange(length, device=x.device)[:, None]
    columns = torch.arange(length, device=x.device)[None, :]
    seen = columns <= rows
    if window is not None:
        seen = seen & (columns > rows - window)
    return seen.expand(x.shape[0], 1, -1, -1)


class Mlp(nn.Module):
    def __init__(self, width, inner, activation):
        super().__init__()
        self.up, self.down, self.activation = nn.Linear(width, inner), nn.Linear(inner, width), activation

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class SwiGLU(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class SelfAttention(nn.Module):
    def __init__(self, width, heads, bias=True):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=bias) for _ in range(4))
        self.heads = heads

    def forward(self, x, source=None, **how):
        source = x if source is None else source
        q, k, v = split_heads(self.q(x), self.heads), split_heads(self.k(source), self.heads), split_heads(
            self.v(source), self.heads)
        return self.out(join_heads(attention(q, k, v, **how)))


class Block(nn.Module):
    """Norms first."""

    def __init__(self, width, heads, activation=F.gelu):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.mlp = SelfAttention(width, heads), Mlp(width, 2 * width, activation)

    def forward(self, x, **how):
        x = x + self.attention(self.norm1(x), **how)
        return x + self.mlp(self.norm2(x))
