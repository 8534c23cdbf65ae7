# SPDX-License-Identifier: MIT
"""Operators in the forms that older opsets gave them, which ONNX's own node cases do not reach: each version against
numpy or torch. Inputs that must be known when a model is compiled are constants."""
import numpy as np
import popart
import pytest
import torch
import torch.nn.functional as F
from harness import device
from onnx import helper, numpy_helper

rng = np.random.default_rng(5)


def real(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def ints(*values):
    return Fixed(np.array(values, np.int64))


def t(function):  # of torch, on arrays
    return lambda *arrays, **rest: function(*(None if a is None else torch.tensor(a) for a in arrays), **rest).numpy()


class Fixed:
    def __init__(self, values):
        self.values = np.asarray(values)


X, V, W = real(2, 3, 4), real(3), real(3, 4)
IMAGE = real(2, 3, 6, 6)
VOLUME = real(1, 2, 5, 5, 5)


def batch_norm(x, s, b, m, v):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (x - m.reshape(shape)) / np.sqrt(v.reshape(shape) + 1e-3) * s.reshape(shape) + b.reshape(shape)


def flat_softmax(x, axis):
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    e = np.exp(rows - rows.max(1, keepdims=True))
    return (e / e.sum(1, keepdims=True)).reshape(x.shape)


def hardmax(x, axis):
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    return np.eye(rows.shape[1], dtype=np.float32)[rows.argmax(1)].reshape(x.shape)


def scatter(x, i, u):
    x = x.copy()
    np.put_along_axis(x, i, u, 1)
    return x


BN = [IMAGE, real(3), real(3), real(3), np.abs(real(3)) + 0.5]
ROWS = np.array([[0, 2], [1, 0], [3, 1]], np.int64)
LABELS = np.array([[1, 0, 2], [2, 1, 0]], np.int64)
SCORES = real(2, 4, 3)


def cross(**settings):
    return lambda x, l, w=None: F.cross_entropy(torch.tensor(x), torch.tensor(l), None if w is None else torch.tensor(w),
                                                **settings).numpy()


def nll(**settings):
    return lambda x, l, w=None: F.nll_loss(torch.tensor(x), torch.tensor(l), None if w is None else torch.tensor(w),
                                           **settings).numpy()


# operator, opset, inputs, attributes, reference (one output, or a tuple)
CASES = [
    ("Add", 6, [X, V], dict(broadcast=1, axis=1), lambda a, b: a + b[:, None]),
    ("Sub", 6, [X, real(3, 4)], dict(broadcast=1), np.subtract),
    ("Mul", 6, [X, real(2)], dict(broadcast=1, axis=0), lambda a, b: a * b[:, None, None]),
    ("Div", 7, [X, V[:, None] + 3], {}, np.divide),
    ("Pow", 6, [np.abs(X), V], dict(broadcast=1, axis=1), lambda a, b: a ** b[:, None]),
    ("Greater", 6, [X, V], dict(broadcast=1, axis=1), lambda a, b: a > b[:, None]),
    ("Equal", 6, [np.arange(6).reshape(2, 3), np.array([1, 4, 2])], dict(broadcast=1), np.equal),
    ("And", 6, [X > 0, V > 0], dict(broadcast=1, axis=1), lambda a, b: a & b[:, None]),
    ("Max", 6, [W, W[::-1].copy()], {}, np.maximum), ("Max", 8, [X, W], {}, np.maximum), ("Min", 8, [X, W], {}, np.minimum),
    ("Mean", 8, [X, W], {}, lambda a, b: (a + b) / 2), ("Sum", 6, [W, W, W], {}, lambda a, b, c: a + b + c),
    ("Max", 12, [np.arange(4, dtype=np.int8), np.int8([3, 0, 2, 5])], {}, np.maximum),
    ("PRelu", 6, [X, V], {}, lambda x, s: np.where(x < 0, x * s[:, None], x)),
    ("PRelu", 7, [X, V[:, None]], {}, lambda x, s: np.where(x < 0, x * s, x)),
    ("PRelu", 6, [X, real(1)], {}, lambda x, s: np.where(x < 0, x * s, x)),
    ("Gemm", 6, [real(2, 3), real(3, 4), real(4)], dict(broadcast=1, alpha=0.5), lambda a, b, c: 0.5 * a @ b + c),
    ("Gemm", 7, [real(3, 2), real(4, 3), real(2, 1)], dict(transA=1, transB=1, beta=2.0), lambda a, b, c: a.T @ b.T + 2 * c),
    ("Gemm", 11, [real(2, 3), real(3, 4)], dict(alpha=3.0), lambda a, b: 3 * a @ b),
    ("Clip", 6, [X], dict(min=-0.3), lambda x: np.maximum(x, np.float32(-0.3))),
    ("Clip", 6, [X], dict(min=-0.3, max=0.2), lambda x: x.clip(-0.3, 0.2)),
    ("Clip", 11, [X, None, np.float32(0.2)], {}, lambda x, _, h: np.minimum(x, h)),
    ("Clip", 12, [np.arange(-4, 4, dtype=np.int32), np.int32(-2), np.int32(1)], {}, np.clip),
    ("Clip", 13, [X], {}, lambda x: x),
    ("Cast", 6, [X * 5], dict(to=6), lambda x: x.astype(np.int32)),
    ("Cast", 9, [X * 5], dict(to=3), lambda x: x.astype(np.int8)),
    ("Cast", 13, [np.array([0, 1, -3])], dict(to=9), lambda x: x != 0),
    ("Dropout", 6, [X], dict(is_test=1), lambda x: x), ("Dropout", 7, [X], dict(ratio=0.3), lambda x: x),
    ("Dropout", 10, [X], {}, lambda x: (x, np.ones(x.shape, bool))),
    ("Dropout", 12, [X, Fixed(np.float32(0.5))], {}, lambda x, _: (x, np.ones(x.shape, bool))),
    ("Dropout", 13, [X, Fixed(np.float32(0.5)), Fixed(False)], {}, lambda x, *_: x),
    ("BatchNormalization", 6, BN, dict(epsilon=1e-3, is_test=1), batch_norm),
    ("BatchNormalization", 7, BN, dict(epsilon=1e-3), batch_norm),
    ("BatchNormalization", 9, BN, dict(epsilon=1e-3), batch_norm),
    ("BatchNormalization", 14, BN, dict(epsilon=1e-3), batch_norm),
    ("BatchNormalization", 15, BN, dict(epsilon=1e-3), batch_norm),
    ("BatchNormalization", 9, [real(4, 3)] + BN[1:], dict(epsilon=1e-3), batch_norm),
    ("BatchNormalization", 7, [real(2, 3, 4), real(3, 4), real(3, 4), real(3, 4), np.abs(real(3, 4)) + 0.5],
     dict(epsilon=1e-3, spatial=0), lambda x, s, b, m, v: (x - m) / np.sqrt(v + 1e-3) * s + b),
    ("InstanceNormalization", 6, [IMAGE, V, V], {}, t(lambda x, s, b: F.instance_norm(x, None, None, s, b))),
    ("LayerNormalization", 17, [X, real(3, 4), real(3, 4)], dict(axis=1, epsilon=1e-3),
     t(lambda x, s, b: F.layer_norm(x, (3, 4), s, b, 1e-3))),
    ("LayerNormalization", 17, [X, real(4)], {}, t(lambda x, s: F.layer_norm(x, (4,), s))),
    ("Pad", 6, [X], dict(pads=[0, 1, 2, 1, 0, 1], value=0.5),
     lambda x: np.pad(x, [(0, 1), (1, 0), (2, 1)], constant_values=0.5)),
    ("Pad", 6, [X], dict(pads=[0, 1, 2, 0, 1, 1], mode="reflect"), lambda x: np.pad(x, [(0, 0), (1, 1), (2, 1)], "reflect")),
    ("Pad", 6, [X], dict(pads=[0, 1, 2, 0, 1, 1], mode="edge"), lambda x: np.pad(x, [(0, 0), (1, 1), (2, 1)], "edge")),
    ("Pad", 6, [X], dict(pads=[0, -1, 0, 0, 0, -2]), lambda x: x[:, 1:, :-2]),
    ("Pad", 11, [X, ints(0, 0, 1, 0, 0, 2), Fixed(np.float32(3))], {},
     lambda x, *_: np.pad(x, [(0, 0), (0, 0), (1, 2)], constant_values=3)),
    ("Pad", 13, [np.arange(3), ints(1, 1)], {}, lambda x, _: np.pad(x, 1)),
    ("Slice", 6, [X], dict(starts=[1, 0], ends=[-1, 2], axes=[2, 1]), lambda x: x[:, :2, 1:-1]),
    ("Slice", 6, [X], dict(starts=[0, 1], ends=[1, 1000]), lambda x: x[:1, 1:]),
    ("Slice", 10, [X, ints(-1, 0), ints(-1000, 3), ints(2, 1), ints(-2, 2)], {}, lambda x, *_: x[:, ::2, ::-2]),
    ("Slice", 13, [X, ints(1), ints(3), ints(-1)], {}, lambda x, *_: x[..., 1:3]),
    ("Split", 6, [X], dict(axis=2, split=[1, 3]), lambda x: (x[..., :1], x[..., 1:])),
    ("Split", 6, [X], dict(axis=2), lambda x: (x[..., :2], x[..., 2:])),
    ("Split", 11, [X], dict(axis=-1, split=[3, 1]), lambda x: (x[..., :3], x[..., 3:])),
    ("Split", 13, [X, ints(1, 1)], dict(axis=0), lambda x, _: (x[:1], x[1:])),
    ("Split", 13, [X], dict(axis=2), lambda x: (x[..., :2], x[..., 2:])),
    ("Squeeze", 6, [X[:, :1]], dict(axes=[1]), lambda x: x[:, 0]), ("Squeeze", 6, [X[:1, :1]], {}, lambda x: x[0, 0]),
    ("Squeeze", 11, [X[:, :1]], dict(axes=[-2]), lambda x: x[:, 0]), ("Squeeze", 13, [X[:1, :1]], {}, np.squeeze),
    ("Unsqueeze", 6, [X], dict(axes=[0, 4]), lambda x: x[None, ..., None]),
    ("Unsqueeze", 11, [X], dict(axes=[-1, 1]), lambda x: x[:, None, :, :, None]),
    ("Reshape", 6, [X, ints(0, -1)], {}, lambda x, _: x.reshape(2, 12)),
    ("Reshape", 14, [real(0, 3), ints(3, 0)], dict(allowzero=1), lambda x, _: x.reshape(3, 0)),
    ("Flatten", 6, [X], dict(axis=0), lambda x: x.reshape(1, -1)),
    ("Flatten", 11, [X], dict(axis=-1), lambda x: x.reshape(6, 4)),
    ("Tile", 6, [W, ints(2, 3)], {}, lambda x, _: np.tile(x, (2, 3))),
    ("Upsample", 7, [IMAGE], dict(scales=[1.0, 1.0, 2.0, 3.0]), lambda x: x.repeat(2, 2).repeat(3, 3)),
    ("Upsample", 9, [IMAGE, Fixed(np.float32([1, 1, 2, 2]))], {}, lambda x, _: x.repeat(2, 2).repeat(2, 3)),
    ("Resize", 10, [IMAGE, Fixed(np.float32([1, 1, 2, 2]))], {}, lambda x, _: x.repeat(2, 2).repeat(2, 3)),
    ("Resize", 10, [IMAGE, Fixed(np.float32([1, 1, 0.5, 0.5]))], {}, lambda x, _: x[:, :, ::2, ::2]),
    ("Resize", 11, [IMAGE, Fixed(np.zeros(0, np.float32)), Fixed(np.float32([1, 1, 2, 2]))], dict(mode="linear"),
     lambda x, *_: t(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"))(x)),
    ("Resize", 11, [IMAGE, Fixed(np.zeros(0, np.float32)), Fixed(np.zeros(0, np.float32)), ints(2, 3, 9, 4)],
     dict(mode="linear", coordinate_transformation_mode="align_corners"),
     lambda x, *_: t(lambda x: F.interpolate(x, (9, 4), mode="bilinear", align_corners=True))(x)),
    ("Resize", 13, [IMAGE, None, None, ints(2, 3, 9, 4)], dict(mode="cubic"),
     lambda x, *_: t(lambda x: F.interpolate(x, (9, 4), mode="bicubic"))(x)),
    ("Resize", 13, [real(1, 2, 5), None, Fixed(np.float32([1, 1, 2]))], dict(mode="linear"),
     lambda x, *_: t(lambda x: F.interpolate(x, scale_factor=2, mode="linear"))(x)),
    ("Resize", 13, [VOLUME, None, None, ints(1, 2, 3, 7, 5)],
     dict(mode="linear", coordinate_transformation_mode="align_corners"),
     lambda x, *_: t(lambda x: F.interpolate(x, (3, 7, 5), mode="trilinear", align_corners=True))(x)),
    ("ArgMax", 6, [X], dict(axis=1, keepdims=0), lambda x: x.argmax(1)),
    ("ArgMin", 11, [X], dict(axis=-1), lambda x: x.argmin(-1)[..., None]),
    ("ReduceSum", 6, [X], dict(axes=[0, 2]), lambda x: x.sum((0, 2), keepdims=True)),
    ("ReduceSum", 11, [X], dict(axes=[-1], keepdims=0), lambda x: x.sum(-1)),
    ("ReduceSum", 13, [X, ints(0, -1)], dict(keepdims=0), lambda x, _: x.sum((0, 2))),
    ("ReduceSum", 13, [X], dict(noop_with_empty_axes=1), lambda x: x),
    ("ReduceMax", 12, [np.arange(6, dtype=np.uint8).reshape(2, 3)], dict(axes=[0]), lambda x: x.max(0, keepdims=True)),
    ("ReduceMean", 6, [X], dict(keepdims=0), np.mean),
    ("ReduceL2", 11, [X], dict(axes=[-2]), lambda x: np.sqrt((x * x).sum(1, keepdims=True))),
    ("Softmax", 6, [X], dict(axis=1), lambda x: flat_softmax(x, 1)),
    ("Softmax", 11, [X], dict(axis=-1), lambda x: flat_softmax(x, 2)),
    ("Softmax", 11, [X], {}, lambda x: flat_softmax(x, 1)), ("Softmax", 13, [X], dict(axis=1), t(lambda x: x.softmax(1))),
    ("LogSoftmax", 11, [X], {}, lambda x: np.log(flat_softmax(x, 1))), ("Hardmax", 6, [X], {}, lambda x: hardmax(x, 1)),
    ("Hardmax", 13, [X], dict(axis=1), lambda x: (np.arange(3)[:, None] == x.argmax(1)[:, None]).astype(np.float32)),
    ("TopK", 6, [X], dict(k=2, axis=1), lambda x: (np.sort(x, 1)[:, ::-1][:, :2], np.argsort(x, 1)[:, ::-1][:, :2])),
    ("TopK", 10, [X, ints(2)], {}, lambda x, _: (np.sort(x)[..., ::-1][..., :2], np.argsort(x)[..., ::-1][..., :2])),
    ("TopK", 11, [X, ints(2)], dict(largest=0, axis=-2), lambda x, _: (np.sort(x, 1)[:, :2], np.argsort(x, 1)[:, :2])),
    ("Scatter", 9, [W, ROWS, real(3, 2)], dict(axis=1), scatter),
    ("ScatterElements", 11, [W, ROWS, real(3, 2)], dict(axis=-1), scatter),
    ("ScatterElements", 16, [W, np.zeros((3, 2), np.int64), real(3, 2)], dict(axis=1, reduction="add"),
     lambda x, i, u: x + np.pad(u.sum(1, keepdims=True), ((0, 0), (0, 3)))),
    ("ScatterElements", 16, [W, np.zeros((3, 2), np.int64), real(3, 2)], dict(axis=1, reduction="mul"),
     lambda x, i, u: x * np.concatenate([u.prod(1, keepdims=True), np.ones((3, 3), np.float32)], 1)),
    ("ScatterND", 16, [V, np.array([[1], [1]]), real(2)], dict(reduction="add"),
     lambda x, i, u: x + np.float32([0, u.sum(), 0])),
    ("ScatterND", 16, [V, np.array([[1], [1]]), real(2)], dict(reduction="mul"), lambda x, i,
     u: x * np.float32([1, u.prod(), 1])),
    ("Gather", 11, [X, np.array([-1, 0])], dict(axis=-1), lambda x, i: x[..., i]),
    ("GatherND", 12, [X, np.array([[[0, 1], [2, 3]], [[1, 1], [0, 0]]])], dict(batch_dims=1),
     lambda x, i: np.stack([x[b][i[b][:, 0], i[b][:, 1]] for b in range(2)])),
    ("OneHot", 9, [np.array([1, 0, 7]), Fixed(np.int64(3)), Fixed(np.float32([0, 2]))], {},
     lambda i, *_: np.float32([[0, 2, 0], [2, 0, 0], [0, 0, 0]])),
    ("OneHot", 11, [np.array([1, -1]), Fixed(np.int64(3)), Fixed(np.float32([0, 2]))], dict(axis=0),
     lambda i, *_: np.float32([[0, 0], [2, 0], [0, 2]])),
    ("MaxPool", 6, [IMAGE], dict(kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
     t(lambda x: F.max_pool2d(x, 3, 2, 1))),
    ("MaxPool", 8, [IMAGE], dict(kernel_shape=[2, 2], strides=[2, 2]), t(lambda x: F.max_pool2d(x, 2))),
    ("MaxPool", 10, [IMAGE], dict(kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
     t(lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True))),
    ("MaxPool", 12, [IMAGE], dict(kernel_shape=[2, 2], dilations=[2, 2]), t(lambda x: F.max_pool2d(x, 2, 1, dilation=2))),
    ("MaxPool", 11, [VOLUME], dict(kernel_shape=[2, 2, 2]), t(lambda x: F.max_pool3d(x, 2, 1))),
    ("AveragePool", 6, [IMAGE], dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
     t(lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False))),
    ("AveragePool", 7, [IMAGE], dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
     t(lambda x: F.avg_pool2d(x, 3, 1, 1))),
    ("AveragePool", 10, [IMAGE], dict(kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
     t(lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True, count_include_pad=False))),
    ("AveragePool", 11, [real(2, 3, 7)], dict(kernel_shape=[2], strides=[2], auto_pad="SAME_UPPER"),
     t(lambda x: F.avg_pool1d(x, 2, 2, ceil_mode=True, count_include_pad=False))),
    ("LpPool", 6, [IMAGE], dict(kernel_shape=[2, 2], strides=[2, 2], p=3), t(lambda x: F.lp_pool2d(x.abs(), 3, 2))),
    ("GlobalLpPool", 6, [IMAGE], dict(p=1), lambda x: np.abs(x).sum((2, 3), keepdims=True)),
    ("Conv", 6, [real(1, 4, 5, 5), real(6, 2, 3, 3)], dict(group=2, auto_pad="SAME_LOWER"),
     t(lambda x, w: F.conv2d(x, w, padding=1, groups=2))),
    ("Conv", 11, [real(1, 2, 9), real(3, 2, 3), real(3)], dict(dilations=[2], strides=[2]),
     t(lambda x, w, b: F.conv1d(x, w, b, 2, 0, 2))),
    ("Conv", 11, [VOLUME, real(3, 2, 2, 2, 2)], dict(pads=[1, 0, 1, 1, 0, 1]),
     t(lambda x, w: F.conv3d(x, w, padding=(1, 0, 1)))),
    ("ConvTranspose", 6, [real(1, 4, 4, 4), real(4, 3, 3, 3)], dict(strides=[2, 2], group=2, output_shape=[9, 9]),
     t(lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2))),
    ("ConvTranspose", 11, [real(1, 2, 5), real(2, 3, 3)], dict(strides=[2], pads=[1, 1], output_padding=[1]),
     t(lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1, output_padding=1))),
    ("DepthToSpace", 6, [real(1, 8, 2, 2)], dict(blocksize=2),
     lambda x: x.reshape(1, 2, 2, 2, 2, 2).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 4)),
    ("LRN", 6, [IMAGE], dict(size=3), t(lambda x: F.local_response_norm(x, 3))),
    ("Concat", 6, [X, X], dict(axis=1), lambda a, b: np.concatenate([a, b], 1)),
    ("Concat", 11, [X, X], dict(axis=-1), lambda a, b: np.concatenate([a, b], -1)),
    ("CumSum", 11, [X, Fixed(np.int32(-1))], dict(exclusive=1, reverse=1), lambda x,
     _: np.cumsum(x[..., ::-1], -1)[..., ::-1] - x),
    ("IsInf", 10, [np.float32([np.inf, -np.inf, 1])], dict(detect_negative=0), lambda x: x == np.inf),
    ("Mod", 10, [np.array([-5, 5, 7]), np.array([3, -3, 4])], {}, np.mod),
    ("Mod", 13, [X, np.full((4,), 0.3, np.float32)], dict(fmod=1), np.fmod),
    ("BitShift", 11, [np.uint8([1, 200, 3]), np.uint8([1, 1, 2])], dict(direction="LEFT"), np.left_shift),
    ("Round", 11, [np.float32([0.5, 1.5, -2.5, 0.2])], {}, np.round),
    ("Celu", 12, [X], dict(alpha=0.4), t(lambda x: F.celu(x, 0.4))),
    ("HardSwish", 14, [X * 5], {}, t(F.hardswish)),
    ("Trilu", 14, [X, Fixed(np.int64(-1))], dict(upper=0), lambda x, _: np.tril(x, -1)),
    ("Einsum", 12, [X, real(4, 5)], dict(equation="...j,jk->...k"), lambda a, b: a @ b),
    ("Einsum", 12, [real(4, 4)], dict(equation="ii->i"), np.diagonal),
    ("Einsum", 12, [real(3, 4)], dict(equation="ij->"), np.sum),
    ("Einsum", 12, [real(2, 3), real(3, 4), real(4, 2)], dict(equation="ij,jk,ki->i"), lambda a, b,
     c: np.einsum("ij,jk,ki->i", a, b, c)),
    ("Einsum", 12, [real(2, 3, 3), real(2, 3)], dict(equation="bii,bi->b"), lambda a, b: np.einsum("bii,bi->b", a, b)),
    ("Einsum", 12, [real(2, 3), real(2, 4)], dict(equation="ij,ik"), lambda a, b: np.einsum("ij,ik", a, b)),
    ("GridSample", 16, [real(1, 2, 5, 5), real(1, 3, 4, 2)], dict(mode="bicubic", padding_mode="reflection", align_corners=1),
     t(lambda x, g: F.grid_sample(x, g, "bicubic", "reflection", True))),
    ("GridSample", 16, [real(1, 2, 5, 5), real(1, 3, 4, 2) * 1.5], dict(mode="nearest", padding_mode="border"),
     t(lambda x, g: F.grid_sample(x, g, "nearest", "border", False))),
    ("SoftmaxCrossEntropyLoss", 12, [SCORES, LABELS], dict(reduction="none"), cross(reduction="none")),
    ("SoftmaxCrossEntropyLoss", 12, [SCORES, LABELS, real(4) + 2], {}, cross()),
    ("SoftmaxCrossEntropyLoss", 13, [SCORES, LABELS, real(4) + 2], dict(ignore_index=1, reduction="sum"),
     cross(ignore_index=1, reduction="sum")),
    ("SoftmaxCrossEntropyLoss", 13, [SCORES, LABELS], dict(ignore_index=0),
     lambda x, l: (cross(ignore_index=0)(x, l), t(lambda x: x.log_softmax(1))(x))),
    ("NegativeLogLikelihoodLoss", 12, [SCORES, LABELS, real(4) + 2], dict(ignore_index=2), nll(ignore_index=2)),
    ("NegativeLogLikelihoodLoss", 13, [SCORES, LABELS], dict(reduction="none"), nll(reduction="none")),
    ("QuantizeLinear", 10, [X * 9, Fixed(np.float32(0.2)), Fixed(np.uint8(7))], {}, lambda x,
     *_: (np.round(x / np.float32(0.2)) + 7).clip(0, 255)),
    ("DequantizeLinear", 13, [np.int8([[1, -2], [3, 4]]), Fixed(np.float32([0.5, 2])), Fixed(np.int8([1, 0]))], dict(axis=0),
     lambda x, *_: (x - np.int8([[1], [0]])) * np.float32([[0.5], [2]])),
    ("Shape", 15, [X], dict(start=1, end=-1), lambda x: np.array([3])), ("Where", 9, [X > 0, X, V[:, None]], {}, np.where),
    ("Expand", 8, [V[:, None], ints(2, 1, 4)], {}, lambda x, _: np.broadcast_to(x, (2, 3, 4))),
    ("ThresholdedRelu", 10, [X], dict(alpha=0.2), lambda x: np.where(x > 0.2, x, 0)),
    ("MatMul", 9, [real(3), real(2, 3, 4)], {}, np.matmul),
    ("Selu", 6, [X], {}, t(F.selu)), ("Elu", 6, [X], dict(alpha=0.5), t(lambda x: F.elu(x, 0.5))),
    ("NonZero", 9, [Fixed(np.array([[0, 2], [3, 0]]))], {}, lambda x: np.array(np.nonzero(x))),
    ("ReverseSequence", 10, [real(4, 2), Fixed(np.array([2, 4]))], {}, lambda x,
     _: np.stack([np.r_[x[1::-1, 0], x[2:, 0]], x[::-1, 1]], 1)),
    ("MeanVarianceNormalization", 9, [IMAGE], dict(axes=[0, 2, 3]),
     lambda x: (x - x.mean((0, 2, 3), keepdims=True)) / x.std((0, 2, 3), keepdims=True)),
    ("Det", 11, [real(2, 3, 3)], {}, np.linalg.det),
    ("Compress", 9, [X, Fixed([True, False, True])], dict(axis=1), lambda x, _: x[:, [0, 2]]),
]


@pytest.mark.parametrize("kind,opset,inputs,attributes,reference", CASES,
                         ids=["%s-%d-%d" % (c[0], c[1], i) for i, c in enumerate(CASES)])
def test_form(kind, opset, inputs, attributes, reference):
    values = [x.values if isinstance(x, Fixed) else x for x in inputs]
    wanted = reference(*values)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    names = ["" if x is None else "x%d" % i for i, x in enumerate(inputs)]
    constants = [helper.make_node("Constant", [], [n], value=numpy_helper.from_array(x.values))
                 for n, x in zip(names, inputs) if isinstance(x, Fixed)]
    feeds = {n: np.ascontiguousarray(x) for n, x in zip(names, inputs) if x is not None and not isinstance(x, Fixed)}
    outputs = ["y%d" % i for i in range(len(wanted))]
    graph = helper.make_graph(
        constants + [helper.make_node(kind, names, outputs, **attributes)], "g",
        [helper.make_tensor_value_info(n, numpy_helper.from_array(x).data_type, x.shape) for n, x in feeds.items()],
        [helper.make_tensor_value_info(o, 1, np.shape(w)) for o, w in zip(outputs, wanted)])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    session = popart.InferenceSession(proto.SerializeToString(), popart.DataFlow(1, outputs), device())
    session.prepareDevice()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(feeds, arrays))
    for o, w in zip(outputs, wanted):
        np.testing.assert_allclose(arrays[o], w, rtol=2e-5, atol=2e-5)
        assert arrays[o].shape == np.shape(w)
