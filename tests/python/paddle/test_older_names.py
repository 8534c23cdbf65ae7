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
