# SPDX-License-Identifier: MIT
"""Shards, pipelines, replicas, accumulation and half precision give the plain run's numbers; optimisers those of the CPU."""
import numpy as np
import pytest

import paddle
from paddle import static, unique_name

X = np.random.RandomState(0).randn(64, 8).astype(np.float32)
FEED = {"x": X, "y": X[:, :3].argmax(1).reshape(-1, 1)}


@pytest.fixture(autouse=True)
def several(monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "8")


def build(optimizer):
    x, y = static.data("x", [-1, 8]), static.data("y", [-1, 1], "int64")
    with static.ipu_shard_guard(0, 0):
        slow = paddle.ParamAttr(learning_rate=0.5, need_clip=False)
        hidden = static.nn.fc(x, 16, weight_attr=slow, activation="relu")
    with static.ipu_shard_guard(1, 1):
        scores = static.nn.fc(hidden, 3)
    loss = paddle.mean(paddle.nn.functional.softmax_with_cross_entropy(scores, y))  # outside: with its inputs
    optimizer().minimize(loss)
    static.default_startup_program().random_seed = 5
    static.Executor().run(static.default_startup_program())
    return loss


def trained(optimizer, configure=None, steps=3):
    """Losses of the steps, and the first weights after them."""
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()), unique_name.guard():
        loss, exe = build(optimizer), static.Executor()
        program = backend = None
        if configure is not None:
            strategy = static.IpuStrategy()
            configure(strategy)
            compiled = static.IpuCompiledProgram(ipu_strategy=strategy)
            program, backend = compiled.compile(["x", "y"], [loss.name]), compiled._backend
        losses = [exe.run(program, feed=FEED, fetch_list=[loss])[0] for _ in range(steps)]
        if backend is not None:
            backend.weights_to_host()
            backend.detach()
        return losses, np.array(static.global_scope().array("fc_0.w_0"))


def momentum():
    return paddle.optimizer.Momentum(0.1, 0.9)


def plain(s):
    s.set_graph_config(micro_batch_size=4)
    s.set_pipelining_config(False, 4, True, 4)


def sharded(s):
    s.set_graph_config(num_ipus=2, micro_batch_size=4, enable_manual_shard=True)
    s.set_pipelining_config(False, 4, True, 4)


def pipelined(s):
    s.set_graph_config(num_ipus=2, micro_batch_size=4, enable_manual_shard=True)
    s.set_pipelining_config(True, 4, True, 4)


def averaged(s):
    s.set_graph_config(num_ipus=2, micro_batch_size=4)
    s.set_pipelining_config(False, 4, True, 4)
    s.set_options({"need_avg_shard": True})


def replicated(s):
    s.set_graph_config(num_ipus=2, micro_batch_size=4)
    s.set_pipelining_config(False, 4, True, 2)
    s.set_options({"enable_replicated_graphs": True, "replicated_graph_count": 2})


def half(s):
    plain(s)
    s.set_precision_config(enable_fp16=True)


@pytest.mark.parametrize("configure, shape, apart", [
    (sharded, (4, 4, 1), 0), (pipelined, (4, 4, 1), 0), (averaged, (4, 4, 1), 0), (replicated, (2, 2, 4, 1), 1e-6),
    (half, (4, 4, 1), 1e-2)])  # a relu may decide otherwise
def test_gives_the_plain_numbers(configure, shape, apart):
    expected, weights = trained(momentum, plain)
    losses, learnt = trained(momentum, configure)
    assert losses[0].shape == shape
    np.testing.assert_allclose([np.mean(v) for v in losses], [np.mean(v) for v in expected], rtol=2e-3 if apart else 1e-6)
    np.testing.assert_allclose(learnt, weights, atol=apart)


def batch(s):
    s.set_graph_config(micro_batch_size=64)


OPTIMIZERS = {
    "sgd": lambda: paddle.optimizer.SGD(0.05), "decay": lambda: paddle.optimizer.SGD(0.05, weight_decay=0.1),
    "clip": lambda: paddle.optimizer.SGD(0.5, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.1)),
    "momentum": momentum, "adam": lambda: paddle.optimizer.Adam(0.01),
    "adam_decay": lambda: paddle.optimizer.Adam(0.01, weight_decay=paddle.regularizer.L2Decay(0.1)),
    "adamw": lambda: paddle.optimizer.AdamW(0.01, weight_decay=0.1, apply_decay_param_fun=lambda n: n.endswith("w_0")),
    "lamb": lambda: paddle.optimizer.Lamb(0.01), "adamax": lambda: paddle.optimizer.Adamax(0.01),
    "adagrad": lambda: paddle.optimizer.Adagrad(0.01), "adadelta": lambda: paddle.optimizer.Adadelta(0.5),
    "rmsprop": lambda: paddle.optimizer.RMSProp(0.01),
    "schedule": lambda: paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.1, 1, 0.5)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_ipus_update_as_the_program_says(name):
    expected, weights = trained(OPTIMIZERS[name])
    losses, learnt = trained(OPTIMIZERS[name], batch)
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    np.testing.assert_allclose(learnt, weights, atol=2e-5)


def test_a_schedule_moves_on_the_ipu():
    schedule = paddle.optimizer.lr.PiecewiseDecay([1], [0.1, 0.0])
    loss = build(lambda: paddle.optimizer.SGD(schedule))
    strategy = static.IpuStrategy()
    batch(strategy)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x", "y"], [loss.name])
    exe, losses = static.Executor(), []
    for _ in range(3):
        losses.append(exe.run(program, feed=FEED, fetch_list=[loss])[0].item())
        schedule.step()
    assert losses[1] < losses[0] and losses[2] == losses[1]


@pytest.mark.parametrize("optimizer, words", [
    (lambda: paddle.optimizer.Momentum(0.1, use_nesterov=True), "use_nesterov"),
    (lambda: paddle.optimizer.SGD(0.1, grad_clip=paddle.nn.ClipGradByValue(1.0)), "ClipGradByGlobalNorm"),
    (lambda: paddle.optimizer.SGD(0.1, weight_decay=paddle.regularizer.L1Decay(0.1)), "L1Decay"),
    (lambda: paddle.optimizer.Adam(0.1, lazy_mode=True), "lazy_mode")])
def test_what_ipus_cannot_update_is_refused(optimizer, words):
    with pytest.raises(NotImplementedError, match=words):
        trained(optimizer, batch)


def test_a_pipeline_that_is_never_full():
    """Two stages and one batch a step: one IPU waits, and the numbers are right."""
    with static.ipu_shard_guard(0, 0):
        y = paddle.scale(static.data("x", [-1, 2]), 3.0)
    with static.ipu_shard_guard(1, 1):
        z = paddle.nn.functional.relu(y)
    strategy = static.IpuStrategy()
    strategy.set_graph_config(2, False, 1, True)
    strategy.set_pipelining_config(True, 1)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [z.name])
    assert static.Executor().run(program, {"x": np.array([[1, -2]], np.float32)}, [z])[0].tolist() == [[3, 0]]
