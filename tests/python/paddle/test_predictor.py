# SPDX-License-Identifier: MIT
"""paddle.inference: handles, batches, clones, the log; on IPUs and on the CPU the same numbers."""
import re
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle import inference, static

X = np.random.RandomState(0).randn(8, 3, 8, 8).astype(np.float32)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "4")
    x = static.data("x", [-1, 3, 8, 8])
    y = static.nn.conv2d(x, 4, 3, act="relu")
    y = static.nn.batch_norm(y)
    scores = static.nn.fc(y, 5, activation="softmax")
    best = paddle.argmax(scores, 1)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    expected = exe.run(static.default_main_program().clone(for_test=True), feed={"x": X}, fetch_list=[scores, best])
    static.save_inference_model(str(tmp_path / "m"), [x], [scores, best], exe)
    return str(tmp_path / "m.pdmodel"), str(tmp_path / "m.pdiparams"), expected


def predicted(config, value=X):
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.copy_from_cpu(value)
    outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]
    assert predictor.run()
    return [o.copy_to_cpu() for o in outputs], predictor


def test_cpu_and_ipu_predict_alike(files):
    for micro in (None, 8):
        config = inference.Config(*files[:2])
        if micro:
            config.enable_ipu(1, micro)
        (scores, best), _ = predicted(config)
        np.testing.assert_allclose(scores, files[2][0], rtol=1e-5, atol=1e-6)
        assert best.dtype == np.int64 and np.array_equal(best, files[2][1])


@pytest.mark.parametrize("ipus, pipelined, batches, replicas, shape", [
    (1, False, 4, 1, (4, 2, 5)), (2, False, 4, 1, (4, 2, 5)), (2, True, 4, 1, (4, 2, 5)), (1, False, 2, 2, (2, 2, 2, 5))])
def test_ipus_share_the_work(files, ipus, pipelined, batches, replicas, shape):
    config = inference.Config(*files[:2])
    config.enable_ipu(ipus, 2, pipelined, batches)
    config.set_ipu_config(ipu_replica_num=replicas)
    (scores, _), _ = predicted(config)
    assert scores.shape == shape
    np.testing.assert_allclose(scores.reshape(8, 5), files[2][0], rtol=1e-5, atol=1e-6)


def test_half_precision(files):
    config = inference.Config(*files[:2])
    config.enable_ipu(1, 8)
    config.set_ipu_config(ipu_enable_fp16=True)
    (scores, _), _ = predicted(config)
    assert scores.dtype == np.float32 and 0 < np.abs(scores - files[2][0]).max() < 5e-3


def test_batches_of_other_sizes_on_the_cpu(files):
    _, predictor = predicted(inference.Config(*files[:2]))
    handle, out = predictor.get_input_handle("x"), predictor.get_output_handle(predictor.get_output_names()[0])
    for n in (3, 1, 8):
        handle.copy_from_cpu(X[:n])
        predictor.run()
        np.testing.assert_allclose(out.copy_to_cpu(), files[2][0][:n], rtol=1e-5, atol=1e-6)


def test_clones_run_by_themselves(files):
    config = inference.Config(*files[:2])
    config.enable_ipu(1, 8)
    (scores, _), predictor = predicted(config)
    clone = predictor.clone()
    clone.get_input_handle("x").copy_from_cpu(-X)
    clone.run()
    assert not np.array_equal(clone.get_output_handle(clone.get_output_names()[0]).copy_to_cpu(), scores)
    assert np.array_equal(predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu(), scores)


def test_a_configuration_file(files, tmp_path):
    path = tmp_path / "ipu.conf"
    path.write_text("ipu_device_num, 1\nipu_micro_batch_size, 4\nipu_batches_per_step, 2\nipu_enable_fp16, false\n"
                    "ipu_enable_half_partial, true\nipu_enable_model_runtime_executor, true\n")
    config = inference.Config(*files[:2])
    config.load_ipu_config(str(path))
    (scores, _), _ = predicted(config)
    assert scores.shape == (2, 4, 5) and config.ipu_enable_half_partial() and config.ipu_enable_model_runtime_executor()
    np.testing.assert_allclose(scores.reshape(8, 5), files[2][0], rtol=1e-3)
    path.write_text("ipu_devices, 1\n")
    with pytest.raises(ValueError, match=r"ipu.conf:1: .ipu_devices, 1. is no line"):
        config.load_ipu_config(str(path))


def test_mistakes_are_named(files):
    config = inference.Config(*files[:2])
    with pytest.raises(ValueError, match="ipu_batches_per_step >= 4"):
        config.enable_ipu(4, 1, True, 2)
    config.enable_ipu(1, 4)
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    with pytest.raises(ValueError, match='no input "y". It has: x'):
        predictor.get_input_handle("y")
    with pytest.raises(ValueError, match="no data"):
        predictor.run()
    with pytest.raises(ValueError, match="needs elements of type float32, not float64"):
        predictor.get_input_handle("x").copy_from_cpu(X.astype(np.float64))
    predictor.get_input_handle("x").copy_from_cpu(X)
    with pytest.raises(ValueError, match=r"\[8,3,8,8\]; the predictor was compiled for \[4,3,8,8\]"):
        predictor.run()


def test_the_log(files):
    script = (f"import paddle.inference as i\nc = i.Config({files[0]!r}, {files[1]!r})\nc.enable_ipu(1, 8)\n"
              "i.create_predictor(c)\n")
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    stamp = r"I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ "
    lines = [r"--- Running analysis \[ir_graph_build_pass\]", r"--- Running analysis \[ir_graph_clean_pass\]",
             r"--- Running analysis \[ir_analysis_pass\]", r"--- Running IR pass \[inference_process_pass\]",
             stamp + r"ir_analysis_pass.cc:46\] argument has no fuse statis",
             r"--- Running analysis \[ir_params_sync_among_devices_pass\]",
             r"--- Running analysis \[adjust_cudnn_workspace_size_pass\]",
             r"--- Running analysis \[inference_op_replace_pass\]", r"--- Running analysis \[ir_graph_to_program_pass\]",
             stamp + r"analysis_predictor.cc:1024\] ======= optimize end =======",
             stamp + r"naive_executor.cc:102\] ---  skip \[feed\], feed -> x",
             *[stamp + rf"naive_executor.cc:102\] ---  skip \[save_infer_model/scale_{i}.tmp_0\], fetch -> fetch"
               for i in (0, 1)]]
    assert out.stdout == ""
    for line, pattern in zip(out.stderr.splitlines(), lines, strict=True):
        assert re.fullmatch(pattern, line), line


def test_inference_writes_no_variable(files, tmp_path):
    """Moving statistics that stay what they are are not written, and the model in ONNX is plain."""
    import onnx
    exe = static.Executor()
    program, feeds, fetches = static.load_inference_model(files[0][:-len(".pdmodel")], exe)
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False, micro_batch_size=8)
    compiled = static.IpuCompiledProgram(program, ipu_strategy=strategy)
    compiled.compile(feeds, [f.name for f in fetches])
    compiled._backend.save_model_proto(str(tmp_path / "m.onnx"))
    assert {n.domain for n in onnx.load(str(tmp_path / "m.onnx")).graph.node} == {""}


def test_programs_make_room_for_a_predictor(files, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=False)
    with static.program_guard(static.Program()):
        y = paddle.nn.functional.relu(static.data("one", [1, 1]))
        program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["one"], [y.name])
    config = inference.Config(*files[:2])
    config.enable_ipu(1, 8)
    np.testing.assert_allclose(predicted(config)[0][0], files[2][0], rtol=1e-5, atol=1e-6)
    assert static.Executor().run(program, feed={"one": np.ones((1, 1), np.float32)}, fetch_list=[y])[0] == 1
