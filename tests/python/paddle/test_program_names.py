# SPDX-License-Identifier: MIT
"""Names and options that programs for IPUs reach for: descriptions of operators, states, layers with more arguments."""
import numpy as np
import popart
import pytest
import torch
import torch.nn.functional as F

import paddle
from paddle import fluid, static, vision
from paddle.ipu import options

PICTURE = np.random.RandomState(1).randn(2, 3, 5, 4).astype(np.float32)


def run(made, feed):
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    return exe.run(feed=feed, fetch_list=[made])[0]


def test_an_operator_describes_itself():
    with static.ipu_shard_guard(1, 2):
        y = paddle.nn.functional.relu(static.data("x", [2]))
    desc = y.op.desc
    assert desc.type() == "relu" and desc.input("X") == ["x"] and desc.output_arg_names() == [y.name]
    assert desc.has_attr("ipu_index") and desc.attr("ipu_index") == 1 and desc.attr("ipu_stage") == 2
    assert "ipu_stage" in desc.attr_names() and desc.input_names() == ["X"]
    desc._set_attr("ipu_index", 0)
    desc.set_type("tanh")
    assert y.op.attr("ipu_index") == 0
    assert np.allclose(run(y, {"x": np.array([1, -1], np.float32)}), np.tanh([1, -1]))


def test_the_state_of_a_program():
    static.nn.fc(static.data("x", [2, 3]), 2, weight_attr=paddle.ParamAttr(name="w"), bias_attr=False)
    loss = paddle.mean(static.default_main_program().global_block().ops[-1].block.var("fc_0.tmp_0"))
    paddle.optimizer.Momentum(0.1).minimize(loss)
    program = static.default_main_program()
    with pytest.raises(ValueError, match="'w' in the Scope.*startup program"):
        program.state_dict()
    static.Executor(paddle.CPUPlace()).run(static.default_startup_program())
    parameters, others, everything = (program.state_dict(mode) for mode in ("param", "opt", "all"))
    assert list(parameters) == ["w"] and "w" not in others and {**parameters, **others}.keys() == everything.keys()
    assert parameters["w"]._dtype() == paddle.float32 and parameters["w"].shape() == [3, 2]
    program.set_state_dict({"w": np.full((3, 2), 7, np.float32)})
    assert np.array_equal(np.array(static.global_scope().find_var("w").get_tensor()), np.full((3, 2), 7))
    with pytest.warns(UserWarning, match="no variable 'v'"):
        program.set_state_dict({"v": np.ones(1)})
    with pytest.raises(ValueError, match="received params"):
        program.state_dict("params")


def test_the_outer_fragment_of_accumulation_is_a_schedule_and_what_takes_no_part():
    strategy = static.IpuStrategy()
    strategy.set_options({"accumulate_outer_fragment": {3: [0, 1]},
                          "schedule_non_weight_update_gradient_consumers_early": True})
    session = strategy.session_options()
    made = session.accumulateOuterFragmentSettings
    assert made.schedule == popart.AccumulateOuterFragmentSchedule.OverlapMemoryOptimized
    assert made.excludedVirtualGraphs == [0, 1] and session.scheduleNonWeightUpdateGradientConsumersEarly
    for wrong in ({7: []}, {0: [], 1: []}, 3):
        with pytest.raises(TypeError, match="accumulate_outer_fragment"):
            strategy.set_options({"accumulate_outer_fragment": wrong})
    with pytest.raises(TypeError, match="auto_recomputation cannot be 99.*NoRecompute=0"):
        strategy.set_options({"auto_recomputation": 99})


def test_every_number_and_text_of_popart_is_an_option():
    session = popart.SessionOptions()
    others = {"defaultPrefetchBufferingDepth"}  # default_prefetch_buffering_depth sets the one that it is another name of
    for name in dir(session):
        if isinstance(getattr(session, name), (bool, int, float, str)) and not name.startswith("_") and name not in others:
            assert name in options.SESSION.values(), name


def test_options_with_their_types():
    strategy = static.IpuStrategy()
    strategy.set_options({"batches_per_step": 3})
    inside = strategy._ipu_strategy
    assert inside.get_option("batches_per_step") == {"name": "batches_per_step", "type": "uint64", "value": 3}
    assert inside.get_option("enable_fp16")["type"] == "bool" and inside.get_option("lr")["type"] == "double"
    for name in inside.get_all_option_names():
        inside.get_option(name)
    strategy.set_options({"enable_model_runtime_executor": True, "hardware_instrumentations": {0, 1}})
    assert strategy.get_option("enable_model_runtime_executor") is True
    outer, inner = popart.Instrumentation.Outer, popart.Instrumentation.Inner
    assert set(strategy.session_options().hardwareInstrumentations) == {outer, inner}
    assert inside.get_option("engine_options") == {"name": "engine_options", "type": "map", "value": {}}
    assert static.IpuStrategy().get_option("accumulate_outer_fragment") == {1: []}


def test_every_number_and_flag_may_be_another():
    """As a program that goes through all options does."""
    strategy = static.IpuStrategy()
    for name in strategy._ipu_strategy.get_all_option_names():
        option = strategy._ipu_strategy.get_option(name)
        others = {"bool": lambda v: not v, "uint64": lambda v: v + 1, "double": lambda v: v + 0.5}
        if option["type"] not in others or name == "is_dynamic":
            continue
        other = others[option["type"]](option["value"])
        strategy.set_options({name: other})
        assert strategy.get_option(name) == other, name


@pytest.mark.parametrize("replicas,reserved", [(1, 4), (2, 8)])
def test_three_ipus_reserve_four(replicas, reserved):
    x = static.data("x", [1, 4])
    y = x
    for index in range(3):
        with static.ipu_shard_guard(index):
            y = paddle.scale(y, 2.0, float(index))
    strategy = static.IpuStrategy()
    strategy.set_graph_config(num_ipus=3 * replicas, is_training=False, enable_manual_shard=True)
    if replicas > 1:
        strategy.set_options({"replicated_graph_count": replicas, "enable_replicated_graphs": True})
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])
    assert program._ipu_runner._device.numIpus == reserved
    given = np.arange(4 * replicas, dtype=np.float32).reshape(replicas, 4)
    found, = static.Executor(paddle.IPUPlace()).run(program, {"x": given}, [y])
    assert np.array_equal(found.reshape(given.shape), 8 * given + 4)


@pytest.mark.parametrize("padding,stride,dilation",
                         [(0, 1, 1), (1, 2, 1), ([1, 0], [2, 1], 2), ([[0, 0], [0, 0], [1, 0], [0, 1]], 1, 1)])
def test_a_transposed_convolution_by_the_size_of_its_output(padding, stride, dilation):
    x = static.data("x", PICTURE.shape)
    y = static.nn.conv2d_transpose(x, 4, output_size=[13, 12], padding=padding, stride=stride, dilation=dilation,
                                   param_attr=paddle.ParamAttr(name="filter"), bias_attr=False)
    assert y.shape == (2, 4, 13, 12)
    found = run(y, {"x": PICTURE})
    weights = torch.from_numpy(np.array(static.global_scope().find_var("filter").get_tensor()))
    if isinstance(padding, list) and isinstance(padding[0], list):
        whole = F.conv_transpose2d(torch.from_numpy(PICTURE), weights, stride=stride, dilation=dilation)[:, :, 1:, :-1]
    else:
        whole = F.conv_transpose2d(torch.from_numpy(PICTURE), weights, None, stride, padding, 0, 1, dilation)
    np.testing.assert_allclose(found[:, :, :whole.shape[2], :whole.shape[3]], whole[:, :, :13, :12], rtol=1e-3, atol=1e-4)


def test_a_transposed_convolution_without_sizes():
    x = static.data("x", PICTURE.shape)
    with pytest.raises(ValueError, match="output_size must be set"):
        static.nn.conv2d_transpose(x, 4)
    with pytest.raises(ValueError, match="no filter makes"):
        static.nn.conv2d_transpose(x, 4, output_size=2, stride=2)


@pytest.mark.parametrize("layout,shape", [("NCHW", (4, 3)), ("NCHW", (2, 3, 4, 5)), ("NHWC", (2, 4, 5, 3))])
def test_data_norm_scales_and_shifts_by_channels(layout, shape):
    given = np.random.RandomState(0).randn(*shape).astype(np.float32)
    first = {"batch_size": 10.0, "batch_sum": 5.0, "batch_square": 40.0, "scale_w": 3.0, "bias": 0.25}
    y = static.nn.data_norm(static.data("x", shape), param_attr=first, data_layout=layout, in_place=True,
                            do_model_average_for_mean_and_var=False, enable_scale_and_shift=True, name="norm")
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    total = static.global_scope().find_var("norm.batch_sum").get_tensor()
    total.set(np.array([5, 0, -5], np.float32))
    means = np.array([0.5, 0, -0.5], np.float32)
    means = means if layout == "NHWC" else means.reshape(3, *[1] * (len(shape) - 2))
    np.testing.assert_allclose(exe.run(feed={"x": given}, fetch_list=[y])[0], (given - means) * 0.5 * 3 + 0.25, rtol=1e-5,
                               atol=1e-6)
    assert "norm.scale_w" in [p.name for p in static.default_main_program().all_parameters()]
    with pytest.raises(NotImplementedError, match="sync_stats=True"):
        static.nn.data_norm(static.data("z", [2, 3]), sync_stats=True)


def test_older_modules():
    import paddle.base as base
    import paddle.fluid.core as core
    from paddle.fluid.framework import Program, program_guard
    from paddle.fluid.layer_helper import LayerHelper
    from paddle.fluid.layers.ops import exp
    from paddle.utils.unique_name import generate
    assert base is fluid and core is fluid.core and Program is static.Program and program_guard is static.program_guard
    assert exp is fluid.layers.exp and generate is fluid.unique_name.generate
    assert fluid.compiler.IpuCompiledProgram is static.IpuCompiledProgram
    import paddle.base.framework  # noqa: F401
    from paddle.base.layers import nn
    assert nn is fluid.layers and base.framework is fluid.framework
    assert base.layers.yolo_box is vision.ops.yolo_box
    x = static.data("x", [2])
    helper = LayerHelper("doubled", input=x)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(type="scale", inputs={"X": [x]}, outputs={"Out": [out]}, attrs={"scale": 2.0})
    assert out.shape == (2,) and run(out, {"x": np.array([1, 2], np.float32)}).tolist() == [2, 4]


def test_older_optimizers_and_initializers():
    """w, from 3: the gradient of mean(w) is twice 1/2, its length is limited to 1/2, and decay adds w / 10."""
    first = paddle.ParamAttr(name="w", initializer=fluid.initializer.ConstantInitializer(3.0))
    w = paddle.create_parameter([2], "float32", attr=first)
    held = paddle.create_parameter([2], "float32",
                                   attr=paddle.ParamAttr(name="held", initializer=fluid.initializer.Normal(5.0, 1e-6)))
    optimizer = fluid.optimizer.SGDOptimizer(0.5, parameter_list=[w], regularization=fluid.regularizer.L2DecayRegularizer(0.1),
                                             grad_clip=fluid.clip.GradientClipByGlobalNorm(0.5))
    optimizer.minimize(paddle.mean(w + held))
    assert isinstance(optimizer, paddle.optimizer.SGD)
    run(w, {})
    values = {n: np.array(v) for n, v in static.default_main_program().state_dict("param").items()}
    np.testing.assert_allclose(values["w"], [3 - 0.5 * (0.5 / 2 ** 0.5 + 0.3)] * 2, rtol=1e-6)
    np.testing.assert_allclose(values["held"], [5, 5], rtol=1e-5)


def test_an_operator_without_a_domain_is_one_of_poparts_own():
    y = paddle.nn.functional.relu(static.data("x", [2]))
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    strategy.add_custom_op("relu", "Neg", domain="")
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])
    assert static.Executor(paddle.IPUPlace()).run(program, {"x": np.array([1, -2], np.float32)}, [y])[0].tolist() == [-1, 2]


def test_feeds_have_fixed_shapes_behind_the_batch():
    y = paddle.scale(static.data("x", [-1, -1, 4]), 2.0)
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    with pytest.raises(Exception, match='"x" has an unknown extent in dimension 1.*Please check tensor shape setting'):
        static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])


def test_the_counts_of_an_accuracy_go_into_variables():
    scores, labels = static.data("scores", [4, 3]), static.data("labels", [4, 1], "int64")
    correct, total = (static.create_global_var([1], 0, "int32", persistable=True) for _ in range(2))
    share = static.accuracy(scores, labels, correct=correct, total=total)
    feed = {"scores": np.eye(4, 3, dtype=np.float32), "labels": np.array([[0], [1], [1], [2]])}
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    found = exe.run(feed=feed, fetch_list=[share, correct, total])
    assert [f.reshape(-1).tolist() for f in found] == [[0.5], [2], [4]]


def test_sums_of_what_stands_before_or_behind():
    x = static.data("x", [4])
    made = [paddle.cumsum(x, 0, exclusive=e, reverse=r) for e, r in ((True, False), (False, True), (True, True))]
    found = static.Executor(paddle.CPUPlace()).run(feed={"x": np.array([1, 2, 3, 4], np.float32)}, fetch_list=made)
    assert [f.tolist() for f in found] == [[0, 1, 3, 6], [10, 9, 7, 4], [9, 7, 4, 0]]


def test_layers_may_be_marked_static_before_the_mode_is():
    paddle.disable_static()

    class Doubled(paddle.nn.Layer):
        @paddle.jit.to_static
        def forward(self, x):
            return paddle.scale(x, 2.0)

        @paddle.jit.to_static(input_spec=[None])
        def other(self, x):
            return paddle.scale(x, 3.0)

    doubled, loss = Doubled(), paddle.nn.MSELoss()
    for refused in (lambda: doubled(paddle.to_tensor([1.0])), lambda: paddle.nn.Linear(2, 3)):
        with pytest.raises(RuntimeError, match="enable_static"):
            refused()
    paddle.enable_static()
    x = static.data("x", [1])
    assert run(loss(doubled(x), x), {"x": np.ones(1, np.float32)}).tolist() == [1]


def test_the_state_of_a_layer_by_names():
    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3))
    static.Executor(paddle.CPUPlace()).run(static.default_startup_program())
    names = set(layer.state_dict())
    assert {"0.weight", "0.bias", "1.weight"} <= names and not layer.state_dict(include_sublayers=False)
    assert set(layer.state_dict(structured_name_prefix="net.")) == {"net." + name for name in names}
    assert list(layer[0].state_dict({"first": 1})) == ["first", "weight", "bias"]


def test_pictures_whose_channels_are_turned_round():
    picture = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    turned = paddle.vision.transforms.Normalize([1, 2, 3], [1, 1, 2], to_rgb=True)(picture)
    assert np.array_equal(turned, (picture[::-1] - np.array([1, 2, 3]).reshape(3, 1, 1)) / np.array([1, 1, 2]).reshape(3, 1, 1))
    last = paddle.vision.transforms.normalize(picture.transpose(1, 2, 0), [1, 2, 3], [1, 1, 2], "HWC", to_rgb=True)
    assert np.array_equal(last.transpose(2, 0, 1), turned)


def test_norms_of_matrices():
    values = np.arange(-6, 6, dtype=np.float32).reshape(2, 3, 2)
    x = paddle.assign(values)
    found = static.Executor().run(fetch_list=[paddle.norm(x, axis=[0, 1]), paddle.norm(x, "fro", [-2, -1], keepdim=True),
                                              paddle.norm(x, axis=[1])])
    np.testing.assert_allclose(found[0], np.sqrt((values ** 2).sum((0, 1))), rtol=1e-6)
    np.testing.assert_allclose(found[1], np.sqrt((values ** 2).sum((1, 2), keepdims=True)), rtol=1e-6)
    np.testing.assert_allclose(found[2], np.sqrt((values ** 2).sum(1)), rtol=1e-6)
    with pytest.raises(NotImplementedError, match="of matrices is not there"):
        paddle.norm(x, 2, [0, 1])
