# SPDX-License-Identifier: MIT
"""The wrong things that users try: Paddle's classes of errors, with names, values and a remedy."""
import numpy as np
import pytest

import paddle
from paddle import static


def compiled(fetch, configure=lambda s: s.set_graph_config(is_training=False), feeds=("x",)):
    strategy = static.IpuStrategy()
    configure(strategy)
    return static.IpuCompiledProgram(ipu_strategy=strategy).compile(list(feeds), [fetch])


def test_the_dynamic_graph_says_that_it_is_not_there():
    paddle.disable_static()
    with pytest.raises(RuntimeError, match="enable_static"):
        static.data("x", [1])
    with pytest.raises(RuntimeError, match="enable_static"):
        paddle.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="dynamic graph"):
        paddle.to_tensor([1.0]) + 1


@pytest.mark.parametrize("line, instead", [
    ("import paddle.amp", "paddle.static.amp"), ("from paddle import metric", "paddle.static.accuracy"),
    ("from paddle.fluid import dygraph", "no dynamic graph"), ("import paddle.distributed.fleet as fleet", "poprun"),
    ("paddle.no_grad()", "no dynamic graph"), ("paddle.jit.save", "no dynamic graph"), ("paddle.profiler", "autoReport.all")])
def test_what_programs_look_for_says_what_there_is_instead(line, instead):
    with pytest.raises((ModuleNotFoundError, AttributeError), match=f"is not in this package.*{instead}.*docs/paddle.md"):
        exec(line, {"paddle": paddle})
    assert paddle.static.accuracy and paddle.static.amp


@pytest.mark.parametrize("module, name", [(paddle, "fft"), (paddle.nn, "LSTM"), (paddle.static.nn, "while_loop"),
                                          (paddle.fluid.layers, "dynamic_lstm"), (paddle.optimizer, "LBFGS")])
def test_unknown_names_say_where_the_list_is(module, name):
    with pytest.raises(AttributeError, match=f"{name} is not in this package.*docs/paddle.md"):
        getattr(module, name)


def test_near_names_are_suggested():
    with pytest.raises(AttributeError, match="Did you mean paddle.static.program_guard"):
        static.program_gard


def test_unknown_operators_are_named():
    x = static.data("x", [2, 2])
    block = static.default_main_program().global_block()
    with pytest.raises(NotImplementedError, match='no operator "conv2d_fusion".*docs/paddle.md'):
        block.append_op("conv2d_fusion", {"X": x}, {"Out": block.create_var("y")})


def test_unknown_attributes_are_named():
    x = static.data("x", [2, 2])
    block = static.default_main_program().global_block()
    with pytest.raises(ValueError, match='softmax -> y.*no attribute "axsi".*Did you mean "axis"'):
        block.append_op("softmax", {"X": x}, {"Out": block.create_var("y")}, {"axsi": 0})
    with pytest.raises(ValueError, match="attribute axis must be an integer"):
        block.append_op("softmax", {"X": x}, {"Out": block.create_var("z")}, {"axis": "first"})
    block.append_op("softmax", {"X": x}, {"Out": block.create_var("u")}, {"use_cudnn": True, "op_device": ""})
    with pytest.raises(NotImplementedError, match="fuse_with_relu asks for another operator"):
        block.append_op("softmax", {"X": x}, {"Out": block.create_var("v")}, {"fuse_with_relu": True})


def test_shapes_that_do_not_fit_are_named_while_building():
    x = static.data("x", [2, 3])
    with pytest.raises(ValueError, match=r"\(InvalidArgument\).*matmul"):
        paddle.matmul(x, x)
    with pytest.raises(ValueError, match="3 columns.*4 rows"):
        paddle.fluid.layers.mul(x, static.data("y", [4, 2]))
    with pytest.raises(ValueError, match="axis 5"):
        paddle.nn.functional.softmax(x, 5)


def test_shard_indices_out_of_range():
    x = static.data("x", [2, 2])
    with static.ipu_shard_guard(index=3):
        y = paddle.nn.functional.relu(x)
    with pytest.raises(ValueError, match=r"index=3.*num_ipus=2"):
        compiled(y.name, lambda s: s.set_graph_config(2, False, 1, True))
    with pytest.raises(ValueError, match="index must be"):
        with static.ipu_shard_guard(index=-2):
            pass


def test_stages_on_two_ipus_and_gaps():
    x = static.data("x", [2, 2])
    with static.ipu_shard_guard(0, 0):
        y = paddle.nn.functional.relu(x)
    with static.ipu_shard_guard(1, 0):
        z = paddle.nn.functional.relu(y)

    def configure(s):
        s.set_graph_config(2, False, 1, True)
        s.set_pipelining_config(True, 4)
    with pytest.raises(ValueError, match="Stage 0 of the pipeline is on IPU 0 and on IPU 1"):
        compiled(z.name, configure)


def test_strategies_check_their_settings():
    s = static.IpuStrategy()
    with pytest.raises(RuntimeError, match="num_ipus > 1"):
        s.set_graph_config(1, enable_manual_shard=True)
    with pytest.raises(RuntimeError, match="enable_manual_shard=True"):
        s.set_pipelining_config(enable_pipelining=True)
    with pytest.raises(ValueError, match="Cannot find option: micro_batch. Did you mean micro_batch_size"):
        s.set_options({"micro_batch": 4})
    with pytest.raises(ValueError, match="Cannot find option"):
        s.get_option("nothing")
    with pytest.raises(ValueError, match="at least 1"):
        s.set_graph_config(num_ipus=0)
    with pytest.raises(TypeError, match="outline_threshold"):
        s.set_options({"outline_threshold": "much"})
    with pytest.raises(RuntimeError, match="dynamic graph"):
        s.set_optimizer(None)
    with pytest.raises(TypeError, match="Only accept paddle.nn.Layer or function"):
        static.set_ipu_shard(3)


def test_programs_that_are_not_ready():
    x = static.data("x", [2, 2])
    y = static.nn.fc(x, 1)
    with pytest.raises(ValueError, match="fc_0.w_0.*startup program"):
        static.Executor().run(feed={"x": np.zeros((2, 2), np.float32)}, fetch_list=[y])
    with pytest.raises(ValueError, match="startup program"):
        compiled(y.name)
    with pytest.raises(TypeError, match="must be compiled"):
        static.Executor().run(static.IpuCompiledProgram(), fetch_list=[y])
    with pytest.raises(ValueError, match="no loss"):
        compiled(y.name, lambda s: s.set_graph_config(is_training=True))
    with pytest.raises(TypeError, match="wrong, expected Program"):
        static.IpuCompiledProgram(3)
    with pytest.raises(ValueError, match="no variable 'nothing'"):
        compiled("nothing")
    with pytest.raises(TypeError, match="feed requires dict"):
        static.Executor().run(feed=3)


def rows(x=None, **more):
    return {"x": np.ones((4, 8), np.float32) if x is None else x, **more}


@pytest.mark.parametrize("feed, kind, words", [
    (rows(other=np.ones(2)), ValueError, 'no variable "other" to feed'),
    ({"x": None}, TypeError, "'x' is None"),
    (rows([[1, 2], [3]]), ValueError, "'x' is not an array"),
    (rows(np.array([["a"] * 8] * 4)), TypeError, "'x' has elements of type <U1"),
    (rows(np.ones((4, 7), np.float32)), ValueError, r"\[4, ?7\]"),
])
@pytest.mark.parametrize("ipu", [False, True])
def test_wrong_feeds(feed, kind, words, ipu):
    y = static.nn.fc(static.data("x", [-1, 8]), 3)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    program = compiled(y.name, lambda s: s.set_graph_config(is_training=False, micro_batch_size=4)) if ipu else None
    with pytest.raises(kind, match=words):
        exe.run(program, feed=feed, fetch_list=[y])


def test_rows_are_not_taken_for_columns():
    y = paddle.sum(static.data("x", [-1, 8]), axis=1)
    program = compiled(y.name, lambda s: (s.set_graph_config(is_training=False, micro_batch_size=4),
                                          s.set_pipelining_config(batches_per_step=2)))
    exe, values = static.Executor(), np.arange(64, dtype=np.float32)
    expected, = exe.run(program, feed={"x": values.reshape(8, 8)}, fetch_list=[y])
    assert np.array_equal(exe.run(program, feed={"x": values.reshape(2, 4, 8)}, fetch_list=[y])[0], expected)
    with pytest.raises(ValueError, match=r"\[4, 16\]; the program needs \[8, 8\].*batches_per_step=2"):
        exe.run(program, feed={"x": values.reshape(4, 16)}, fetch_list=[y])


def test_errors_of_popart_are_paddles():
    x = static.data("x", [-1, 2], "int64")
    y = paddle.cast(x, "float32")
    program = compiled(y.name)
    with pytest.raises(ValueError, match=r"\(InvalidArgument\) The value 1099511627776 of \"x\""):
        static.Executor().run(program, feed={"x": np.full((1, 2), 2**40)}, fetch_list=[y])
    with pytest.raises(ValueError, match="feed_list names 'x' more than once"):
        compiled(y.name, feeds=("x", "x"))
    with pytest.raises(ValueError, match="fetch_list is empty"):
        static.IpuCompiledProgram(ipu_strategy=_testing()).compile(["x"], [])
    with pytest.raises(TypeError, match="data 'z': a dimension is a number.*'a'"):
        static.data("z", [2, "a"])


def _testing():
    out = static.IpuStrategy()
    out.set_graph_config(is_training=False)
    return out


def test_fetching_what_was_not_compiled():
    x = static.data("x", [2, 2])
    y = paddle.nn.functional.relu(x)
    program = compiled(y.name)
    with pytest.raises(ValueError, match="compiled to fetch"):
        static.Executor().run(program, feed={"x": np.zeros((2, 2), np.float32)}, fetch_list=[x])


def test_no_ipus(monkeypatch):
    x = static.data("x", [2, 2])
    y = paddle.nn.functional.relu(x)
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    with pytest.raises(RuntimeError, match=r"\(Unavailable\) Can't attach IPU, ipu_num = 2. No device found on the system"):
        compiled(y.name, lambda s: (s.set_graph_config(2, False), s.set_options(
            {"enable_replicated_graphs": True, "replicated_graph_count": 2})))


def test_a_loss_of_several_numbers():
    x = static.data("x", [4, 2])
    with pytest.raises(ValueError, match="paddle.mean"):
        paddle.optimizer.SGD(0.1).minimize(static.nn.fc(x, 3))


def test_custom_operators_take_popart_s():
    x = static.data("x", [2, 2])
    block = static.default_main_program().global_block()
    y = block.create_var("y", [2, 2], "float32")
    block.append_op("my_swish", {"X": x}, {"Out": y}, infer=False)
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    strategy.add_custom_op("my_swish", "Swish", "ai.graphcore", 1)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], ["y"])
    value = np.array([[1, 2], [3, -4]], np.float32)
    result, = static.Executor().run(program, feed={"x": value}, fetch_list=["y"])
    np.testing.assert_allclose(result, value / (1 + np.exp(-value)), rtol=1e-5)


def test_custom_operators_take_their_attributes_along():
    x = static.data("x", [2, 4])
    block = static.default_main_program().global_block()
    y = block.create_var("y", [2, 4], "float32")
    block.append_op("my_leaky", {"X": x}, {"Out": y}, {"alpha": 0.25}, infer=False)
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    strategy.add_custom_op("my_leaky", "LeakyRelu", "ai.onnx", 6)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], ["y"])
    value = np.array([[1, 2, -1, -2], [3, -4, 0, 1]], np.float32)
    result, = static.Executor().run(program, feed={"x": value}, fetch_list=["y"])
    assert np.array_equal(result, np.where(value > 0, value, 0.25 * value))


def test_distribution_needs_poprun(monkeypatch):
    y = paddle.nn.functional.relu(static.data("x", [2, 2]))

    def configure(s):
        s.set_graph_config(is_training=False)
        s.set_options({"enable_distribution": True})
    with pytest.raises(RuntimeError, match="enable_distribution=True needs poprun"):
        compiled(y.name, configure)
    monkeypatch.setenv("POPDIST_NUM_TOTAL_REPLICAS", "4")
    monkeypatch.setenv("POPDIST_NUM_LOCAL_REPLICAS", "2")
    assert paddle.distributed.get_world_size() == 1
    with pytest.raises(ValueError, match="has 1 replicas of 1 IPUs .* gives each process 2 of 1"):
        compiled(y.name, configure)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    assert (paddle.distributed.get_rank(), paddle.distributed.get_world_size()) == (1, 2)


def norm(**kwargs):
    return paddle.nn.functional.instance_norm(static.data("x", [2, 3, 4, 4]), **kwargs)


@pytest.mark.parametrize("call, words", [
    (lambda: norm(data_format="NHWC"), "data_format='NHWC'"), (lambda: norm(use_input_stats=False), "use_input_stats=False"),
    (lambda: norm(running_mean=static.data("m", [3])), "running_mean="),
    (lambda: paddle.nn.InstanceNorm2D(3, data_format="NHWC")(static.data("x", [2, 4, 4, 3])), "data_format='NHWC'"),
    (lambda: paddle.nn.MultiHeadAttention(4, 2)(static.data("x", [1, 2, 4]), cache=()), r"MultiHeadAttention\(cache=\(\)"),
    (lambda: static.append_backward(paddle.mean(static.data("x", [2])), callbacks=[print]), "callbacks="),
    (lambda: static.Executor().run(use_prune=True), "use_prune=True"),
    (lambda: paddle.io.random_split([1, 2], [1, 1], generator=3), "generator=3"),
    (lambda: paddle.vision.transforms.Normalize(keys=["label"]), "keys="),
])
def test_options_that_are_not_there(call, words):
    with pytest.raises(NotImplementedError, match=words):
        call()


def test_misspelt_arguments_of_blocks():
    x, block = static.data("x", [2]), static.default_main_program().global_block()
    for call in (lambda: block.append_op(type="scale", inputs={"X": x}, outputs={"Out": block.create_var("y")},
                                         attr={"scale": 2.0}),
                 lambda: block.create_var(name="z", shape=[2], dtype="float32", persistent=True),
                 lambda: block.create_parameter(name="w", shape=[2], dtype="float32", trained=False)):
        with pytest.raises(TypeError, match="attr|persistent|trained"):
            call()
    start = static.default_startup_program().global_block()
    start.create_var(name="w", shape=[2], dtype="float32", persistable=True, initializer=paddle.nn.initializer.Constant(3.0))
    static.Executor().run(static.default_startup_program())
    assert static.global_scope().array("w").tolist() == [3, 3]
