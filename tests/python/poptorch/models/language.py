# SPDX-License-Identifier: MIT
"""Small language models of the families that people use, each with the operators and habits of its family."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from layers import (Block, Mlp, RMSNorm, Rotary, SelfAttention, SwiGLU, attention, causal_mask, join_heads, split_heads,
                    turned)


def next_token_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), F.pad(tokens, (0, 1), value=-100)[:, 1:-1].reshape(-1))


class GPT2(nn.Module):
    """Learned positions, a mask that is a buffer, scores by products, embeddings that are the output's weights too."""

    def __init__(self, words=31, width=16, heads=2, layers=2, length=12):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norms1, self.norms2 = (nn.ModuleList(nn.LayerNorm(width) for _ in range(layers)) for _ in range(2))
        self.qkv = nn.ParameterList(nn.Parameter(torch.randn(width, 3 * width) * 0.2) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.mlps = nn.ModuleList(Mlp(width, 4 * width, self.gelu) for _ in range(layers))
        self.norm, self.head, self.heads = nn.LayerNorm(width), nn.Linear(width, words, bias=False), heads
        self.head.weight = self.tokens.weight
        self.register_buffer("mask", torch.ones(length, length).tril().bool().view(1, 1, length, length), persistent=False)

    @staticmethod
    def gelu(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))

    def forward(self, tokens):
        n = tokens.shape[1]
        x = self.tokens(tokens) + self.positions(torch.arange(0, n, dtype=torch.long, device=tokens.device).unsqueeze(0))
        for norm1, qkv, out, norm2, mlp in zip(self.norms1, self.qkv, self.out, self.norms2, self.mlps):
            y = norm1(x)
            q, k, v = torch.addmm(y.new_zeros(qkv.shape[1]), y.view(-1, y.shape[-1]), qkv).view(*y.shape[:2], -1).split(
                y.shape[-1], 2)
            q, k, v = (split_heads(t, self.heads) for t in (q, k, v))
            scores = torch.matmul(q, k.transpose(-1, -2)) / torch.full([], v.size(-1) ** 0.5, dtype=v.dtype, device=v.device)
            lowest = torch.full([], torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
            scores = torch.where(self.mask[:, :, :n, :n], scores, lowest)
            x = x + out(join_heads(torch.matmul(nn.functional.softmax(scores, dim=-1), v)))
            x = x + mlp(norm2(x))
        return self.head(self.norm(x))


class Llama(nn.Module):
    """Root mean square norms, rotary positions, gated units, queries that share keys, a mask made of constants."""

    def __init__(self, words=31, width=16, heads=4, shared=2, layers=2, window=None, grouped=False):
        super().__init__()
        self.tokens, self.rotary = nn.Embedding(words, width), Rotary(width // heads)
        self.q = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.k, self.v = (nn.ModuleList(nn.Linear(width, width // shared, bias=False) for _ in range(layers)) for _ in range(2))
        self.o = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.norms1, self.norms2 = (nn.ModuleList(RMSNorm(width) for _ in range(layers)) for _ in range(2))
        self.mlps = nn.ModuleList(SwiGLU(width, 24) for _ in range(layers))
        self.norm, self.head = RMSNorm(width), nn.Linear(width, words, bias=False)
        self.heads, self.shared, self.window, self.grouped = heads, shared, window, grouped

    def repeated(self, x):
        batch, heads, length, width = x.shape
        x = x[:, :, None, :, :].expand(batch, heads, self.shared, length, width)
        return x.reshape(batch, heads * self.shared, length, width)

    def forward(self, tokens):
        x = self.tokens(tokens)
        position_ids = torch.arange(x.shape[1], device=x.device).unsqueeze(0)
        cos, sin = self.rotary(x, position_ids)
        mask = causal_mask(x, self.window)
        if mask.shape[-1] > 64 and bool(mask.all()):  # a look at values that are known
            mask = None
        for i, mlp in enumerate(self.mlps):
            y = self.norms1[i](x)
            q, k, v = (split_heads(w[i](y), n) for w, n in (
                (self.q, self.heads), (self.k, self.heads // self.shared), (self.v, self.heads // self.shared)))
            q, k = turned(q, cos, sin), turned(k, cos, sin)
            if self.grouped:
                y = attention(q, k, v, attn_mask=mask, enable_gqa=True)
            else:
                y = attention(q, self.repeated(k), self.repeated(v), attn_mask=mask)
            x = x + self.o[i](join_heads(y))
            x = x + mlp(self.norms2[i](x))
        return self.head(self.norm(x))


class T5(nn.Module):
    """Biases by distance in buckets, encoder and decoder, no scale."""

    def __init__(self, words=31, width=16, heads=2, buckets=8, farthest=16):
        super().__init__()
        self.tokens, self.bias = nn.Embedding(words, width), nn.Embedding(buckets, heads)
        self.decoder_bias = nn.Embedding(buckets, heads)
        self.encoder, self.decoder, self.cross = (SelfAttention(width, heads, bias=False) for _ in range(3))
        self.mlps = nn.ModuleList(Mlp(width, 32, F.relu) for _ in range(2))
        self.norms = nn.ModuleList(RMSNorm(width) for _ in range(6))
        self.head = nn.Linear(width, words, bias=False)
        self.buckets, self.farthest = buckets, farthest

    def bucket(self, distance, both):
        buckets, found = self.buckets, 0
        if both:
            buckets //= 2
            found = found + (distance > 0).to(torch.long) * buckets
            distance = torch.abs(distance)
        else:
            distance = -torch.min(distance, torch.zeros_like(distance))
        exact = buckets // 2
        far = exact + (torch.log(distance.float() / exact) / math.log(self.farthest / exact) * (buckets - exact)).to(torch.long)
        far = torch.min(far, torch.full_like(far, buckets - 1))
        return found + torch.where(distance < exact, distance, far)

    def biases(self, table, n, both):
        positions = torch.arange(n, dtype=torch.long, device=table.weight.device)
        return table(self.bucket(positions[None, :] - positions[:, None], both)).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, tokens, targets):
        x, y = self.tokens(tokens), self.tokens(targets)
        n, m = tokens.shape[1], targets.shape[1]
        x = x + self.encoder(self.norms[0](x), attn_mask=self.biases(self.bias, n, True), scale=1.0)
        x = self.norms[2](x + self.mlps[0](self.norms[1](x)))
        seen = torch.arange(m, device=y.device)[None, :] <= torch.arange(m, device=y.device)[:, None]
        hidden = (1.0 - seen.to(y.dtype)) * torch.finfo(y.dtype).min
        y = y + self.decoder(self.norms[3](y), attn_mask=self.biases(self.decoder_bias, m, False) + hidden, scale=1.0)
        y = y + self.cross(self.norms[4](y), x, scale=1.0)
        return self.head(self.norms[5](y + self.mlps[1](y)) * 16 ** -0.5)


class Mamba(nn.Module):
    """A convolution of the last few steps, and a state that each step decays and adds to by what it reads."""

    def __init__(self, words=31, width=8, inner=16, states=4, rank=2, kernel=4):
        super().__init__()
        self.tokens, self.norm = nn.Embedding(words, width), RMSNorm(width)
        self.into, self.out = nn.Linear(width, 2 * inner, bias=False), nn.Linear(inner, width, bias=False)
        self.conv = nn.Conv1d(inner, inner, kernel, groups=inner, padding=kernel - 1)
        self.project, self.step = nn.Linear(inner, rank + 2 * states, bias=False), nn.Linear(rank, inner)
        self.a_log = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).expand(inner, -1).contiguous())
        self.d, self.head = nn.Parameter(torch.ones(inner)), nn.Linear(width, words, bias=False)
        self.sizes = [rank, states, states]

    def forward(self, tokens):
        x = self.tokens(tokens)
        length = x.shape[1]
        y, gate = self.into(self.norm(x)).transpose(1, 2).chunk(2, dim=1)
        y = F.silu(self.conv(y)[..., :length])
        step, b, c = torch.split(self.project(y.transpose(1, 2)), self.sizes, dim=-1)
        step = F.softplus(self.step(step)).transpose(1, 2)
        a = -torch.exp(self.a_log.float())
        decay = torch.exp(a[None, :, None, :] * step[:, :, :, None])
        added = step[:, :, :, None] * b[:, None, :, :].float() * y[:, :, :, None].float()
        state, seen = torch.zeros((x.shape[0], y.shape[1], b.shape[-1]), device=x.device, dtype=x.dtype), []
        for i in range(length):
            state = decay[:, :, i, :] * state + added[:, :, i, :]
            seen.append(torch.matmul(state.to(x.dtype), c[:, i, :].unsqueeze(-1))[:, :, 0])
        y = (torch.stack(seen, dim=-1) + y * self.d[None, :, None]) * F.silu(gate)
        return self.head(x + self.out(y.transpose(1, 2)))


class Experts(nn.Module):
    """Two of several experts for each token; all compute, and what was not chosen counts 0."""

    def __init__(self, width, inner, experts):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 2 * inner) * 0.3)
        self.down = nn.Parameter(torch.randn(experts, inner, width) * 0.3)

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        weights, chosen = torch.topk(F.softmax(self.router(rows), dim=1, dtype=torch.float), 2, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        shares = torch.zeros(rows.shape[0], self.up.shape[0], device=x.device).scatter(1, chosen, weights)
        gate, up = torch.matmul(rows.unsqueeze(0), self.up).chunk(2, dim=-1)
        each = torch.matmul(F.silu(gate) * up, self.down)
        return (each * shares.t().unsqueeze(-1)).sum(0).view_as(x)


class Mixtral(Llama):
    def __init__(self):
        super().__init__(window=4)
        self.mlps = nn.ModuleList(Experts(16, 12, 4) for _ in range(2))


class Bert(nn.Module):
    """Segments, norms last, padding that an input says, tokens to guess."""

    def __init__(self, words=31, width=16, heads=2):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, width, padding_idx=0), nn.Embedding(16, width)
        self.segments = nn.Embedding(2, width)
        self.register_buffer("position_ids", torch.arange(16).expand((1, -1)), persistent=False)
        self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-12) for _ in range(3))
        self.attention, self.mlp, self.head = SelfAttention(width, heads), Mlp(width, 32, F.gelu), nn.Linear(width, words)

    def forward(self, tokens, padding):
        n = tokens.shape[1]
        kinds = torch.zeros(tokens.shape, dtype=torch.long, device=self.position_ids.device)
        x = self.norms[0](self.tokens(tokens) + self.segments(kinds) + self.positions(self.position_ids[:, :n]))
        hidden = (1.0 - padding[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        x = self.norms[1](x + self.attention(x, attn_mask=hidden))
        return self.head(self.norms[2](x + self.mlp(x)))


class Deberta(nn.Module):
    """Scores of contents with distances, taken from a table by gather."""

    def __init__(self, words=31, width=16, heads=2, span=4):
        super().__init__()
        self.tokens, self.distances = nn.Embedding(words, width), nn.Embedding(2 * span, width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm, self.head, self.heads, self.span = nn.LayerNorm(width), nn.Linear(width, words), heads, span

    def forward(self, tokens):
        x, n = self.tokens(tokens), tokens.shape[1]
        q, k, v = (split_heads(layer(x), self.heads) for layer in (self.q, self.k, self.v))
        at = torch.arange(n, device=x.device)
        apart = torch.clamp(at[:, None] - at[None, :] + self.span, 0, 2 * self.span - 1).unsqueeze(0).unsqueeze(0)
        apart = apart.expand(q.shape[0], q.shape[1], -1, -1)
        table = self.distances.weight.unsqueeze(0)
        by_q, by_k = (split_heads(layer(table), self.heads).expand(q.shape[0], -1, -1, -1) for layer in (self.q, self.k))
        scale = 1 / torch.sqrt(torch.tensor(q.size(-1), dtype=torch.float) * 3)
        scores = torch.matmul(q, k.transpose(-1, -2) * scale.to(dtype=q.dtype))
        scores = scores + torch.gather(torch.matmul(q, by_k.transpose(-1, -2)), dim=-1, index=apart) * scale
        scores = scores + torch.gather(torch.matmul(k, by_q.transpose(-1, -2)), dim=-1, index=apart).transpose(-1, -2) * scale
        return self.head(self.norm(x + self.out(join_heads(torch.matmul(scores.softmax(-1), v)))))


class Cached(nn.Module):
    """One step of generation: keys and values of all steps so far stay in buffers of fixed size."""

    def __init__(self, words=31, width=16, heads=2, length=8):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.qkv, self.out, self.norm = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width)
        self.head, self.heads = nn.Linear(width, words), heads
        self.register_buffer("keys", torch.zeros(1, heads, length, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, length, width // heads))

    def forward(self, token, position):
        x = self.tokens(token) + self.positions(position)
        q, k, v = (split_heads(t, self.heads) for t in self.qkv(self.norm(x)).chunk(3, -1))
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        seen = torch.arange(self.keys.shape[2], device=x.device)[None, :] <= position[:, None]
        y = x + self.out(join_heads(attention(q, self.keys, self.values, attn_mask=seen[None, None])))
        return self.head(y).argmax(-1)


class Decoder(nn.Module):
    """BART's and Whisper's: causal attention to itself, then to what an encoder of convolutions heard."""

    def __init__(self, words=31, width=16, heads=2, bands=6):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(bands, width, 3, padding=1), nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.encoder, self.tokens = Block(width, heads), nn.Embedding(words, width)
        self.itself, self.cross = SelfAttention(width, heads), SelfAttention(width, heads)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.register_buffer("waves", torch.sin(torch.arange(16)[:, None] * torch.rand(1, width)))
        self.layerdrop = 0.0

    def forward(self, sound, tokens):
        x = F.silu(self.conv2(F.gelu(self.conv1(sound)))).permute(0, 2, 1)  # of gelu torch 1.13 gets the gradient wrong here
        x = self.encoder(x + self.waves[:x.shape[1]])
        y = self.tokens(tokens) + self.waves[:tokens.shape[1]]
        if self.training and torch.rand([]) < self.layerdrop:  # never
            return y
        y = y + self.itself(self.norms[0](y), is_causal=True)
        y = y + self.cross(self.norms[1](y), x)
        return F.linear(self.norms[2](y), self.tokens.weight)
