# SPDX-License-Identifier: MIT
"""paddle.fluid.layers' older names and arguments, and forms that older programs use."""
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import paddle
from paddle import fluid, static, unique_name

layers = fluid.layers
A = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
PICTURE = np.random.RandomState(1).randn(1, 3, 6, 6).astype(np.float32)


def run(function, *arrays):
    given = [static.data(f"x{i}", a.shape, str(a.dtype)) for i, a in enumerate(arrays)]
    made = function(*given)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    return static.Executor(paddle.CPUPlace()).run(feed={v.name: a for v, a in zip(given, arrays)}, fetch_list=[made])


@pytest.mark.parametrize("ours,theirs", [
    (lambda x: layers.cumsum(x, axis=1, reverse=True), lambda x: x.flip(1).cumsum(1).flip(1)),
    (lambda x: layers.cumsum(x, 2, exclusive=True), lambda x: x.cumsum(2) - x),
    (lambda x: layers.brelu(x, -0.5, 0.5), lambda x: x.clamp(-0.5, 0.5)),
    (lambda x: layers.argmin(x, 1), lambda x: x.argmin(1)), (lambda x: layers.sum([x, x]), lambda x: x + x),
    (lambda x: layers.expand(x, [2, 1, 3]), lambda x: x.repeat(2, 1, 3)),
    (lambda x: layers.strided_slice(x, [2], [0], [4], [2]), lambda x: x[:, :, ::2]),
    (lambda x: layers.reshape(x, [6, 4], inplace=True, act="relu"), lambda x: x.reshape(6, 4).relu()),
    (lambda x: layers.pow(x, factor=2.0), lambda x: x ** 2), (layers.tan, torch.tan), (layers.erf, torch.erf),
    (lambda x: layers.nn.cosh(x), torch.cosh), (lambda x: layers.Print(x, message="seen"), lambda x: x),
    (lambda x: layers.tril(input=x, diagonal=1), lambda x: x.tril(1)), (layers.triu, torch.triu),
    (lambda x: layers.maxout(x, 3, "name", 1), lambda x: x.amax(1, keepdim=True)),
    (lambda x: layers.eye(3, 4, [2]) + x, lambda x: torch.eye(3, 4) + x),
    (lambda x: layers.linspace(0.0, 1.0, 4, "float32") * x, lambda x: torch.linspace(0, 1, 4) * x),
], ids=str)
def test_operators_by_older_names(ours, theirs):
    np.testing.assert_allclose(run(ours, A)[0], theirs(torch.from_numpy(A)).numpy(), rtol=1e-4, atol=1e-5)


def test_operators_of_several_inputs_and_results():
    found, at = run(lambda x: layers.argsort(x, 2, True), A)
    wanted = torch.from_numpy(A).sort(2, True)
    assert np.array_equal(found, wanted[0]) and np.array_equal(at, wanted[1])
    target = np.abs(A)
    np.testing.assert_allclose(run(lambda x, y: layers.kldiv_loss(x, y, "batchmean"), A, target)[0].reshape(()), F.kl_div(
        torch.from_numpy(A), torch.from_numpy(target), reduction="batchmean"), rtol=1e-4)


def test_pools_and_channels():
    np.testing.assert_allclose(run(lambda x: layers.adaptive_pool2d(x, [2, 3], "avg"), PICTURE)[0],
                               F.adaptive_avg_pool2d(torch.from_numpy(PICTURE), (2, 3)), rtol=1e-4, atol=1e-5)
    scale = np.array([1.0, 2.0, 3.0], np.float32)
    np.testing.assert_allclose(run(lambda x, s, b: layers.affine_channel(x, s, b), PICTURE, scale, -scale)[0],
                               PICTURE * scale.reshape(3, 1, 1) - scale.reshape(3, 1, 1), rtol=1e-5)


def test_volumes_pixels_and_indices():
    x = np.random.RandomState(2).randn(1, 4, 3, 5, 6).astype(np.float32)
    with unique_name.guard():
        field = static.data("field", x.shape)
        y = layers.conv3d(field, 2, [2, 3, 1], padding=1, groups=2, act="relu")
        assert [p.name for p in static.default_main_program().all_parameters()] == ["conv3d_0.w_0", "conv3d_0.b_0"]
    executor = static.Executor(paddle.CPUPlace())
    executor.run(static.default_startup_program())
    y, w, b = executor.run(feed={"field": x}, fetch_list=[y, "conv3d_0.w_0", "conv3d_0.b_0"])
    assert w.shape == (2, 2, 2, 3, 1)
    np.testing.assert_allclose(y, F.conv3d(*map(torch.from_numpy, (x, w, b)), padding=1, groups=2).relu(), rtol=1e-4, atol=1e-5)
    found, = run(lambda x: layers.pixel_shuffle(x, upscale_factor=2), x[:, :, 0])
    assert np.array_equal(found, F.pixel_shuffle(torch.from_numpy(x[:, :, 0]), 2))
    found, = run(lambda x, i: layers.gather_nd(input=x, index=i), A, np.array([[1, 2], [0, 0]], np.int64))
    assert np.array_equal(found, A[[1, 0], [2, 0]])


def test_indices_stand_in_a_last_dimension():
    found, = run(lambda x: layers.one_hot(x, depth=4), np.array([[1], [3]], np.int64))
    assert found.tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    found, = run(lambda x: fluid.input.one_hot(x, depth=4), np.array([[1], [3]], np.int64))
    assert found.tolist() == [[[0, 1, 0, 0]], [[0, 0, 0, 1]]]


def test_older_modules():
    from paddle.fluid.layers.nn import layer_norm
    assert layer_norm is layers.layer_norm
    with pytest.raises(NotImplementedError, match="first_n"):
        layers.Print(static.data("x", [1]), first_n=2)


def test_clips_by_tensors():
    low, high = np.array([-0.5], np.float32), np.array([0.25], np.float32)
    assert np.array_equal(run(paddle.clip, A, low, high)[0], A.clip(-0.5, 0.25))


def test_names_have_generators_of_their_own():
    with unique_name.guard(unique_name.UniqueNameGenerator("own_")):
        assert unique_name.generate("fc") == "own_fc_0" and unique_name.generate("fc") == "own_fc_1"


@pytest.mark.parametrize("ours,theirs", [
    (layers.leaky_relu, lambda x: F.leaky_relu(x, 0.02)),
    (lambda x: layers.leaky_relu(x, alpha=0.3), lambda x: F.leaky_relu(x, 0.3)),
    (layers.hard_sigmoid, lambda x: (0.2 * x + 0.5).clamp(0, 1)), (lambda x: layers.relu6(x, 0.5), lambda x: x.clamp(0, 0.5)),
    (lambda x: layers.hard_swish(x, 2.0, 3.0, 1.0), lambda x: x * (x + 1).clamp(0, 2) / 3), (layers.gelu, F.gelu),
    (lambda x: layers.softshrink(x, alpha=0.2), lambda x: F.softshrink(x, 0.2)), (layers.logsigmoid, F.logsigmoid),
    (lambda x: layers.swish(x, beta=2.0), lambda x: x * torch.sigmoid(2 * x)),
    (layers.stanh, lambda x: 1.7159 * torch.tanh(0.67 * x)),
    (lambda x: layers.softmax(x, True), lambda x: x.softmax(-1)), (lambda x: layers.softmax(x, axis=1), lambda x: x.softmax(1)),
    (lambda x: layers.split(x, 2)[1], lambda x: x[:, :, 2:]), (lambda x: layers.split(x, [1, 2], dim=1)[1], lambda x: x[:, 1:]),
    (lambda x: layers.concat(input=[x, x], axis=1), lambda x: torch.cat([x, x], 1)),
    (lambda x: layers.expand_as(x, layers.ones([4, 3, 8], "float32")), lambda x: x.repeat(2, 1, 2)),
    (lambda x: layers.pad(x, [0, 1, 2, 0, 0, 3], pad_value=1.5), lambda x: F.pad(x, (0, 3, 2, 0, 0, 1), value=1.5)),
    (lambda x: layers.reverse(x, 1), lambda x: x.flip(1)),
    (lambda x: layers.l2_normalize(x, axis=2), lambda x: F.normalize(x, dim=2)),
    (lambda x: layers.mse_loss(x, layers.zeros([2, 3, 4], "float32")), lambda x: (x * x).mean().reshape(1)),
    (lambda x: layers.label_smooth(x, epsilon=0.2), lambda x: 0.8 * x + 0.05),
    (lambda x: layers.elementwise_add(x, layers.range(0, 4, 1, "float32")), lambda x: x + torch.arange(4)),
    (lambda x: layers.fill_constant_batch_size_like(x, [-1, 2], "float32", 3.0), lambda x: torch.full((2, 2), 3.0)),
], ids=str)
def test_arguments_and_defaults_of_their_time(ours, theirs):
    np.testing.assert_allclose(run(ours, A)[0], theirs(torch.from_numpy(A)).numpy(), rtol=1e-4, atol=1e-5)


def test_pictures_are_resized_with_aligned_corners():
    found, = run(lambda x: layers.resize_bilinear(x, out_shape=[9, 4]), PICTURE)
    np.testing.assert_allclose(found, F.interpolate(torch.from_numpy(PICTURE), (9, 4), mode="bilinear", align_corners=True),
                               rtol=1e-4, atol=1e-5)
    found, = run(lambda x: layers.image_resize(x, scale=2.0, resample="NEAREST", align_corners=False), PICTURE)
    np.testing.assert_allclose(found, F.interpolate(torch.from_numpy(PICTURE), scale_factor=2))


def test_the_batch_stands_before_the_shape_of_data():
    assert layers.data("a", [3, 4]).shape == (-1, 3, 4) and layers.data("b", [2, 4], False, "int64").shape == (2, 4)
    assert layers.data("c", [None, 4]).shape == (-1, 4) and fluid.data("d", [3, 4]).shape == (3, 4)


@pytest.mark.parametrize("call,kind,text", [
    (lambda x: layers.leaky_relu(x, 0.1, 0.2), TypeError, "leaky_relu"),
    (lambda x: layers.pad(x, [1, 2]), ValueError, "needs 6 numbers"),
    (lambda x: layers.expand_as(x, layers.ones([3, 3, 4], "float32")), ValueError, "whole number of times"),
    (lambda x: layers.image_resize(x, [2, 2], resample="AREA"), ValueError, "AREA"),
])
def test_arguments_that_do_not_fit(call, kind, text):
    with pytest.raises(kind, match=text):
        call(static.data("x", [2, 3, 4]))


def test_a_dtype_is_what_is_computed_in():
    """Halves whose sum no half can say."""
    given = np.full((2, 300), 300, np.float16)
    for function, expected in ((lambda x: paddle.cumsum(x, 1, dtype="float32")[:, -1], 90000),
                               (lambda x: paddle.prod(x[:, :3], 1, dtype="float32"), 2.7e7),
                               (lambda x: paddle.sum(x, 1, "float32"), 90000),
                               (lambda x: paddle.nn.functional.softmax(x, dtype="float32")[:, 0], 1 / 300),
                               (lambda x: paddle.nn.functional.log_softmax(x, dtype="float32")[:, 0], -np.log(300))):
        with static.program_guard(static.Program(), static.Program()):
            found, = run(function, given)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, [expected] * 2, rtol=1e-6)


def test_results_go_into_a_variable_that_is_given():
    x = static.data("x", [2])
    kept = paddle.zeros([2], "float32")
    assert layers.sums([x, x], out=kept) is kept
    other = paddle.tensor.fill_constant([2], "float32", 7.0, out=paddle.zeros([2], "float32"))
    less, either, none = (paddle.zeros([2], "bool") for _ in range(3))
    assert layers.less_than(x, other, force_cpu=True, cond=less) is less
    layers.logical_or(layers.greater_equal(x, other), less, out=either)
    assert layers.logical_not(either, out=none) is none
    with pytest.raises(TypeError, match="equal.*cond.*not.*out"):
        layers.equal(x, x, out=less)
    found = static.Executor(paddle.CPUPlace()).run(feed={"x": np.array([1, 9], np.float32)},
                                                   fetch_list=[kept, other, less, either, none])
    assert [f.tolist() for f in found] == [[2, 18], [7, 7], [True, False], [True, True], [False, False]]
