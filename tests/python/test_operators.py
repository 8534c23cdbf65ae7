# SPDX-License-Identifier: MIT
"""Operators and their gradients against torch."""
import numpy as np
import popart
import pytest
import torch
import torch.nn.functional as F
from harness import compare, infer

rng = np.random.default_rng(1)


def real(*shape, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(np.float32)


# Numbers apart from each other and from the kinks of functions.
def apart(*shape):
    return (rng.permutation(int(np.prod(shape))).reshape(shape) * 0.13 - 1.0).astype(np.float32)


def onnx(name, *args, **named):
    return lambda b, x: getattr(b.aiOnnx, name)(x, *args, **named)


def graphcore(name, *args, **named):
    return lambda b, x: getattr(b.aiGraphcore, name)(x, *args, **named)


UNARY = [
    ("abs", torch.abs, {}), ("acos", torch.acos, {"low": -0.9, "high": 0.9}),
    ("asin", torch.asin, {"low": -0.9, "high": 0.9}), ("atan", torch.atan, {}), ("cos", torch.cos, {}),
    ("cosh", torch.cosh, {}), ("elu", F.elu, {}), ("erf", torch.erf, {}), ("exp", torch.exp, {}),
    ("log", torch.log, {"low": 0.2}), ("neg", torch.neg, {}), ("reciprocal", torch.reciprocal, {"low": 0.3}),
    ("relu", F.relu, {}), ("sigmoid", torch.sigmoid, {}), ("sin", torch.sin, {}), ("sinh", torch.sinh, {}),
    ("softplus", F.softplus, {}), ("softsign", F.softsign, {}), ("sqrt", torch.sqrt, {"low": 0.1}),
    ("tan", torch.tan, {}), ("tanh", torch.tanh, {}), ("selu", F.selu, {}), ("leakyrelu", F.leaky_relu, {}),
]


@pytest.mark.parametrize("name,reference,limits", UNARY, ids=[u[0] for u in UNARY])
def test_unary(name, reference, limits):
    compare(onnx(name), reference, [real(3, 5, **limits)], rtol=2e-5)


GRAPHCORE = [
    ("expm1", torch.expm1), ("log1p", lambda x: torch.log1p(x)), ("swish", F.silu),
    ("gelu", lambda x: F.gelu(x, approximate="tanh")), ("geluerf", F.gelu),
    ("reverse", lambda x: torch.flip(x, [0])), ("scale", lambda x: x * 1.5),
]


@pytest.mark.parametrize("name,reference", GRAPHCORE, ids=[g[0] for g in GRAPHCORE])
def test_graphcore_unary(name, reference):
    arguments = {"reverse": {"dimensions": [0]}, "scale": {"scale": 1.5}}.get(name, {})
    compare(graphcore(name, **arguments), reference, [real(3, 5, low=-0.8)], rtol=2e-5)


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 5))])
@pytest.mark.parametrize("name,reference", [("add", torch.add), ("sub", torch.sub), ("mul", torch.mul),
                                            ("div", torch.div), ("pow", torch.pow)])
def test_binary(name, reference, shapes):
    compare(onnx(name), reference, [real(*shapes[0], low=0.5, high=2), real(*shapes[1], low=0.5, high=2)], rtol=2e-5)


def test_minimum_maximum_where():
    a, b = apart(4, 5), apart(4, 5)[::-1].copy() + np.float32(0.05)
    compare(onnx("max"), torch.maximum, [a, b])
    compare(onnx("min"), torch.minimum, [a, b])
    choice = rng.integers(0, 2, (4, 5)).astype(bool)
    compare(lambda n, x: n.aiOnnx.where(x), torch.where, [choice, a, b])


@pytest.mark.parametrize("a,b", [((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((4,), (4, 3))])
def test_matmul(a, b):
    compare(onnx("matmul"), torch.matmul, [real(*a), real(*b)])


@pytest.mark.parametrize("ta,tb", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_gemm(ta, tb):
    a, b = real(*((4, 3) if ta else (3, 4))), real(*((5, 4) if tb else (4, 5)))
    compare(onnx("gemm", alpha=0.5, beta=2.0, transA=ta, transB=tb),
            lambda a, b, c: 0.5 * (a.T if ta else a) @ (b.T if tb else b) + 2 * c, [a, b, real(5)])


CONVOLUTIONS = [
    dict(groups=1, strides=[1, 1], pads=[0, 0], dilations=[1, 1]),
    dict(groups=1, strides=[2, 2], pads=[1, 1], dilations=[1, 1]),
    dict(groups=2, strides=[1, 1], pads=[1, 2], dilations=[1, 2]),
    dict(groups=4, strides=[1, 2], pads=[1, 1], dilations=[1, 1]),
]


@pytest.mark.parametrize("c", CONVOLUTIONS)
def test_convolution(c):
    compare(onnx("conv", strides=c["strides"], pads=c["pads"] * 2, dilations=c["dilations"], group=c["groups"]),
            lambda x, w, b: F.conv2d(x, w, b, c["strides"], c["pads"], c["dilations"], c["groups"]),
            [real(2, 4, 9, 8), real(8, 4 // c["groups"], 3, 3), real(8)], atol=1e-5)


def test_transposed_convolution():
    compare(onnx("convtranspose", strides=[2, 2], pads=[1, 1, 1, 1]),
            lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), [real(1, 3, 5, 5), real(3, 2, 3, 3)], atol=1e-5)


def test_pooling():
    x = [apart(2, 3, 8, 8)]
    compare(lambda b, i: b.aiOnnx.maxpool(i, 1, [2, 2], strides=[2, 2]), lambda x: F.max_pool2d(x, 2), x)
    compare(onnx("averagepool", [3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1),
            lambda x: F.avg_pool2d(x, 3, 2, 1), x)
    compare(onnx("globalaveragepool"), lambda x: F.adaptive_avg_pool2d(x, 1), x)


REDUCTIONS = [
    ("reducesum", lambda x: x.sum((1,), keepdim=True)), ("reducemean", lambda x: x.mean((1,), keepdim=True)),
    ("reducemax", lambda x: x.amax((1,), keepdim=True)), ("reducemin", lambda x: x.amin((1,), keepdim=True)),
    ("reduceprod", lambda x: x.prod(1, keepdim=True)),
    ("reducel1", lambda x: x.abs().sum((1,), keepdim=True)),
    ("reducel2", lambda x: x.norm(dim=1, keepdim=True)),
    ("reducesumsquare", lambda x: (x * x).sum((1,), keepdim=True)),
    ("reducelogsumexp", lambda x: torch.logsumexp(x, 1, keepdim=True)),
]


@pytest.mark.parametrize("name,reference", REDUCTIONS, ids=[r[0] for r in REDUCTIONS])
def test_reduction(name, reference):
    compare(onnx(name, [1]), reference, [apart(3, 5, 2) + np.float32(0.07)], rtol=3e-5)


def test_softmaxes():
    x = [real(4, 6)]
    compare(onnx("softmax"), lambda x: F.softmax(x, 1), x, rtol=2e-5)
    compare(onnx("logsoftmax"), lambda x: F.log_softmax(x, 1), x, rtol=2e-5)
    compare(onnx("softmax", axis=0), lambda x: F.softmax(x.reshape(-1), 0).reshape(4, 6), x, rtol=2e-5)
    compare(onnx("softmax", axis=0), lambda x: F.softmax(x, 0), x, opset=13, rtol=2e-5)


def test_normalisations():
    x, gain, bias = real(4, 6, 5, 5), real(6, low=0.5), real(6)
    compare(lambda b, i: b.aiGraphcore.groupnormalization(i, 3)[0],
            lambda x, g, b: F.group_norm(x, 3, g, b, 1e-5), [x, gain, bias], rtol=1e-4, atol=1e-5)
    compare(onnx("instancenormalization"), lambda x, g, b: F.instance_norm(x, None, None, g, b), [x, gain, bias],
            rtol=1e-4, atol=1e-5)
    compare(lambda b, i: b.aiOnnx.layernormalization(i, 1)[0], lambda x, g: F.layer_norm(x, (6,), g, eps=1e-5),
            [real(4, 6), gain], opset=17, rtol=1e-4, atol=1e-5)


def test_shapes():
    x = [real(2, 3, 4)]
    compare(onnx("transpose", [2, 0, 1]), lambda x: x.permute(2, 0, 1), x)
    compare(lambda b, i: b.reshape_const(b.aiOnnx, i, [4, -1]), lambda x: x.reshape(4, -1), x)
    compare(onnx("flatten", axis=2), lambda x: x.reshape(6, 4), x)
    compare(onnx("unsqueeze", [0, 2]), lambda x: x[None][:, :, None], x)
    compare(onnx("concat", axis=1), lambda a, b: torch.cat([a, b], 1), [real(2, 3), real(2, 2)])
    compare(onnx("slice", axes=[1, 2], starts=[1, 0], ends=[3, 2]), lambda x: x[:, 1:3, :2], x, opset=9)
    compare(onnx("pad", mode="constant", pads=[0, 1, 0, 0, 0, 2], value=0.5),
            lambda x: F.pad(x, (0, 2, 1, 0), value=0.5), x)


def test_split():
    def both(b, x):
        first, second = b.aiOnnx.split(x, 2, axis=1, split=[1, 3])
        return b.aiOnnx.concat([second, first], axis=1)
    compare(both, lambda x: torch.cat([x[:, 1:], x[:, :1]], 1), [real(3, 4)])


def test_lookups():
    table, rows = real(7, 3), np.array([[0, 6], [2, 2]], np.int32)
    compare(onnx("gather", axis=0), lambda t, i: t[i.long()], [table, rows])
    compare(onnx("gatherelements", axis=1), lambda x, i: torch.gather(x, 1, i.long()),
            [real(2, 4), np.array([[0, 3], [1, 1]], np.int32)], opset=11)


def test_losses():
    labels = np.array([1, 0, 3, 2], np.int32)
    logs = F.log_softmax(torch.tensor(real(4, 5)), 1).numpy()
    for kind, name in ((popart.ReductionType.Sum, "sum"), (popart.ReductionType.Mean, "mean")):
        compare(lambda b, i: b.aiGraphcore.nllloss(i, reduction=kind, inputIsLogProbability=True),
                lambda x, l: F.nll_loss(x, l.long(), reduction=name), [logs, labels])
        compare(lambda b, i: b.aiGraphcore.l1loss(i, 0.3, reduction=kind),
                lambda x: 0.3 * (x.abs().sum() if name == "sum" else x.abs().mean()), [real(3, 4)])


def test_lstm():
    steps, batch, inputs, hidden = 4, 2, 3, 5
    x, w, r = real(steps, batch, inputs), real(1, 4 * hidden, inputs), real(1, 4 * hidden, hidden)
    b = real(1, 8 * hidden)

    def torchlike(x, w, r, b):  # ONNX orders the gates i o f c, torch i f c o
        order = [0, 2, 3, 1]
        pick = lambda m: torch.cat([m.reshape(4, hidden, -1)[i] for i in order])
        wi, wh = pick(w[0]), pick(r[0])
        bi, bh = pick(b[0, :4 * hidden]).flatten(), pick(b[0, 4 * hidden:]).flatten()
        h, c, out = torch.zeros(batch, hidden), torch.zeros(batch, hidden), []
        for t in range(steps):
            i, f, g, o = (x[t] @ wi.T + bi + h @ wh.T + bh).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            out.append(h[None])
        return torch.cat(out)[:, None]

    compare(lambda n, i: n.aiOnnx.lstm(i, 3, clip=None)[0], torchlike, [x, w, r, b], rtol=1e-4, atol=1e-5)


def test_integers_and_booleans():
    a, b = np.array([3, -4, 5], np.int32), np.array([3, 7, -5], np.int32)
    less, equal, total = infer(lambda n, x: [n.aiOnnx.less(x), n.aiOnnx.equal(x), n.aiOnnx.add(x)], [a, b])
    assert less.dtype == bool and list(less) == [False, True, False]
    assert list(equal) == [True, False, False]
    assert total.dtype == np.int32 and list(total) == [6, 3, 0]
    (largest,) = infer(lambda n, x: n.aiOnnx.argmax(x, 0, 0), [real(4, 3)])
    assert largest.dtype == np.int32


def test_half():
    a, b = real(3, 4).astype(np.float16), real(4, 5).astype(np.float16)
    (y,) = infer(lambda n, x: n.aiOnnx.matmul(x), [a, b])
    assert y.dtype == np.float16
    np.testing.assert_allclose(y, (a.astype(np.float32) @ b.astype(np.float32)), atol=5e-3)


def test_bodies():
    def build(b, x):
        body = b.createSubgraphBuilder()
        i = body.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        body.addOutputTensor(body.aiOnnx.mul([i, i]))
        return b.aiGraphcore.call([b.aiGraphcore.call(x, 1, body)[0]], 1, body)
    (y,) = infer(build, [np.array([2, 3], np.float32)])
    assert list(y) == [16, 81]
