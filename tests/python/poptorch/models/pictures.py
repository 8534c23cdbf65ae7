# SPDX-License-Identifier: MIT
"""Small models of pictures, sounds and graphs, each with the operators and habits of its family."""
import torch
import torch.nn.functional as F
from torch import nn

from layers import Block, Mlp, SelfAttention, attention, join_heads, split_heads


class ViT(nn.Module):
    def __init__(self, width=16, heads=2, patch=4, size=12, classes=5):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.1)
        self.blocks, self.norm = nn.ModuleList(Block(width, heads) for _ in range(2)), nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, picture):
        x = self.patches(picture).flatten(2).transpose(1, 2)
        x = torch.cat((self.first.expand(x.shape[0], -1, -1), x), dim=1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class Swin(nn.Module):
    """Windows, and windows moved by half, whose parts that were not neighbours do not see each other."""

    def __init__(self, width=8, heads=2, size=8, window=4, classes=5):
        super().__init__()
        self.patches, self.size, self.window, self.heads = nn.Conv2d(3, width, 2, 2), size // 2, window // 2, heads
        self.qkv, self.out, self.norm = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width)
        self.merge, self.head = nn.Linear(4 * width, 2 * width, bias=False), nn.Linear(2 * width, classes)
        n = self.window
        self.table = nn.Parameter(torch.randn((2 * n - 1) ** 2, heads) * 0.2)
        at = torch.stack(torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")).flatten(1)
        apart = (at[:, :, None] - at[:, None, :]).permute(1, 2, 0).contiguous() + n - 1
        self.register_buffer("index", apart[..., 0] * (2 * n - 1) + apart[..., 1])

    def windows(self, x):
        batch, h, w, c = x.shape
        n = self.window
        return x.view(batch, h // n, n, w // n, n, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, n * n, c)

    def together(self, x, batch):
        n, s = self.window, self.size
        return x.view(batch, s // n, s // n, n, n, -1).permute(0, 1, 3, 2, 4, 5).contiguous().view(batch, s, s, -1)

    def hidden(self, x, shift):
        part, count = torch.zeros((1, self.size, self.size, 1), dtype=x.dtype, device=x.device), 0
        slices = (slice(0, -self.window), slice(-self.window, -shift), slice(-shift, None))
        for rows in slices:
            for columns in slices:
                part[:, rows, columns, :] = count
                count += 1
        part = self.windows(part).squeeze(-1)
        apart = part.unsqueeze(1) - part.unsqueeze(2)
        return apart.masked_fill(apart != 0, -100.0).masked_fill(apart == 0, 0.0)

    def attend(self, x, shift):
        moved = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2)) if shift else x
        q, k, v = (split_heads(t, self.heads) for t in self.qkv(self.norm(self.windows(moved))).chunk(3, -1))
        bias = self.table[self.index.view(-1)].view(*self.index.shape, -1).permute(2, 0, 1).unsqueeze(0)
        if shift:
            bias = bias + self.hidden(x, shift).repeat(x.shape[0], 1, 1).unsqueeze(1)
        y = self.together(self.out(join_heads(attention(q, k, v, attn_mask=bias))), x.shape[0])
        return x + (torch.roll(y, shifts=(shift, shift), dims=(1, 2)) if shift else y)

    def forward(self, picture):
        x = self.patches(picture).permute(0, 2, 3, 1)
        x = self.attend(self.attend(x, 0), self.window // 2)
        x = torch.cat([x[:, i::2, j::2, :] for j in range(2) for i in range(2)], -1)
        return self.head(self.merge(x).mean((1, 2)))


class ConvNeXt(nn.Module):
    def __init__(self, width=8, classes=5):
        super().__init__()
        self.stem, self.deep = nn.Conv2d(3, width, 2, 2), nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm, self.mlp = nn.LayerNorm(width, eps=1e-6), Mlp(width, 4 * width, F.gelu)
        self.scale = nn.Parameter(0.1 * torch.ones(width))
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.down, self.head = nn.Conv2d(width, 2 * width, 2, 2), nn.Linear(2 * width, classes)

    def first(self, x):
        """A norm over channels that come first."""
        mean = x.mean(1, keepdim=True)
        spread = (x - mean).pow(2).mean(1, keepdim=True)
        return self.weight[:, None, None] * ((x - mean) / torch.sqrt(spread + 1e-6)) + self.bias[:, None, None]

    def forward(self, picture):
        x = self.stem(picture)
        y = self.scale * self.mlp(self.norm(self.deep(x).permute(0, 2, 3, 1)))
        x = x + y.permute(0, 3, 1, 2)
        return self.head(self.down(self.first(x)).mean([-2, -1]))


class Wav2Vec2(nn.Module):
    """Convolutions of the waves, a grouped one with normalised weights for positions, steps that are masked while training."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.waves, self.norm0 = nn.Conv1d(1, 8, 10, 5, bias=False), nn.GroupNorm(8, 8)
        self.more, self.project = nn.Conv1d(8, 8, 3, 2, bias=False), nn.Linear(8, width)
        conv = nn.Conv1d(width, width, 4, padding=2, groups=4)
        parametrized = getattr(nn.utils.parametrizations, "weight_norm", None) or nn.utils.weight_norm
        self.conv, self.masked = parametrized(conv, name="weight", dim=2), nn.Parameter(torch.rand(width))
        self.norm, self.block, self.head = nn.LayerNorm(width), Block(width, heads), nn.Linear(width, 7)

    def forward(self, sound):
        x = F.gelu(self.norm0(self.waves(sound[:, None])))
        x = self.project(F.silu(self.more(x)).transpose(1, 2))
        hidden = torch.zeros(x.shape[:2], dtype=torch.bool)
        hidden[:, 1:3] = True
        x[hidden] = self.masked.to(x.dtype)
        y = self.conv(x.transpose(1, 2))[:, :, :-1]
        return self.head(self.block(self.norm(x + F.silu(y).transpose(1, 2)))).log_softmax(-1)


class Clip(nn.Module):
    """Pictures and texts that belong together: each text is where its last word's number is largest."""

    def __init__(self, width=16):
        super().__init__()
        self.vision, self.tokens = ViT(width, classes=width), nn.Embedding(31, width)
        self.text, self.scale = SelfAttention(width, 2), nn.Parameter(torch.tensor(1.5))

    def forward(self, pictures, tokens):
        x, y = self.vision(pictures), self.text(self.tokens(tokens), is_causal=True)
        y = y[torch.arange(y.shape[0], device=y.device), tokens.to(dtype=torch.int, device=y.device).argmax(dim=-1)]
        x, y = (t / t.pow(2).sum(-1, keepdim=True).pow(0.5) for t in (x, y))
        return torch.matmul(y, x.t()) * self.scale.exp()


# ---- graphs of fixed size: edges as two rows of numbers, from and to


def summed(messages, to, nodes):
    return messages.new_zeros(nodes, messages.shape[1]).scatter_add_(0, to.view(-1, 1).expand_as(messages), messages)


class GCN(nn.Module):
    def __init__(self, width=5, classes=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, 8, bias=False), nn.Linear(8, classes, bias=False)])
        self.bias = nn.Parameter(torch.zeros(8))

    def forward(self, x, edges):
        here, there = edges
        ones = torch.ones(edges.shape[1], device=x.device)
        degree = torch.zeros(x.shape[0], device=x.device).scatter_add_(0, there, ones)
        root = degree.pow(-0.5)
        root = root.masked_fill(root == float("inf"), 0.0)
        weight = (root[here] * root[there]).unsqueeze(-1)
        for i, layer in enumerate(self.layers):
            y = layer(x)
            x = summed(weight * y.index_select(0, here), there, x.shape[0])
            x = x if i else F.relu(x + self.bias)
        return x


class SAGE(nn.Module):
    """Means, and the greatest, of neighbours."""

    def __init__(self, width=5):
        super().__init__()
        self.mean, self.most, self.own = nn.Linear(width, 6), nn.Linear(width, 6), nn.Linear(width, 6)

    def forward(self, x, edges):
        here, there = edges
        messages, index = x.index_select(0, here), there.view(-1, 1).expand(-1, x.shape[1])
        zero = torch.zeros_like(x)
        mean = zero.scatter_reduce(0, index, messages, "mean", include_self=False)
        most = zero.scatter_reduce(0, index, messages, "amax", include_self=False)
        return F.normalize(self.mean(mean) + self.most(most) + self.own(x), p=2.0, dim=-1)


class GAT(nn.Module):
    """Shares of neighbours by a softmax over the edges that end in a node."""

    def __init__(self, width=5, heads=2, each=4):
        super().__init__()
        self.linear, self.heads = nn.Linear(width, heads * each, bias=False), heads
        self.source, self.target = nn.Parameter(torch.randn(1, heads, each)), nn.Parameter(torch.randn(1, heads, each))

    def forward(self, x, edges):
        here, there = edges
        n, y = x.shape[0], self.linear(x).view(x.shape[0], self.heads, -1)
        score = F.leaky_relu((y * self.source).sum(-1)[here] + (y * self.target).sum(-1)[there], 0.2)
        index = there.view(-1, 1).expand_as(score)
        most = score.detach().new_full((n, self.heads), float("-inf")).scatter_reduce(0, index, score.detach(), "amax")
        score = (score - most[there]).exp()
        share = score / (score.new_zeros(n, self.heads).scatter_add(0, index, score)[there] + 1e-16)
        messages = y[here] * share.unsqueeze(-1)
        return y.new_zeros(n, self.heads, y.shape[-1]).index_add(0, there, messages).flatten(1)


class GIN(nn.Module):
    """Sums of neighbours, and of the nodes of each graph of a batch."""

    def __init__(self, width=5, graphs=2):
        super().__init__()
        self.nn = nn.Sequential(nn.Linear(width, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 6))
        self.eps, self.graphs = nn.Parameter(torch.zeros(1)), graphs

    def forward(self, x, edges, batch):
        x = self.nn((1 + self.eps) * x + summed(x[edges[0]], edges[1], x.shape[0]))
        return summed(x, batch, self.graphs)
