# SPDX-License-Identifier: MIT
"""Kernels of operators in C++ (PD_KERNEL), which compute on the CPU."""
import pathlib

import numpy as np
import paddle
import pytest
import torch
from paddle import static
from paddle.utils import cpp_extension

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def ops(tmp_path_factory):
    return cpp_extension.load("host_ops", [pathlib.Path(__file__).resolve().parent / "custom/kernels.cpp"],
                              build_directory=str(tmp_path_factory.mktemp("extensions")),
                              extra_include_paths=[str(ROOT / "frontends/paddle/include")])


def run(feed, fetches, place=paddle.CPUPlace):
    return static.Executor(place()).run(feed=feed, fetch_list=fetches)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64"])
def test_a_kernel_computes_in_the_type_of_its_inputs(ops, kind):
    x, y = static.data("x", [2, 3], kind), static.data("y", [2, 3], kind)
    out = ops.host_product(x, y, shift=2.0)
    a, b = np.arange(6).reshape(2, 3).astype(kind), np.arange(6, 12).reshape(2, 3).astype(kind)
    for place in (paddle.CPUPlace, paddle.IPUPlace):  # programs that are not compiled run on the CPU
        found, = run({"x": a, "y": b}, [paddle.add(out, x)], place)
        np.testing.assert_array_equal(found, a * b + 2 + a)


def test_what_stands_before_it_is_trained(ops):
    """Two kernels in a row, with shared inputs, against torch."""
    given = np.random.RandomState(0).randn(4, 3).astype(np.float32)
    x = static.data("x", [4, 3])
    h = static.nn.fc(x, 2, weight_attr=paddle.ParamAttr(name="w", initializer=paddle.nn.initializer.Constant(0.3)),
                     bias_attr=False)
    loss = paddle.mean(ops.host_product(ops.host_product(h, h, 1.0), h, -2.0))
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    w = torch.full((3, 2), 0.3, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.1)
    for _ in range(3):
        found, = exe.run(feed={"x": given}, fetch_list=[loss])
        z = torch.from_numpy(given) @ w
        expected = ((z * z + 1) * z - 2).mean()
        np.testing.assert_allclose(float(np.ravel(found)[0]), float(expected), rtol=1e-5)
        optimizer.zero_grad()
        expected.backward()
        optimizer.step()
    np.testing.assert_allclose(np.array(static.global_scope().find_var("w").get_tensor()), w.detach(), rtol=1e-5)


def test_several_outputs_and_inputs(ops):
    x, others = static.data("x", [-1, 2]), [static.data("a", [3]), static.data("b", [1])]
    total, count = ops.host_counted(x, others, "negative")
    feed = {"x": np.ones((4, 2), np.float32), "a": np.array([1, 2, 3], np.float32), "b": np.array([10], np.float32)}
    found = run(feed, [total, count])
    assert [float(found[0][0]), int(found[1][0])] == [23.0, 12]
    feed["x"] = np.ones((5, 2), np.float32)  # another number of rows
    assert int(run(feed, [count])[0][0]) == 14


@pytest.mark.parametrize("used", ["A", "B", "AB"])
def test_gradients_of_outputs_that_nobody_uses_are_zeros(ops, used):
    x = static.data("x", [3])
    x.stop_gradient = False
    outputs = dict(zip("AB", ops.host_twice(x)))
    loss = sum((paddle.sum(outputs[name] * outputs[name]) for name in used), paddle.zeros([1]))
    gradient, = static.gradients(loss, x)
    given = np.array([1, 2, -3], np.float32)
    found, = run({"x": given}, [gradient])
    factor = {"A": 2 * 4, "B": 2 * 9, "AB": 2 * 13}[used]
    np.testing.assert_allclose(found, factor * given, rtol=1e-6)


def test_a_gradient_that_nobody_fetches_costs_nothing(ops):
    x = static.data("x", [3])
    x.stop_gradient = False
    out = paddle.mean(ops.host_product(x, x, 0.0))
    static.gradients(out, x)
    assert float(np.ravel(run({"x": np.ones(3, np.float32)}, [out])[0])[0]) == 1


def test_a_saved_program_has_its_kernels(ops, tmp_path):
    x = static.data("x", [2, 3])
    static.save_inference_model(str(tmp_path / "model"), [x], [ops.host_product(x, x, 1.0)], static.Executor())
    program, feeds, fetches = static.load_inference_model(str(tmp_path / "model"), static.Executor())
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    found, = static.Executor().run(program, {feeds[0]: given}, fetches)
    np.testing.assert_array_equal(found, given * given + 1)


@pytest.mark.parametrize("name,kind,error,text", [
    ("host_without", "float32", NotImplementedError, "host_without .*has no kernel for the CPU.*SetKernelFn.*add_custom_op"),
    ("host_none", "float32", ValueError, r"kernel gave nothing; float32\[2\] was declared"),
    ("host_flat", "float32", ValueError, r"kernel gave float32\[2\]; float32\[1, 2\] was declared"),
    ("host_empty", "float32", ValueError, "kernel gave a tensor without values"),
    ("host_large", "int64", ValueError, "kernel gave .* values that do not fit into int32"),
    ("host_refuses", "float32", ValueError, "It is for numbers from 0, not -1"),
    ("host_throws", "float32", ValueError, "threw something that is no std::exception"),
    ("host_in_place", "float32", ValueError, "kernel returns nothing.*write into their inputs are not there"),
])
def test_kernels_that_do_not_fit(ops, name, kind, error, text):
    x = static.data("x", [1, 2] if name == "host_flat" else [2], kind)
    out = getattr(ops, name)(x)
    given = -np.ones(x.shape, kind)
    for _ in range(2):  # the second run says the same
        with pytest.raises(error, match=text):
            run({"x": given}, [out])


def test_a_program_goes_on_after_a_kernel_has_refused(ops):
    x = static.data("x", [2])
    out = ops.host_refuses(x)
    for sign in (1, -1, 1):
        given = sign * np.ones(2, np.float32)
        if sign < 0:
            with pytest.raises(ValueError, match="from 0"):
                run({"x": given}, [out])
        else:
            np.testing.assert_array_equal(run({"x": given}, [out])[0], given)
