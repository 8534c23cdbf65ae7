# SPDX-License-Identifier: MIT
"""A static network from building to saved files: CPU executor, IPU training, both with the same numbers."""
import numpy as np
import pytest

import paddle
from paddle import static


def network(batch=-1, optimizer=None):
    x = static.data("x", [batch, 8], "float32")
    label = static.data("label", [batch, 1], "int64")
    hidden = static.nn.fc(x, 16, activation="relu")
    prediction = static.nn.fc(hidden, 3, activation="softmax")
    loss = paddle.fluid.layers.mean(paddle.fluid.layers.cross_entropy(prediction, label))
    test = static.default_main_program().clone(for_test=True)
    (optimizer or paddle.optimizer.Adam(0.01)).minimize(loss)
    return x, label, prediction, loss, test


def task(rows=64):
    x = np.random.RandomState(0).randn(rows, 8).astype(np.float32)
    return {"x": x, "label": x[:, :3].argmax(1).reshape(-1, 1).astype(np.int64)}


def state():
    scope = static.global_scope()
    variables = [v.name for v in static.default_main_program().list_vars() if v.persistable]
    return {name: np.array(scope.array(name)) for name in variables}


def restore(values):
    for name, value in values.items():
        static.global_scope().find_var(name).get_tensor().set(value)


def test_the_cpu_executor_learns():
    *_, loss, _ = network()
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    losses = [exe.run(feed=task(), fetch_list=[loss])[0][0] for _ in range(60)]
    assert losses[0] > 0.9 and losses[-1] < 0.2


def compiled(feeds, fetches, micro=4, batches=16, **graph):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=True, micro_batch_size=micro, **graph)
    strategy.set_pipelining_config(batches_per_step=batches)
    ipu = static.IpuCompiledProgram(ipu_strategy=strategy)
    return ipu, ipu.compile(feeds, fetches)


def test_ipu_and_cpu_train_alike():
    *_, prediction, loss, _ = network()
    exe = static.Executor(paddle.IPUPlace())
    exe.run(static.default_startup_program())
    first = state()
    data = task(32)
    on_cpu = [exe.run(feed={k: v[i:i + 4] for k, v in data.items()}, fetch_list=[loss])[0][0] for i in range(0, 32, 4)]
    learnt = state()
    restore(first)
    ipu, program = compiled(["x", "label"], [prediction.name, loss.name], batches=8)
    predictions, losses = exe.run(program, feed=data, fetch_list=[prediction, loss])
    assert predictions.shape == (8, 4, 3) and losses.shape == (8, 1)
    np.testing.assert_allclose(losses[:, 0], on_cpu, rtol=2e-4)
    assert np.array_equal(state()["fc_0.w_0"], first["fc_0.w_0"])
    ipu._backend.weights_to_host()
    for name, value in state().items():
        np.testing.assert_allclose(value, learnt[name], rtol=1e-3, atol=1e-5)


def test_a_saved_model_gives_the_same_bits(tmp_path):
    x, _, prediction, loss, test = network()
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    exe.run(feed=task(), fetch_list=[loss])
    expected, = exe.run(test, feed=task(), fetch_list=[prediction])
    static.save_inference_model(str(tmp_path / "net"), [x], [prediction], exe)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.pdiparams", "net.pdmodel"]
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "net"), exe)
        assert feeds == ["x"] and fetches[0].name == "save_infer_model/scale_0.tmp_0"
        result, = exe.run(program, feed={"x": task()["x"]}, fetch_list=fetches)
    assert np.array_equal(result, expected)


def test_names_are_those_of_paddles_files():
    network()
    names = [p.name for p in static.default_main_program().all_parameters()]
    assert names == ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]
    ops = [op.type for op in static.default_main_program().global_block().ops]
    assert ops[:8] == ["mul", "elementwise_add", "relu", "mul", "elementwise_add", "softmax", "cross_entropy2", "mean"]
    assert ops[8:10] == ["fill_constant", "mean_grad"] and ops[-4:] == ["adam"] * 4


@pytest.mark.parametrize("feed, words", [
    ({}, "'x', 'label' of the program is not fed"),
    ({"x": np.zeros((60, 8), np.float32), "label": np.zeros((64, 1), np.int64)}, "batches_per_step=16"),
    ({"x": np.zeros((64, 8), np.float32), "label": np.zeros((64, 1), np.float32)}, "must be int64"),
])
def test_wrong_feeds_are_named(feed, words):
    *_, loss, _ = network()
    exe = static.Executor(paddle.IPUPlace())
    exe.run(static.default_startup_program())
    _, program = compiled(["x", "label"], [loss.name])
    with pytest.raises(ValueError, match=words):
        exe.run(program, feed=feed, fetch_list=[loss])


def test_programs_take_turns_on_one_ipu(monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    *_, prediction, loss, test = network()
    exe, data = static.Executor(paddle.IPUPlace()), task()
    exe.run(static.default_startup_program())
    ipu, program = compiled(["x", "label"], [loss.name])
    losses = [exe.run(program, feed=data, fetch_list=[loss])[0].mean()]
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False, micro_batch_size=64)
    testing = static.IpuCompiledProgram(test, ipu_strategy=strategy).compile(["x"], [prediction.name])
    for _ in range(3):
        scores, = exe.run(testing, feed={"x": data["x"]}, fetch_list=[prediction])
        losses.append(exe.run(program, feed=data, fetch_list=[loss])[0].mean())
    assert scores.shape == (64, 3) and losses == sorted(losses, reverse=True)


def test_gradients_need_no_more_inputs_than_paddle_lists():
    """Where X is not listed (relu_grad of Paddle has Out alone), the name of its gradient says what it is."""
    *_, loss, _ = network()
    exe, data = static.Executor(), task()
    exe.run(static.default_startup_program())
    first = state()
    expected, learnt = exe.run(feed=data, fetch_list=[loss]), state()
    restore(first)
    for op in static.default_main_program().global_block().ops:
        if op.type in ("relu_grad", "softmax_grad"):
            del op._inputs["X"]
            assert list(op._inputs) == ["Out", "Out@GRAD"]
    static.default_main_program()._changed()
    assert np.array_equal(exe.run(feed=data, fetch_list=[loss]), expected)
    for name, value in state().items():
        assert np.array_equal(value, learnt[name]), name
