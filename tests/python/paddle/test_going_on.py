# SPDX-License-Identifier: MIT
"""Programs go on: after what failed, after a second startup, with evaluation between training steps. What does not fit an IPU
is told."""
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle import static, unique_name

X = np.random.RandomState(0).randn(8, 4).astype(np.float32)
Y = X.sum(1, keepdims=True)


def network(rate=0.1, norm=False):
    x, y = static.data("x", [-1, 4]), static.data("y", [-1, 1])
    hidden = static.nn.fc(x, 6, activation="tanh", weight_attr=paddle.ParamAttr(
        initializer=paddle.nn.initializer.Constant(0.3)))
    if norm:
        hidden = static.nn.batch_norm(hidden)
    loss = paddle.mean(paddle.square(static.nn.fc(hidden, 1) - y))
    paddle.optimizer.Adam(rate).minimize(loss)
    return loss


def state():
    variables = [v.name for v in static.default_main_program().list_vars() if v.persistable]
    return {name: np.array(static.global_scope().array(name)) for name in variables}


def compiled(loss, batches=1, **options):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=True, micro_batch_size=8 // batches)
    strategy.set_options({"batches_per_step": batches, **options})
    ipu = static.IpuCompiledProgram(ipu_strategy=strategy)
    return strategy, ipu, ipu.compile(["x", "y"], [loss.name])


def started():
    exe = static.Executor(paddle.IPUPlace())
    exe.run(static.default_startup_program())
    return exe


@pytest.mark.parametrize("more", [{}, {"batches_per_step": 2, "enable_gradient_accumulation": True, "accumulation_factor": 2,
                                       "micro_batch_size": 2}], ids=["plain", "accumulated"])
def test_an_evaluation_between_steps_learns_nothing(more):
    loss, exe = network(norm=True), started()
    strategy, ipu, program = compiled(loss, **more)

    def run(evaluates):
        strategy.set_options({"runtime_options.enable_eval": evaluates})
        return exe.run(program, feed={"x": X, "y": Y}, fetch_list=[loss])[0]
    first = run(False)
    ipu._backend.weights_to_host()
    before = state()
    found = [run(True) for _ in range(3)]
    assert found[0].shape == first.shape and np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0], first)
    ipu._backend.weights_to_host()
    for name, value in state().items():
        assert np.array_equal(value, before[name]), name
    np.testing.assert_allclose(run(False).reshape(-1)[0], found[0].reshape(-1)[0], rtol=1e-5)
    assert not np.array_equal(run(True), found[0])


def test_training_goes_on_as_if_nobody_had_looked():
    def trained(looks):
        paddle.seed(7)
        with unique_name.guard(), static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
            loss, exe = network(), started()
            strategy, ipu, program = compiled(loss)
            losses = []
            for evaluates in ([False, True, True, False, True, False] if looks else [False] * 3):
                strategy.set_options({"runtime_options.enable_eval": evaluates})
                found = exe.run(program, feed={"x": X, "y": Y}, fetch_list=[loss])[0]
                losses += [] if evaluates else [float(found[0])]
            return losses
    assert trained(True) == trained(False)


def test_batch_norm_takes_the_statistics_that_it_says():
    x = static.data("x", [8, 4])
    fixed, moving = static.nn.batch_norm(x, is_test=True), static.nn.batch_norm(x, is_test=False)
    exe = started()
    wanted = exe.run(feed={"x": X}, fetch_list=[fixed, moving])
    exe.run(static.default_startup_program())
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False, micro_batch_size=8)
    ipu = static.IpuCompiledProgram(ipu_strategy=strategy)
    program = ipu.compile(["x"], [fixed.name, moving.name])
    for found, expected in zip(exe.run(program, feed={"x": X}, fetch_list=[fixed, moving]), wanted):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(wanted[1].mean(0), np.zeros(4), atol=1e-5)
    ipu._backend.weights_to_host()
    np.testing.assert_allclose(static.global_scope().array("batch_norm_1.w_1"), 0.1 * X.mean(0), rtol=1e-4, atol=1e-5)


def test_a_startup_program_runs_again():
    loss, exe = network(), started()
    first = state()
    exe.run(feed={"x": X, "y": Y}, fetch_list=[loss])
    assert not np.array_equal(state()["fc_0.w_0"], first["fc_0.w_0"])
    exe.run(static.default_startup_program())
    assert np.array_equal(state()["fc_0.w_0"], first["fc_0.w_0"])
    with unique_name.guard(), static.program_guard(static.Program(), static.Program()):  # the same names once more
        static.nn.fc(static.data("x", [8, 4]), 6)
        exe.run(static.default_startup_program())


@pytest.mark.parametrize("on_ipu", [False, True])
def test_a_feed_that_fails_loses_no_step(on_ipu):
    loss, exe = network(), started()
    program = compiled(loss)[2] if on_ipu else static.default_main_program()
    losses = []
    for feed in (X, X[:, :3], X, "no numbers", X):
        try:
            losses.append(float(exe.run(program, feed={"x": feed, "y": Y}, fetch_list=[loss])[0][0]))
        except (TypeError, ValueError):
            pass
    assert len(losses) == 3 and losses == sorted(losses, reverse=True)


def test_a_startup_program_takes_over_the_names_of_another_model():
    """Names begin again; sizes are others."""
    exe, found = static.Executor(paddle.CPUPlace()), []
    for size in (3, 5, 3):
        main, startup = static.Program(), static.Program()
        with unique_name.guard(), static.program_guard(main, startup):
            x = static.data("x", [2, size])
            y = static.nn.fc(x, size + 1, weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.5)))
            loss = paddle.mean(y)
            paddle.optimizer.Momentum(0.1, 0.9).minimize(loss)
        exe.run(startup)
        first, = exe.run(main, {"x": np.ones((2, size), np.float32)}, [y])
        second, = exe.run(main, {"x": np.ones((2, size), np.float32)}, [y])
        np.testing.assert_allclose(first, np.full((2, size + 1), size / 2), rtol=1e-6)
        assert (second < first).all()
        found.append((main, y))
    with pytest.raises(ValueError, match=r"X of shape \[2,5\] has 5 columns, and Y of shape \[3,4\] has 3 rows"):
        exe.run(found[1][0], {"x": np.ones((2, 5), np.float32)}, [found[1][1]])  # the weights are another model's by now


def test_a_loader_that_raises_may_be_used_again():
    class Rows(paddle.io.Dataset):
        fails = True

        def __len__(self):
            return 4

        def __getitem__(self, i):
            if i == 2 and Rows.fails:
                raise OSError("the disk is gone")
            return X[i], Y[i]
    loss, exe = network(), started()
    loader = paddle.io.DataLoader(Rows(), batch_size=1, return_list=True)

    def epoch():
        return [exe.run(feed={"x": np.asarray(x), "y": np.asarray(y)}, fetch_list=[loss]) for x, y in loader]
    with pytest.raises(Exception, match="the disk is gone"):
        epoch()
    Rows.fails = False
    assert len(epoch()) == 4


def test_a_program_that_does_not_fit_is_told(tmp_path):
    (tmp_path / "small.chip").write_text("base = ipu2\nname = small\ntiles = 4\n")
    for size, there in ((8, False), (1200, True)):
        program = f"""
import numpy as np, paddle
from paddle import static
paddle.enable_static()
y = static.nn.fc(static.data("x", [2, {size}]), {size})
exe = static.Executor(paddle.IPUPlace())
exe.run(static.default_startup_program())
strategy = static.IpuStrategy()
strategy.set_graph_config(is_training=False, micro_batch_size=2)
program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])
print(exe.run(program, feed={{"x": np.ones((2, {size}), np.float32)}}, fetch_list=[y])[0].shape)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=dict(
            os.environ, OPENIPU_CHIP=str(tmp_path / "small.chip")))
        assert f"(2, {size})" in done.stdout, done.stderr
        assert ("does not fit the IPU's memory" in done.stderr) == there, done.stderr
