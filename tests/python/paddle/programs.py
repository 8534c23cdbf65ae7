# SPDX-License-Identifier: MIT
"""Random static programs, each step with what it computes in torch, in double precision. Numbers are few and round (halves,
eighths), so that equal values meet. Of those Paddle gives the gradient to the first of a window, to Y of two operands, to all
of a reduction and to nobody at a bound."""
import numpy as np
import torch
import torch.nn.functional as F

import paddle
from paddle import static, unique_name

PF = paddle.nn.functional


def _to_all(reduced):
    """The extremes along an axis, with the whole gradient for every one."""
    def function(x, axis):
        y = reduced(x.detach(), axis, keepdim=True)
        return y + ((x - x.detach()) * (x == y)).sum(axis, keepdim=True)
    return function


_largest, _smallest = _to_all(torch.amax), _to_all(torch.amin)


class RandomProgram:
    """Built in the default programs; parameters are found by their names."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.batch = int(self.r.integers(1, 5))
        image = bool(self.r.integers(3))
        self.input_shape = tuple(int(n) for n in (self.r.integers(1, 4), *self.r.integers(4, 10, 2))) if image else \
            (int(self.r.integers(1, 9)),)
        self.x = self.y = static.data("x", [self.batch, *self.input_shape])
        self.steps, self.words = [], []
        for _ in range(int(self.r.integers(2, 8))):
            kinds = IMAGES if len(self.shape) == 4 else ROWS
            kinds[self.r.integers(len(kinds))](self)
        if len(self.shape) == 4:
            self.add(paddle.flatten(self.y, 1), lambda x: x.flatten(1), "flatten")
        _fc(self, "linear")
        self.label = static.data("label", self.shape)
        self.loss = paddle.mean(paddle.square(self.y - self.label))

    shape = property(lambda self: list(self.y.shape))

    def add(self, y, function, word, *parameters):
        """function(x, parameters...) of torch; parameters: their names."""
        self.y = y
        self.steps.append((function, parameters))
        self.words.append(f"{word}{self.shape[1:]}")

    def parameter(self, shape):
        return paddle.create_parameter(shape, "float32", unique_name.generate("p"))

    def start(self, scope):
        """Round numbers for all parameters."""
        for p in static.default_main_program().all_parameters():
            scope.find_var(p.name).get_tensor().set((self.r.integers(-4, 5, p.shape) / 8.0).astype(np.float32))

    def data(self):
        shape, r = (self.batch, *self.input_shape), self.r
        few = np.round(r.normal(size=shape) * 2) / 2
        kind = r.integers(4)
        few = [np.full(shape, 0.5), np.where(r.random(shape) < 0.2, few, 0.0), r.normal(size=shape), few][kind]
        return few.astype(np.float32), (np.round(r.normal(size=self.shape) * 2) / 2).astype(np.float32)

    def torch(self, values, x, label):
        """(the result, gradients by name)"""
        own = {name: torch.tensor(v, dtype=torch.float64, requires_grad=True) for name, v in values.items()}
        x = torch.tensor(x, dtype=torch.float64)
        for function, parameters in self.steps:
            x = function(x, *[own[p] for p in parameters])
        ((x - torch.tensor(label, dtype=torch.float64)) ** 2).mean().backward()
        return x.detach().numpy(), {n: np.zeros(t.shape) if t.grad is None else t.grad.numpy() for n, t in own.items()}

    def __repr__(self):
        return f"batch {self.batch} of {self.input_shape}: " + ", ".join(self.words)


def _one(p, *options):
    return options[p.r.integers(len(options))]


def _made(before):
    """The names of parameters that are new since then, in order."""
    return [v.name for v in static.default_main_program().all_parameters()[before:] if v.trainable]


def _count():
    return len(static.default_main_program().all_parameters())


# ---- any shape

UNARY = {"relu": (PF.relu, torch.relu), "tanh": (paddle.tanh, torch.tanh), "sigmoid": (PF.sigmoid, torch.sigmoid),
         "relu6": (PF.relu6, lambda x: torch.where((x > 0) & (x < 6), x, x.clamp(0, 6).detach())),
         "softplus": (PF.softplus, F.softplus), "abs": (paddle.abs, torch.abs), "square": (paddle.square, torch.square),
         "swish": (PF.swish, F.silu), "hardswish": (PF.hardswish, F.hardswish), "mish": (PF.mish, F.mish),
         "clip": (lambda x: paddle.clip(x, -0.5, 0.5),
                  lambda x: torch.where((x > -0.5) & (x < 0.5), x, x.clamp(-0.5, 0.5).detach())),
         "gelu": (PF.gelu, F.gelu), "softmax": (PF.softmax, lambda x: torch.softmax(x, -1)),
         "scale": (lambda x: paddle.scale(x, 0.5, 0.25), lambda x: 0.5 * x + 0.25)}


def _unary(p):
    name = _one(p, *UNARY)
    ours, theirs = UNARY[name]
    p.add(ours(p.y), theirs, name)


BINARY = {"add": (paddle.add, lambda x, y: x + y), "subtract": (paddle.subtract, lambda x, y: x - y),
          "multiply": (paddle.multiply, lambda x, y: x * y),
          "maximum": (paddle.maximum, lambda x, y: torch.where(x > y, x, y)),
          "minimum": (paddle.minimum, lambda x, y: torch.where(x < y, x, y))}


def _binary(p):
    """With a parameter that is broadcast in some dimensions."""
    name = _one(p, *BINARY)
    ours, theirs = BINARY[name]
    shape = [1 if p.r.integers(2) else n for n in p.shape]
    shape[0] = 1
    w = p.parameter(shape)
    p.add(ours(p.y, w), theirs, name, w.name)


def _extreme(p):
    axis = int(p.r.integers(1, len(p.shape)))
    ours, theirs = _one(p, (paddle.max, _largest), (paddle.min, _smallest), (paddle.mean, lambda x, a: x.mean(a, True)),
                        (paddle.sum, lambda x, a: x.sum(a, True)))
    p.add(paddle.concat([p.y, ours(p.y, axis, keepdim=True)], axis), lambda x: torch.cat([x, theirs(x, axis)], axis),
          ours.__name__)


def _turned(p):
    order = [0, *[int(d) + 1 for d in p.r.permutation(len(p.shape) - 1)]]
    p.add(paddle.transpose(p.y, order), lambda x: x.permute(order), "transpose")


def _mirrored(p):
    axis = int(p.r.integers(1, len(p.shape)))
    p.add(p.y + paddle.flip(p.y, axis), lambda x: x + x.flip(axis), "flip")


def _fc(p, name=None):
    before, units, flat = _count(), int(p.r.integers(1, 7)), 1
    name = name or _one(p, "linear", "relu", "tanh")
    y = static.nn.fc(p.y, units, flat, activation=None if name == "linear" else name)
    act = {"linear": lambda x: x, "relu": torch.relu, "tanh": torch.tanh}[name]
    p.add(y, lambda x, w, b: act(x.flatten(1) @ w + b), "fc", *_made(before))


def _layer_norm(p):
    before, shape = _count(), p.shape[1:]
    p.add(static.nn.layer_norm(p.y), lambda x, w, b: F.layer_norm(x, shape, w.reshape(shape), b.reshape(shape)), "layer_norm",
          *_made(before))


def _batch_norm(p):
    before = _count()

    def function(x, w, b):
        return F.batch_norm(x, None, None, w, b, True) if x.numel() > x.shape[1] else 0 * x + b.reshape(
            [1, -1] + [1] * (x.ndim - 2)) + 0 * w.sum()
    p.add(static.nn.batch_norm(p.y), function, "batch_norm", *_made(before))


ANY = [_unary, _unary, _binary, _binary, _extreme, _turned, _mirrored, _layer_norm, _batch_norm]


# ---- images

def _conv(p):
    before, n, k = _count(), int(p.r.integers(1, 6)), int(p.r.integers(1, 4))
    stride, pad = int(p.r.integers(1, 3)), int(p.r.integers(0, 2)) if min(p.shape[2:]) >= k else k
    y = static.nn.conv2d(p.y, n, k, stride, pad)
    p.add(y, lambda x, w, b: F.conv2d(x, w, b, stride, pad), "conv2d", *_made(before))


def _pool(p):
    k = int(p.r.integers(1, min(4, min(p.shape[2:]) + 1)))
    stride, pad, up = int(p.r.integers(1, 4)), int(p.r.integers(0, k // 2 + 1)), bool(p.r.integers(2))
    up = up and stride <= k and not pad  # else windows may see padding alone
    if p.r.integers(3):
        return p.add(PF.max_pool2d(p.y, k, stride, pad, ceil_mode=up), lambda x: F.max_pool2d(x, k, stride, pad, ceil_mode=up),
                     "max_pool2d")
    return p.add(PF.avg_pool2d(p.y, k, stride, pad), lambda x: F.avg_pool2d(x, k, stride, pad, count_include_pad=False),
                 "avg_pool2d")


def _adaptive(p):
    size = [int(p.r.integers(1, n + 1)) for n in p.shape[2:]]
    if p.r.integers(3):
        return p.add(PF.adaptive_max_pool2d(p.y, size), lambda x: F.adaptive_max_pool2d(x, size), "adaptive_max_pool2d")
    return p.add(PF.adaptive_avg_pool2d(p.y, size), lambda x: F.adaptive_avg_pool2d(x, size), "adaptive_avg_pool2d")


def _larger(p):
    if np.prod(p.shape) < 800:
        p.add(PF.interpolate(p.y, scale_factor=2, mode="nearest"), lambda x: F.interpolate(x, scale_factor=2), "interpolate")


ROWS = [*ANY, _fc, _fc]
IMAGES = [*ANY, _conv, _conv, _conv, _pool, _pool, _pool, _adaptive, _larger]
