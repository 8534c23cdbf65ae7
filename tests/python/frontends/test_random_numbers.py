# SPDX-License-Identifier: MIT
"""Random numbers go on where they were when a program comes back to its device, whichever front end it is of: somebody else
may have had the device meanwhile."""
import numpy as np
import pytest

X = np.ones(64, np.float32)


@pytest.fixture(autouse=True)
def one_ipu(monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")


def poptorch_draws(disturbed):
    import poptorch
    import torch

    class Drawn(torch.nn.Module):
        def forward(self, x):
            return x * torch.rand_like(x)

    options = poptorch.Options()
    options.randomSeed(7)
    model = poptorch.inferenceModel(Drawn(), options)
    out = [model(torch.from_numpy(X)).numpy()]
    if disturbed:
        model.detachFromDevice()
        other = poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options())
        other(torch.from_numpy(X))
        other.destroy()
        model.attachToDevice()
    out.append(model(torch.from_numpy(X)).numpy())
    model.destroy()
    return out


def tensorflow_draws(disturbed):
    import tensorflow as tf
    from tensorflow.python import ipu
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    ipu.utils.reset_ipu_seed(7)
    strategy = ipu.ipu_strategy.IPUStrategy()
    drawn, other = tf.function(lambda x: tf.nn.dropout(x, 0.5)), tf.function(tf.nn.relu)
    with strategy.scope():
        out = [strategy.run(drawn, [tf.constant(X)]).numpy()]
        if disturbed:
            strategy.run(other, [tf.constant(X)])
        out.append(strategy.run(drawn, [tf.constant(X)]).numpy())
    ipu.config.reset_ipu_configuration()
    return out


def paddle_draws(disturbed):
    import paddle
    from paddle import static
    paddle.enable_static()

    def compiled(of):
        program = static.Program()
        with static.program_guard(program, static.Program()):
            y = of(static.data("x", [1, 64]))
        strategy = static.IpuStrategy()
        strategy.set_graph_config(is_training=False, micro_batch_size=1)
        strategy.set_options({"random_seed": 7})
        own = static.IpuCompiledProgram(program, ipu_strategy=strategy)
        return own, own.compile(["x"], [y.name]), y

    def run(program):
        own, made, y = program
        return exe.run(made, feed={"x": X[None]}, fetch_list=[y])[0]
    exe = static.Executor(paddle.IPUPlace())
    drawn = compiled(lambda x: x * paddle.uniform([1, 64]))
    out = [run(drawn)]
    if disturbed:
        other = compiled(paddle.nn.functional.relu)
        run(other)
    out.append(run(drawn))
    for own, _, _ in (drawn, other) if disturbed else (drawn,):
        own._backend.detach()
    return out


@pytest.mark.parametrize("draws", [poptorch_draws, tensorflow_draws, paddle_draws])
def test_they_go_on(draws):
    alone, between = draws(False), draws(True)
    assert not np.array_equal(*alone)
    np.testing.assert_array_equal(between, alone)
