# SPDX-License-Identifier: MIT
"""Random stacks of Keras layers, each with what it computes in torch, in double precision. Numbers are few and round (halves,
quarters), so that equal values meet, and sums are exact where nothing is curved."""
import numpy as np
import torch
import torch.nn.functional as F
from tensorflow import keras

L = keras.layers


def _first(x):
    """Channels second, as torch has them."""
    return x.movedim(-1, 1)


def _last(x):
    return x.movedim(1, -1)


def _same(size, kernel, stride, dilation=1):
    """TensorFlow's padding of one dimension."""
    whole = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return whole // 2, whole - whole // 2


def _padded(x, kernel, stride, dilation, value=0.0):
    pads = [p for n in reversed(x.shape[2:]) for p in _same(n, kernel, stride, dilation)]
    return F.pad(x, pads, value=value)


ACTIVATIONS = {"linear": lambda x: x, "relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
               "elu": F.elu, "selu": F.selu, "softsign": F.softsign, "softplus": F.softplus, "exponential": torch.exp,
               "swish": F.silu, "gelu": F.gelu, "hard_sigmoid": lambda x: (0.2 * x + 0.5).clamp(0, 1),
               "softmax": lambda x: torch.softmax(x, -1)}
GENTLE = ("linear", "relu", "relu", "tanh", "sigmoid", "elu", "softsign", "swish")


class Stack:
    """add(layer, function): function(x, weights, training) of torch."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.batch = int(self.r.integers(1, 5))
        self.steps, self.words = [], []
        kind = self.r.choice(["vector", "series", "image"])
        size = lambda low, high: int(self.r.integers(low, high))
        self.input_shape = {"vector": (size(1, 9),), "series": (size(3, 9), size(1, 5)),
                            "image": (size(4, 10), size(4, 10), size(1, 4))}[kind]
        self.shape = self.input_shape
        self.inside = keras.Input(self.shape, batch_size=self.batch)
        self.y = self.inside
        for _ in range(size(2, 7)):
            self._grow()
        self._end()
        self.model = keras.Model(self.inside, self.y)
        for w in self.model.trainable_weights:
            w.assign((self.r.integers(-4, 5, w.shape.as_list()) / 8.0).astype("float32"))

    def data(self):
        """Inputs with equal values: all of one, a background with a few spots, few different numbers, or none."""
        shape, r = (self.batch, *self.input_shape), self.r
        few = np.round(r.normal(size=shape) * 2) / 2
        kind = r.integers(4)
        if kind == 0:
            few = np.full(shape, 0.5)
        elif kind == 1:
            few = np.where(r.random(shape) < 0.2, few, 0.0)
        elif kind == 2:
            few = r.normal(size=shape)
        out = (self.batch, *self.y.shape.as_list()[1:])
        return few.astype("float32"), (np.round(r.normal(size=out) * 2) / 2).astype("float32")

    def add(self, layer, function):
        self.y = layer(self.y)
        self.shape = tuple(self.y.shape.as_list()[1:])
        self.words.append(f"{type(layer).__name__}{self.shape}")
        self.steps.append((layer, function))

    def _grow(self):
        kinds = {1: VECTORS, 2: SERIES, 3: IMAGES}[len(self.shape)]
        kinds[self.r.integers(len(kinds))](self)

    def _end(self):
        if len(self.shape) > 1:
            self.add(L.Flatten(), lambda x, w, t: x.flatten(1))
        units = int(self.r.integers(1, 4))
        self.add(L.Dense(units), lambda x, w, t: x @ w[0] + w[1])

    def torch(self, x, training):
        """(the result, the trained weights)"""
        x, trained = torch.tensor(x, dtype=torch.float64), []
        for layer, function in self.steps:
            own = [torch.tensor(w.numpy(), dtype=torch.float64, requires_grad=True) for w in layer.trainable_weights]
            trained += own
            x = function(x, own, training)
        return x, trained

    def __repr__(self):
        return f"batch {self.batch} of {self.input_shape}: " + ", ".join(self.words)


def _one(s, *options):
    return options[s.r.integers(len(options))]


# ---- any shape

def _dense(s):
    units, name, bias = int(s.r.integers(1, 7)), _one(s, *GENTLE), bool(s.r.integers(2))
    s.add(L.Dense(units, name, use_bias=bias), lambda x, w, t: ACTIVATIONS[name](x @ w[0] + (w[1] if bias else 0)))


def _activation(s):
    name = _one(s, *[n for n in ACTIVATIONS if n != "exponential"])
    s.add(L.Activation(name), lambda x, w, t: ACTIVATIONS[name](x))


def _rectifier(s):
    slope = _one(s, 0.25, 0.5)
    layer, function = _one(s, (L.LeakyReLU(slope), lambda x, w, t: F.leaky_relu(x, slope)),
                           (L.ReLU(), lambda x, w, t: torch.relu(x)), (L.ELU(slope), lambda x, w, t: F.elu(x, slope)),
                           (L.ThresholdedReLU(slope), lambda x, w, t: torch.where(x > slope, x, torch.zeros_like(x))),
                           (L.PReLU(), lambda x, w, t: torch.relu(x) - w[0] * torch.relu(-x)))
    s.add(layer, function)


def _layer_norm(s):
    s.add(L.LayerNormalization(), lambda x, w, t: F.layer_norm(x, x.shape[-1:], w[0], w[1], 1e-3))


def _batch_norm(s):
    def function(x, w, training):
        over = tuple(range(x.ndim - 1))
        mean = x.mean(over) if training else torch.zeros(x.shape[-1])
        variance = x.var(over, unbiased=False) if training else torch.ones(x.shape[-1])
        return (x - mean) / torch.sqrt(variance + 1e-3) * w[0] + w[1]
    s.add(L.BatchNormalization(), function)


class _Branches(L.Layer):
    """Two dense layers side by side, and what becomes of them."""

    def __init__(self, merge, units):
        super().__init__()
        self.left, self.right, self.merge = L.Dense(units, use_bias=False), L.Dense(units, use_bias=False), merge

    def call(self, x):
        return self.merge([self.left(x), self.right(x)])


def _branches(s):
    merge, function = _one(s, (L.Add(), lambda a, b: a + b), (L.Subtract(), lambda a, b: a - b),
                           (L.Multiply(), lambda a, b: a * b), (L.Average(), lambda a, b: (a + b) / 2),
                           (L.Maximum(), lambda a, b: torch.where(a >= b, a, b)),
                           (L.Minimum(), lambda a, b: torch.where(a <= b, a, b)),
                           (L.Concatenate(), lambda a, b: torch.cat([a, b], -1)))
    s.add(_Branches(merge, int(s.r.integers(1, 5))), lambda x, w, t: function(x @ w[0], x @ w[1]))


ANY = [_dense, _dense, _activation, _rectifier, _layer_norm, _batch_norm, _branches]


# ---- windows over one or two dimensions

def _conv(s):
    dims, n, k = len(s.shape) - 1, int(s.r.integers(1, 6)), int(s.r.integers(1, 4))
    stride, name, padding = int(s.r.integers(1, 3)), _one(s, *GENTLE), _one(s, "same", "valid")
    dilation = int(s.r.integers(1, 3)) if stride == 1 else 1
    if padding == "valid" and min(s.shape[:-1]) < (k - 1) * dilation + 1:
        padding = "same"
    conv = (F.conv1d, F.conv2d)[dims - 1]

    def function(x, w, t):
        x = _first(x)
        x = _padded(x, k, stride, dilation) if padding == "same" else x
        return ACTIVATIONS[name](_last(conv(x, w[0].movedim(-1, 0).movedim(-1, 1).contiguous(), w[1], stride, 0, dilation)))
    s.add((L.Conv1D, L.Conv2D)[dims - 1](n, k, stride, padding, dilation_rate=dilation, activation=name), function)


def _depthwise(s):
    k, times = int(s.r.integers(1, 4)), int(s.r.integers(1, 3))

    def function(x, w, t):
        h, v, c, m = w[0].shape
        filters = w[0].permute(2, 3, 0, 1).reshape(c * m, 1, h, v)
        return _last(F.conv2d(_padded(_first(x), k, 1, 1), filters, w[1], groups=c))
    s.add(L.DepthwiseConv2D(k, padding="same", depth_multiplier=times), function)


def _transposed(s):
    n, k = int(s.r.integers(1, 4)), int(s.r.integers(1, 4))
    s.add(L.Conv2DTranspose(n, k, strides=k), lambda x, w, t: _last(
        F.conv_transpose2d(_first(x), w[0].permute(3, 2, 0, 1), w[1], k)))


def _pool(s):
    dims, k, stride, padding = len(s.shape) - 1, int(s.r.integers(1, 4)), int(s.r.integers(1, 4)), _one(s, "same", "valid")
    largest = bool(s.r.integers(3))
    if padding == "valid" and min(s.shape[:-1]) < k:
        padding = "same"

    def function(x, w, t):
        x = _first(x)
        pad = padding == "same"
        if largest:
            x = _padded(x, k, stride, 1, -np.inf) if pad else x
            return _last((F.max_pool1d, F.max_pool2d)[dims - 1](x, k, stride))
        pool = (F.avg_pool1d, F.avg_pool2d)[dims - 1]
        if not pad:
            return _last(pool(x, k, stride))
        return _last(pool(_padded(x, k, stride, 1), k, stride) / pool(_padded(torch.ones_like(x), k, stride, 1), k, stride))
    kinds = ((L.AveragePooling1D, L.AveragePooling2D), (L.MaxPooling1D, L.MaxPooling2D))[largest]
    s.add(kinds[dims - 1](k, stride, padding), function)


def _whole_pool(s):
    dims, largest = len(s.shape) - 1, bool(s.r.integers(2))
    over = tuple(range(1, 1 + dims))
    kinds = ((L.GlobalAveragePooling1D, L.GlobalAveragePooling2D), (L.GlobalMaxPooling1D, L.GlobalMaxPooling2D))[largest]
    s.add(kinds[dims - 1](), lambda x, w, t: x.amax(over) if largest else x.mean(over))


def _larger(s):
    dims = len(s.shape) - 1

    def function(x, w, t):
        for d in range(dims):
            x = x.repeat_interleave(2, d + 1)
        return x
    if np.prod(s.shape) < 400:
        s.add((L.UpSampling1D, L.UpSampling2D)[dims - 1](2), function)


def _zeros(s):
    dims = len(s.shape) - 1
    s.add((L.ZeroPadding1D, L.ZeroPadding2D)[dims - 1](1), lambda x, w, t: F.pad(x, [0, 0] + [1, 1] * dims))


def _recurrent(s):
    kind, units, all_steps = _one(s, L.SimpleRNN, L.LSTM, L.GRU), int(s.r.integers(1, 5)), bool(s.r.integers(2))

    def step(x, h, c, w):
        if kind is L.SimpleRNN:
            return torch.tanh(x @ w[0] + h @ w[1] + w[2]), c
        if kind is L.LSTM:
            i, f, g, o = (x @ w[0] + h @ w[1] + w[2]).chunk(4, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c
        xz, xr, xh = (x @ w[0] + w[2][0]).chunk(3, -1)
        hz, hr, hh = (h @ w[1] + w[2][1]).chunk(3, -1)
        z, r = torch.sigmoid(xz + hz), torch.sigmoid(xr + hr)
        return z * h + (1 - z) * torch.tanh(xh + r * hh), c

    def function(x, w, t):
        h = c = torch.zeros(x.shape[0], units, dtype=x.dtype)
        out = []
        for i in range(x.shape[1]):
            h, c = step(x[:, i], h, c, w)
            out.append(h)
        return torch.stack(out, 1) if all_steps else h
    s.add(kind(units, return_sequences=all_steps), function)


def _turned(s):
    order = [int(d) for d in s.r.permutation(len(s.shape))]
    s.add(L.Permute([d + 1 for d in order]), lambda x, w, t: x.permute(0, *[d + 1 for d in order]))


def _flat(s):
    s.add(L.Flatten(), lambda x, w, t: x.flatten(1))


def _repeated(s):
    n = int(s.r.integers(2, 5))
    s.add(L.RepeatVector(n), lambda x, w, t: x[:, None].repeat(1, n, 1))


WINDOWS = [_conv, _conv, _pool, _pool, _larger, _zeros, _turned]
VECTORS = [*ANY, _repeated]
SERIES = [*ANY, *WINDOWS, _recurrent, _whole_pool, _flat]
IMAGES = [*ANY, *WINDOWS, *WINDOWS, _depthwise, _transposed, _whole_pool, _flat]
