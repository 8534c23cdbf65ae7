# SPDX-License-Identifier: MIT
"""Random networks as text: a grammar of convolutions, norms, pools, recurrent layers, attention, embeddings, indexing,
einsum, views, writes in place and types. A line that torch itself refuses is left out."""
import random
import types

import torch
import torch.nn.functional as F

SMOOTH = ["tanh", "sigmoid", "relu", "exp_small", "gelu", "softplus", "silu", "abs", "square", "leaky", "elu", "cos", "clamp",
          "hardswish", "erf", "where"]
SPELT = {"exp_small": "torch.exp(0.1 * x)", "gelu": "F.gelu(x)", "softplus": "F.softplus(x)", "silu": "F.silu(x)",
         "square": "x * x", "leaky": "F.leaky_relu(x, 0.1)", "elu": "F.elu(x)", "clamp": "x.clamp(-1.5, 2.0)",
         "hardswish": "F.hardswish(x)", "where": "torch.where(x > 0.1, x, 0.5 * x)"}


def pointwise(r, shape):
    name = r.choice(SMOOTH)
    return [], SPELT.get(name, f"torch.{name}(x)")


def arithmetic(r, shape):
    a, b = round(r.uniform(0.5, 1.5), 2), round(r.uniform(-1, 1), 2)
    return [], r.choice([f"x * {a} + {b}", f"{b} - x", f"x / (x.abs() + {a})", f"torch.maximum(x, x.flip(0) * {a})",
                         f"torch.lerp(x, x.flip(-1), {a})", f"x - x.mean(-1, keepdim=True) * {a}", f"torch.fmod(x, {a})"])


def parameter(r, shape):
    size = [n if r.random() < 0.7 else 1 for n in shape[1:]] or [1]
    return [f"nn.Parameter(torch.randn({size}) * 0.5)"], r.choice(["x * {0}", "x + {0}", "x * {0} + {0}"])


def views(r, shape):
    d = r.randrange(1, len(shape)) if len(shape) > 1 else 0
    n = shape[d]
    cut = r.randrange(1, n) if n > 1 else 0
    order = list(range(1, len(shape)))
    r.shuffle(order)
    taken = [r.randrange(n) for _ in range(n)]
    return [], r.choice([
        f"x.permute(0, {', '.join(map(str, order))})" if order else "x.clone()", f"x.flip({d})", f"x.roll({cut}, {d})",
        f"torch.cat([x.narrow({d}, {cut}, {n - cut}), x.narrow({d}, 0, {cut})], {d})" if cut else "x * 1",
        f"x.index_select({d}, torch.tensor({taken}))", f"x.reshape({shape[0]}, -1)", f"x.unsqueeze({d}).squeeze({d})",
        f"torch.stack([x, -x], {d}).sum({d}) + x", f"torch.cat(x.chunk(2, {d}), {d})", f"x.transpose({d}, -1)",
        f"x.repeat_interleave(2, {d}).narrow({d}, 0, {n})", f"x.unfold({d}, 1, 1).squeeze(-1)",
        f"x.gather({d}, torch.zeros_like(x, dtype=torch.long))", f"x[:, {taken[:max(1, n // 2)]}]" if d == 1 else "x[..., :]",
        "F.pad(x, (1, 1))[..., 1:-1]"])


def in_place(r, shape):
    k = round(r.uniform(0.5, 1.5), 2)
    return [], "x.clone()", r.choice([
        f"x.mul_({k})", f"x[..., ::2] *= {k}", f"x[:, 0] += {k}", "x[..., -1] = 0.0", f"x.add_(x.flip(-1), alpha={k})",
        f"v = x[:, :1]; v.mul_({k})", "x.relu_()", f"x.narrow(1, 0, 1).fill_({k})", f"x.masked_fill_(x > 1.0, {k})",
        f"x.index_fill_(1, torch.tensor([0]), {k})", "v = x.view(-1); v[0] = 0.25", f"x.clamp_(-1.0, {k})"])


def types_(r, shape):
    return [], r.choice(["x + (x > 0).to(x.dtype) * 0.5", "x * (x.argmax(-1, keepdim=True).to(x.dtype) + 1) * 0.1",
                         "x + (x * 3).to(torch.int32).to(x.dtype) * 0.1", "x + x.new_ones(x.shape[-1]) * 0.5",
                         "x * (torch.arange(x.shape[-1]).to(x.dtype) + 1) * 0.2"])


def reductions(r, shape):
    return [], r.choice(["x.softmax(-1)", "x.log_softmax(-1) * 0.2", "x.cumsum(-1) * 0.3", "x - x.amax(-1, keepdim=True)",
                         "x - x.logsumexp(-1, keepdim=True) * 0.3", "x / (x.norm(dim=-1, keepdim=True) + 0.5)",
                         "x + x.std(-1, keepdim=True)", "x.sort(-1)[0]", "x + x.topk(1, -1)[0]",
                         "x * x.mean((-1,), keepdim=True)",
                         "x - x.min(-1, keepdim=True)[0]"])


def image(r, shape):
    _, c, h, w = shape
    out, k, group = r.choice([2, 3, 4, 6]), r.choice([1, 2, 3]), r.choice([1, 1, c])
    more = f"stride={r.choice([1, 1, 2])}, padding={r.choice([0, 1])}, dilation={r.choice([1, 1, 2])}"
    half = next(g for g in (4, 3, 2, 1) if c % g == 0)
    return r.choice([
        ([f"nn.Conv2d({c}, {out * group}, {k}, {more}, groups={group}, bias={r.random() < 0.7})"], "{0}(x)"),
        ([f"nn.ConvTranspose2d({c}, {out}, {k}, stride={r.choice([1, 2])})"], "{0}(x)"), ([f"nn.BatchNorm2d({c})"], "{0}(x)"),
        ([f"nn.GroupNorm({half}, {c})"], "{0}(x)"), ([f"nn.InstanceNorm2d({c}, affine=True)"], "{0}(x)"),
        ([f"nn.LayerNorm([{h}, {w}])"], "{0}(x)"), ([], f"F.max_pool2d(x, {k}, {r.choice([1, 2])})"),
        ([], f"F.avg_pool2d(x, {k}, {r.choice([1, 2])}, count_include_pad={r.random() < 0.5})"),
        ([], "F.adaptive_avg_pool2d(x, (2, 2))"), ([], "F.interpolate(x, scale_factor=2)[..., :6, :6]"),
        ([], "x.mean((2, 3))"), ([], "x.flatten(2).transpose(1, 2)"), ([], "F.local_response_norm(x, 2)"),
        ([f"nn.PReLU({c})"], "{0}(x)"), ([], "torch.einsum('nchw,ndhw->ncd', x, x) * 0.2")])


def sequence(r, shape):
    _, t, c = shape
    out, both = r.choice([2, 3, 4]), r.random() < 0.3
    heads = next(g for g in (4, 3, 2, 1) if c % g == 0)
    deep = f"num_layers={r.choice([1, 1, 2])}, batch_first=True, bidirectional={both}"
    return r.choice([
        ([f"nn.LSTM({c}, {out}, {deep})"], "{0}(x)[0]"), ([f"nn.GRU({c}, {out}, {deep})"], "{0}(x)[0]"),
        ([f"nn.RNN({c}, {out}, {deep})"], "{0}(x)[0]"), ([f"nn.Linear({c}, {out})"], "{0}(x)"),
        ([f"nn.MultiheadAttention({c}, {heads}, batch_first=True)"], "{0}(x, x, x)[0]"),
        ([f"nn.TransformerEncoderLayer({c}, {heads}, 8, dropout=0.0, batch_first=True)"], "{0}(x)"),
        ([f"nn.LayerNorm({c})"], "{0}(x)"), ([f"nn.Conv1d({t}, {out}, {r.choice([1, 2])})"], "{0}(x)"),
        ([], "torch.einsum('ntc,nsc->nts', x, x) * 0.3"), ([], "torch.bmm(x, x.transpose(1, 2)).softmax(-1) @ x"),
        ([], "x.mean(1)"), ([], "x[:, -1]"), ([], "x.unsqueeze(1)"), ([f"nn.BatchNorm1d({t})"], "{0}(x)"),
        ([], "F.scaled_dot_product_attention(x, x, x)" if hasattr(F, "scaled_dot_product_attention") else "x.tanh()")])


def flat(r, shape):
    c, out = shape[1], r.choice([2, 3, 4, 6])
    factor = next((n for n in (2, 3, 4) if c % n == 0), 1)
    return r.choice([
        ([f"nn.Linear({c}, {out}, bias={r.random() < 0.7})"], "{0}(x)"), ([f"nn.LayerNorm({c})"], "{0}(x)"),
        ([f"nn.BatchNorm1d({c})"], "{0}(x)"), ([f"nn.Bilinear({c}, {c}, {out})"], "{0}(x, x.flip(-1))"),
        ([], f"x.view(x.shape[0], {factor}, -1)"), ([], "torch.einsum('nc,nd->ncd', x, x)"),
        ([], "x.unsqueeze(-1) * x.unsqueeze(1)"),
        ([f"nn.Sequential(nn.Linear({c}, {out}), nn.ReLU(), nn.Linear({out}, {c}))"], "x + {0}(x)"),
        ([f"nn.Embedding(5, {out})"], "{0}((x[:, 0].abs() * 3).long() % 5)")])


ANY = [pointwise, arithmetic, parameter, views, in_place, types_, reductions]
BY_RANK = {2: flat, 3: sequence, 4: image}


class Network:
    """source: a module; inputs(seed): what it takes, as float64 or integers."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.seed, self.members, self.lines = seed, [], []
        self.kind = r.choice(["image", "sequence", "flat", "tokens"])
        self.batch = r.choice([2, 4])
        torch.manual_seed(seed)
        self.scope = {"self": types.SimpleNamespace(), "torch": torch, "F": F, "nn": torch.nn, "x": self.inputs(0).clone()}
        if self.kind == "tokens":
            self.add(["nn.Embedding(7, 4)"], "{0}(x)")
        for _ in range(r.randint(2, 8)):
            self.grow()
        if not self.members:
            self.add([f"nn.Linear({self.shape()[-1]}, 3)"], "{0}(x)")

    def inputs(self, seed):
        g = torch.Generator().manual_seed(1000 * self.seed + seed)
        if self.kind == "tokens":
            return torch.randint(0, 7, (self.batch, 5), generator=g)
        shape = {"image": (3, 6, 6), "sequence": (4, 6), "flat": (6,)}[self.kind]
        return torch.randn(self.batch, *shape, generator=g, dtype=torch.float64)

    def shape(self):
        return list(self.scope["x"].shape)

    def grow(self):
        shape = self.shape()
        rules = ANY + [BY_RANK[len(shape)]] * 6 if len(shape) in BY_RANK else ANY + [lambda r, s: ([], "x.flatten(1)")] * 4
        self.add(*self.random.choice(rules)(self.random, shape))

    def add(self, members, line, *further):
        """Appends a line if torch can run it and the result is a fair tensor."""
        names = [f"self.m{len(self.members) + i}" for i in range(len(members))]
        made = [f"{name} = {text}" for name, text in zip(names, members)]
        lines = ["x = " + line.format(*names), *further]
        scope = dict(self.scope)
        try:
            for text in made:
                exec(text, scope)
            for name in names:
                thing = getattr(self.scope["self"], name[5:])
                setattr(scope["self"], name[5:], thing.double())
            with torch.no_grad():
                for text in lines:
                    exec(text, scope)
            x = scope["x"]
            fair = (x.dtype == torch.float64 and x.shape[0] == self.batch and 2 <= x.dim() <= 5 and 0 < x.numel() < 5000
                    and x.isfinite().all() and x.abs().max() < 50)
        except (RuntimeError, ValueError, IndexError, TypeError, AssertionError):
            return
        if fair:
            self.scope = scope
            self.members += made
            self.lines += lines

    def source(self):
        body = "\n".join(f"        {line}" for line in ["super().__init__()", *self.members])
        lines = "\n".join(f"        {line}" for line in self.lines)
        return f"""class Net(nn.Module):
    def __init__(self):
{body}
    def forward(self, x):
{lines}
        loss = (x * x).mean()
        return (x, poptorch.identity_loss(loss, "none")) if self.training else x
"""
