# SPDX-License-Identifier: MIT
"""Functions and layers that are several operators: results on the CPU and on an IPU, and gradients, against torch."""
import numpy as np
import pytest
import torch
import torch.nn.functional as TF

import paddle
import paddle.nn.functional as F
from paddle import fluid, nn, static

_random = np.random.RandomState(3)


def real(*shape, low=-1.0, high=1.0):
    return _random.uniform(low, high, shape).astype(np.float32)


def whole(*shape, high=5):
    return _random.randint(0, high, shape)


M, LINE, PICTURE, VOLUME, SQUARE = real(2, 10), real(1, 3, 8), real(2, 6, 4, 4), real(1, 2, 4, 4, 4), real(4, 4)
TIES = np.array([[1, 3, 3], [2, 2, 1]], np.float32)
YES, CLASSES, WEIGHTS = whole(4, 3, high=2).astype(np.float32), whole(4, 1, high=3), real(3, low=0.5, high=2)
SIGNS = np.sign(real(4, 3))


def focal(x, y):
    p, loss = x.sigmoid(), TF.binary_cross_entropy_with_logits(x, y, reduction="none")
    return ((0.25 * y + 0.75 * (1 - y)) * (1 - (p * y + (1 - p) * (1 - y))) ** 2 * loss).sum()


def dice(x, y):
    p, wanted = x.softmax(-1), TF.one_hot(y[:, 0], 3).float()
    return (1 - 2 * (p * wanted).sum(1) / (p.sum(1) + wanted.sum(1) + 1e-5)).mean()


CASES = {
    "expm1": (paddle.expm1, torch.expm1, M), "trunc": (lambda x: paddle.trunc(x * 3.0), lambda x: (x * 3).trunc(), M),
    "neg": (paddle.neg, torch.neg, M), "mv": (paddle.mv, torch.mv, M, real(10)),
    "outer": (paddle.outer, torch.outer, real(3), real(4)),
    "addmm": (lambda a, x, y: paddle.addmm(a, x, y, 0.5, 2.0), lambda a, x, y: 0.5 * a + 2 * x @ y, real(2, 3), M, real(10, 3)),
    "inner": (paddle.inner, torch.inner, real(2, 3, 4), real(5, 4)),
    "lerp": (lambda x, y: paddle.lerp(x, y, 0.3), lambda x, y: torch.lerp(x, y, 0.3), M, real(2, 10)),
    "amax": (lambda x: paddle.amax(x, 1), lambda x: x.amax(1), TIES), "amin": (lambda x: paddle.amin(x), torch.amin, TIES),
    "fmax": (paddle.fmax, torch.fmax, M, real(2, 10)), "fmin": (paddle.fmin, torch.fmin, M, real(2, 10)),
    "var": (lambda x: paddle.var(x, [0, 1], False, True), lambda x: x.var((0, 1), False, keepdim=True), M),
    "std": (lambda x: paddle.std(x, 1), lambda x: x.std(1), M), "diff": (lambda x: paddle.diff(x, 2), lambda x: x.diff(2), M),
    "trace": (paddle.trace, torch.trace, SQUARE), "tril": (paddle.tril, torch.tril, real(2, 3, 4)),
    "triu": (lambda x: paddle.triu(x, 1), lambda x: x.triu(1), SQUARE),
    "eye": (lambda x: paddle.matmul(paddle.eye(4, 4), x), lambda x: x, SQUARE),
    "linspace": (lambda x: x + paddle.linspace(0, 2, 10), lambda x: x + torch.linspace(0, 2, 10), M),
    "unbind": (lambda x: paddle.unbind(x, 1)[3], lambda x: x.unbind(1)[3], M),
    "reverse": (lambda x: paddle.reverse(x, [1]), lambda x: x.flip(1), M),
    "roll": (lambda x: paddle.roll(x, [1, -3], [0, 1]), lambda x: x.roll((1, -3), (0, 1)), M),
    "roll_all": (lambda x: paddle.roll(x, 3), lambda x: x.roll(3), M),
    "index_select": (lambda x, i: paddle.index_select(x, i, 1), lambda x, i: x[:, i], M, whole(4, high=10)),
    "gather_nd": (paddle.gather_nd, lambda x, i: x[i[:, 0], i[:, 1]], PICTURE, np.array([[0, 1], [1, 5], [0, 1]])),
    "take_along": (lambda x, i: paddle.take_along_axis(x, i, 1), lambda x, i: x.gather(1, i), PICTURE, whole(2, 3, 4, 4)),
    "moveaxis": (lambda x: paddle.moveaxis(x, [0, 1], [-1, 0]), lambda x: x.movedim((0, 1), (-1, 0)), VOLUME),
    "swapaxes": (lambda x: paddle.swapaxes(x, 1, -1), lambda x: x.swapaxes(1, -1), PICTURE),
    "repeat": (lambda x: paddle.repeat_interleave(x, 3, 1), lambda x: x.repeat_interleave(3, 1), M),
    "broadcast": (lambda x, y: paddle.broadcast_tensors([x, y])[0], lambda x, y: x.expand(4, 3), real(1, 3), real(4, 1)),
    "celu": (lambda x: F.celu(x, 0.3), lambda x: TF.celu(x, 0.3), M), "glu": (F.glu, TF.glu, M),
    "maxout": (lambda x: F.maxout(x, 2), lambda x: x.reshape(2, 3, 2, 4, 4).amax(2), PICTURE),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1), lambda x: TF.max_pool1d(x, 3, 2, 1), LINE),
    "avg_pool1d": (nn.AvgPool1D(2, padding=1, exclusive=False), lambda x: TF.avg_pool1d(x, 2, padding=1), LINE),
    "adaptive_1d": (lambda x: F.adaptive_avg_pool1d(x, 4), lambda x: TF.adaptive_avg_pool1d(x, 4), LINE),
    "adaptive_max_1d": (lambda x: F.adaptive_max_pool1d(x, 4), lambda x: TF.adaptive_max_pool1d(x, 4), LINE),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), lambda x: TF.max_pool3d(x, 2), VOLUME),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, 1), lambda x: TF.avg_pool3d(x, 2, 1), VOLUME),
    "adaptive_3d": (lambda x: F.adaptive_avg_pool3d(x, [2, 1, 4]), lambda x: TF.adaptive_avg_pool3d(x, (2, 1, 4)), VOLUME),
    "adaptive_max_3d": (lambda x: F.adaptive_max_pool3d(x, 2), lambda x: TF.adaptive_max_pool3d(x, 2), VOLUME),
    "turned_1d": (lambda x, w: F.conv1d_transpose(x, w, stride=2, output_padding=1),
                  lambda x, w: TF.conv_transpose1d(x, w, stride=2, output_padding=1), LINE, real(3, 2, 3)),
    "turned_3d": (lambda x, w: F.conv3d_transpose(x, w, padding=1), lambda x, w: TF.conv_transpose3d(x, w, padding=1), VOLUME,
                  real(2, 3, 3, 3, 3)),
    "response": (lambda x: F.local_response_norm(x, 3, 0.5), lambda x: TF.local_response_norm(x, 3, 0.5), PICTURE),
    "area": (lambda x: F.interpolate(x, size=[2, 3], mode="area"), lambda x: TF.interpolate(x, (2, 3), mode="area"), PICTURE),
    "pad_all": (lambda x: F.pad(x, [1, 0, 0, 2], value=0.5), lambda x: TF.pad(x, (0, 2, 1, 0), value=0.5), M),
    "zeropad": (lambda x: F.zeropad2d(x, [1, 0, 2, 1]), lambda x: TF.pad(x, (1, 0, 2, 1)), PICTURE),
    "pad_1d": (nn.Pad1D([1, 2], "replicate"), lambda x: TF.pad(x, (1, 2), "replicate"), LINE),
    "pad_2d": (nn.Pad2D(1, value=2.0), lambda x: TF.pad(x, (1,) * 4, value=2), PICTURE),
    "pad_3d": (nn.Pad3D(1), lambda x: TF.pad(x, (1,) * 6), VOLUME),
    "fluid_pad2d": (lambda x: fluid.layers.pad2d(x, [1, 2, 0, 1], "edge"),
                    lambda x: TF.pad(x, (0, 1, 1, 2), "replicate"), PICTURE),
    "soft_relu": (lambda x: fluid.layers.soft_relu(x, 0.5), lambda x: (1 + x.clamp(-0.5, 0.5).exp()).log(), M),
    "shuffle": (nn.PixelShuffle(2), lambda x: TF.pixel_shuffle(x, 2), real(1, 8, 3, 3)),
    "nearest": (nn.UpsamplingNearest2D(scale_factor=2), lambda x: TF.interpolate(x, scale_factor=2.0), PICTURE),
    "bilinear": (nn.UpsamplingBilinear2D([7, 9]),
                 lambda x: TF.interpolate(x, (7, 9), mode="bilinear", align_corners=True), PICTURE),
    "softmax_2d": (nn.Softmax2D(), lambda x: x.softmax(1), PICTURE),
    "cosines": (nn.CosineSimilarity(), TF.cosine_similarity, real(4, 3), real(4, 3)),
    "weighed": (lambda x, y: F.cross_entropy(x, y, paddle.assign(WEIGHTS), ignore_index=2),
                lambda x, y: TF.cross_entropy(x, y[:, 0], torch.tensor(WEIGHTS), ignore_index=2), real(4, 3), CLASSES),
    "weighed_nll": (lambda x, y: F.nll_loss(F.log_softmax(x), paddle.squeeze(y, -1), paddle.assign(WEIGHTS)),
                    lambda x, y: TF.cross_entropy(x, y[:, 0], torch.tensor(WEIGHTS)), real(4, 3), CLASSES),
    "smoothed": (lambda x, y: F.cross_entropy(x, F.label_smooth(F.one_hot(paddle.squeeze(y, -1), 3), epsilon=0.3),
                                              soft_label=True),
                 lambda x, y: TF.cross_entropy(x, y[:, 0], label_smoothing=0.3), real(4, 3), CLASSES),
    "pos_weight": (lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=paddle.assign(WEIGHTS)),
                   lambda x, y: TF.binary_cross_entropy_with_logits(x, y, pos_weight=torch.tensor(WEIGHTS)), real(4, 3), YES),
    "log_loss": (lambda x, y: F.log_loss(F.sigmoid(x), y),
                 lambda x, y: -(y * (x.sigmoid() + 1e-4).log() + (1 - y) * (1 - x.sigmoid() + 1e-4).log()), real(4, 3), YES),
    "dice": (lambda x, y: F.dice_loss(F.softmax(x), y), dice, real(4, 3), CLASSES),
    "focal": (F.sigmoid_focal_loss, focal, real(4, 3), YES),
    "hinge": (nn.HingeEmbeddingLoss(0.7), lambda x, y: TF.hinge_embedding_loss(x, y, 0.7), real(4, 3), SIGNS),
    "cosine_loss": (nn.CosineEmbeddingLoss(0.1), lambda a, b, y: TF.cosine_embedding_loss(a, b, y, 0.1), real(4, 3), real(4, 3),
                    SIGNS[:, 0]),
}


def on_ipu(results, feed):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(list(feed), results)
    return static.Executor(paddle.IPUPlace()).run(program, feed, results)


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_torch(name):
    ours, theirs, *arrays = CASES[name]
    given = [static.data(f"x{i}", a.shape, str(a.dtype)) for i, a in enumerate(arrays)]
    given[0].stop_gradient = False
    y = ours(*given)
    weight = static.data("weight", y.shape)
    tensors = [torch.from_numpy(np.array(a)) for a in arrays]
    wanted = theirs(tensors[0].requires_grad_(), *tensors[1:])
    feed = {v.name: a for v, a in zip(given, arrays)}
    fed = {**feed, "weight": real(*y.shape)}
    result, gradient = static.Executor().run(feed=fed, fetch_list=[y, *static.gradients([y], [given[0]], [weight])])
    assert result.size == wanted.numel() and result.shape[-wanted.dim():] == tuple(wanted.shape) or wanted.dim() == 0
    wanted.backward(torch.from_numpy(fed["weight"]).reshape(wanted.shape))
    for found in (result, on_ipu([y.name], feed)[0]):
        np.testing.assert_allclose(found.reshape(wanted.shape), wanted.detach(), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(gradient, tensors[0].grad, rtol=2e-3, atol=2e-4)


def test_what_is_true_of_numbers():
    values = np.array([1, np.inf, -np.inf, np.nan, 0], np.float32)
    x = static.data("x", [5])
    made = [paddle.isinf(x), paddle.isfinite(x), paddle.isclose(x, x), paddle.isclose(x, x, equal_nan=True),
            paddle.allclose(x, x * 1.0, equal_nan=True), paddle.equal_all(x, x), paddle.equal_all(x, paddle.ones([2])),
            paddle.count_nonzero(x), paddle.numel(x), paddle.rank(x)]
    found = [f.tolist() for f in static.Executor().run(feed={"x": values}, fetch_list=made)]
    assert found[0] == np.isinf(values).tolist() and found[1] == np.isfinite(values).tolist()
    assert found[2] == [True, True, True, False, True] and found[3] == [True] * 5
    assert found[4:] == [[True], [False], [False], [4], [5], [1]]


def test_what_a_constant_is_of():
    made = [paddle.full([2], 3), paddle.full([1], True, "bool"), paddle.full([1], np.bool_(False), "bool"),
            paddle.full([1], 2**30 + 1, "int64"), paddle.full([1], float("-inf"))]
    found = static.Executor().run(fetch_list=made)
    assert [f.dtype for f in found] == [np.float32, bool, bool, np.int64, np.float32]
    assert [f.tolist() for f in found] == [[3, 3], [True], [False], [2**30 + 1], [-np.inf]]


def test_a_counter_counts():
    counter = static.create_global_var([1], 3.0, "float32", persistable=True)
    assert paddle.increment(counter, 2.0) is counter
    exe = static.Executor()
    exe.run(static.default_startup_program())
    assert [exe.run(fetch_list=[counter])[0].item() for _ in range(3)] == [5, 7, 9]


@pytest.mark.parametrize("layer,shape", [(nn.Dropout2D(0.5), (4, 16, 3, 3)), (nn.Dropout3D(0.5), (4, 16, 2, 2, 2)),
                                         (lambda x: F.dropout(x, 0.5, axis=[0, 1]), (8, 8, 5))])
def test_whole_channels_are_dropped(layer, shape):
    y = layer(static.data("x", shape))
    found, = static.Executor().run(feed={"x": np.ones(shape, np.float32)}, fetch_list=[y])
    channels = found.reshape(shape[0] * shape[1], -1)
    assert set(found.ravel()) == {0.0, 2.0} and (channels == channels[:, :1]).all()
    assert 0.25 < (channels[:, 0] == 0).mean() < 0.75


@pytest.mark.parametrize("layer,theirs,shape", [
    (lambda **k: nn.Conv1D(3, 4, 3, padding=1, **k), lambda x, w: TF.conv1d(x, w, padding=1), LINE.shape),
    (lambda **k: nn.Conv3D(2, 4, 2, groups=2, **k), lambda x, w: TF.conv3d(x, w, groups=2), VOLUME.shape),
    (lambda **k: nn.Conv1DTranspose(3, 4, 3, 2, **k), lambda x, w: TF.conv_transpose1d(x, w, stride=2), LINE.shape),
    (lambda **k: nn.Conv3DTranspose(2, 3, 2, **k), TF.conv_transpose3d, VOLUME.shape),
], ids=["1d", "3d", "turned 1d", "turned 3d"])
def test_convolutions_of_lines_and_volumes(layer, theirs, shape):
    x = real(*shape)
    y = layer(weight_attr="w", bias_attr=False)(static.data("x", shape))
    exe = static.Executor()
    exe.run(static.default_startup_program())
    w = torch.from_numpy(np.array(static.global_scope().find_var("w").get_tensor()))
    np.testing.assert_allclose(exe.run(feed={"x": x}, fetch_list=[y])[0], theirs(torch.from_numpy(x), w), rtol=1e-3, atol=1e-4)


def test_layers_by_name():
    layers = nn.LayerDict({"one": nn.Linear(2, 3), "two": nn.Linear(3, 4)})
    layers["three"] = nn.ReLU()
    assert list(layers) == ["one", "two", "three"] and len(layers.parameters()) == 4 and "two" in layers
    del layers["two"]
    assert [name for name, _ in layers.named_parameters()] == ["one.weight", "one.bias"] and len(layers) == 2
    layers.clear()
    assert not layers.parameters()


@pytest.mark.parametrize("call,kind,text", [
    (lambda x: F.maxout(x, 4), ValueError, "multiple of groups=4"), (lambda x: F.pixel_shuffle(x, 2), ValueError, "2 x 2"),
    (lambda x: F.max_pool1d(x, 2, return_mask=True), NotImplementedError, "return_mask"),
    (lambda x: paddle.var(static.data("open", [-1, 2]), 0), NotImplementedError, "give its length"),
    (lambda x: paddle.repeat_interleave(x, [1, 2]), NotImplementedError, "by element"),
    (lambda x: nn.SyncBatchNorm(6), NotImplementedError, "BatchNorm2D"),
    (lambda x: fluid.layers.pad2d(x, mode="wrap"), ValueError, "wrap"),
])
def test_what_is_not_possible(call, kind, text):
    with pytest.raises(kind, match=text):
        call(static.data("x", PICTURE.shape))
