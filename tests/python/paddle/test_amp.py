# SPDX-License-Identifier: MIT
"""paddle.static.amp: programs in float16."""
import numpy as np
import pytest

import paddle
from paddle import static
from paddle.dtypes import VarType

X = (np.random.RandomState(0).randn(2, 3, 6, 6)).astype(np.float32)


def network():
    x = static.data("x", [2, 3, 6, 6])
    with static.amp.fp16_guard():
        y = paddle.nn.functional.relu(static.nn.conv2d(x, 4, 3))
    y = static.nn.batch_norm(y, is_test=True)
    return x, paddle.nn.functional.softmax(static.nn.fc(paddle.flatten(y, 1), 5))


def lists(*black):
    out = static.amp.CustomOpLists()
    out.unsupported_list = set(black)
    return out


def dtypes():
    block = static.default_main_program().global_block()
    return {op.type: {str(VarType(block.var(n).dtype).name) for n in op.output_arg_names} for op in block.ops}


@pytest.mark.parametrize("black", [(), ("softmax",), ("relu", "matmul_v2")])
def test_float16_is_close_to_float32(black):
    x, y = network()
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    wanted, = exe.run(feed={"x": X}, fetch_list=[y])
    changed = static.amp.cast_model_to_fp16(static.default_main_program(), lists(*black), use_fp16_guard=False)
    static.amp.cast_parameters_to_fp16(paddle.CPUPlace(), static.default_main_program(), to_fp16_var_names=changed)
    assert {"x", "conv2d_0.w_0", "fc_0.w_0"} <= changed and not any(name.startswith("batch_norm_0.w") for name in changed)
    assert static.global_scope().array("fc_0.w_0").dtype == np.float16
    assert static.global_scope().array("batch_norm_0.w_0").dtype == np.float32
    found = dtypes()
    assert found["conv2d"] == {"FP16"} and found["softmax"] == ({"FP32"} if "softmax" in black else {"FP16"})
    assert ("cast" in found) == bool(set(black) & set(found))
    on_cpu, = exe.run(feed={"x": X.astype(np.float16)}, fetch_list=[y])
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False, micro_batch_size=2)
    strategy.set_precision_config(enable_fp16=True)
    program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])
    on_ipu, = exe.run(program, feed={"x": X.astype(np.float16)}, fetch_list=[y])
    for result in (on_cpu, on_ipu):
        assert result.dtype == (np.float32 if "softmax" in black else np.float16)
        np.testing.assert_allclose(result.astype(np.float32), wanted, atol=2e-3)


def test_the_guard_says_what_is_cast():
    x, y = network()
    changed = static.amp.cast_model_to_fp16(static.default_main_program())
    found = dtypes()
    assert found["conv2d"] == found["relu"] == {"FP16"} and found["softmax"] == {"FP32"}
    assert "conv2d_0.w_0" in changed and "fc_0.w_0" not in changed


def test_lists_do_not_contradict_themselves():
    with pytest.raises(ValueError, match="overlap"):
        static.amp.CustomOpLists({"relu"}, {"relu"})
    assert static.amp.AutoMixedPrecisionLists(custom_black_list={"relu"}).unsupported_list == {"relu"}
