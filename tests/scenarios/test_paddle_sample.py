# SPDX-License-Identifier: MIT
"""The MNIST sample of Paddle's IPU document."""
import os
import re
import shutil
import sys

import pytest
from commands import SOURCE, run

pytest.importorskip("paddle.paddle_core")


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample in a home without the data set."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "sample"
    shutil.copytree(f"{SOURCE}/examples/paddle/sample", folder)
    return folder


def test_unpacks_the_sample(sample):
    """S-81"""
    found = {os.path.relpath(os.path.join(at, f), sample) for at, _, files in os.walk(sample) for f in files}
    assert found - {"model/.gitkeep"} >= {"image/infer_3.png", "mnist_infer.py", "mnist_train.py", "README.md"}
    assert (sample / "model").is_dir()


def test_trains_the_sample(sample):
    """S-82"""
    out = run(sys.executable, "mnist_train.py", cwd=sample, HOME=str(sample.parent))
    assert "There is no MNIST in" in out.stderr and len(os.listdir(sample / "digits")) == 4
    lines = out.stdout.splitlines()
    start = "start compiling model for ipu, it will need some minutes"
    assert lines[:2] == ["start training", start]
    assert lines[2:8] == [*(f"Graph compilation: {n}/100" for n in range(20, 101, 20)), "finish model compiling!"]
    losses = [re.fullmatch(r"step: (\d+), loss: (\d+\.?\d*(?:e-\d+)?)", line) for line in lines[8:32]]
    assert [int(m[1]) for m in losses] == list(range(0, 921, 40))
    assert 1.8 < float(losses[0][2]) < 3.5 and float(losses[-1][2]) < 0.5
    assert lines[32:36] == ["finish training!", "start verifying", start, "finish model compiling!"]
    assert float(re.fullmatch(r"top1 score: (\d\.\d+)", lines[36])[1]) >= 0.85 and len(lines) == 37


def test_finds_the_files_of_the_model(sample):
    """S-83"""
    import paddle
    assert sorted(os.listdir(sample / "model")) == [".gitkeep", "mnist.pdiparams", "mnist.pdmodel"]
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(str(sample / "model/mnist"), paddle.static.Executor())
    assert feeds == ["img"] and fetches[0].name == "save_infer_model/scale_0.tmp_0"
    assert sorted(v.name for v in program.list_vars() if v.persistable and v.shape) == [
        "batch_norm_0.b_0", "batch_norm_0.w_0", "batch_norm_0.w_1", "batch_norm_0.w_2", "conv2d_0.b_0", "conv2d_0.w_0",
        "conv2d_1.b_0", "conv2d_1.w_0", "fc_0.b_0", "fc_0.w_0"]


def test_infers_with_the_sample(sample):
    """S-84"""
    out = run(sys.executable, "mnist_infer.py", cwd=sample)
    assert out.stdout == "Inference result of ./infer_3.png is:  3\n"
    log = [re.sub(r"^I\d{4} [\d:.]+ +\d+ ", "", line) for line in out.stderr.splitlines()]
    assert log == [
        "--- Running analysis [ir_graph_build_pass]", "--- Running analysis [ir_graph_clean_pass]",
        "--- Running analysis [ir_analysis_pass]", "--- Running IR pass [inference_process_pass]",
        "ir_analysis_pass.cc:46] argument has no fuse statis", "--- Running analysis [ir_params_sync_among_devices_pass]",
        "--- Running analysis [adjust_cudnn_workspace_size_pass]", "--- Running analysis [inference_op_replace_pass]",
        "--- Running analysis [ir_graph_to_program_pass]", "analysis_predictor.cc:1024] ======= optimize end =======",
        "naive_executor.cc:102] ---  skip [feed], feed -> img",
        "naive_executor.cc:102] ---  skip [save_infer_model/scale_0.tmp_0], fetch -> fetch"]
