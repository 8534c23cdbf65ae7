# SPDX-License-Identifier: MIT
"""The package among others: it steps back for a real Paddle; the launcher; devices; loaders; data sets."""
import gzip
import os
import struct
import subprocess
import sys

import numpy as np
import popart_core
import pytest

import paddle
from paddle import static


def test_a_real_paddle_goes_first(tmp_path):
    (tmp_path / "paddle" / "inference").mkdir(parents=True)
    (tmp_path / "paddle" / "__init__.py").write_text("__version__ = '9.9.9'\n")
    (tmp_path / "paddle" / "inference" / "__init__.py").write_text("theirs = True\n")
    path = os.environ["PYTHONPATH"] + os.pathsep + str(tmp_path)
    script = "import paddle.inference; import paddle; print(paddle.__version__, paddle.inference.theirs)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert out.stdout == "9.9.9 True\n", out.stderr


def test_the_launcher_prints_poprun_s_command():
    command = [sys.executable, "-m", "paddle.distributed.launch", "--devices=8", "ipu", "--hosts=a,b", "--nproc_per_host=2",
               "--ipus_per_replica=2", "--ipu_partition=p", "--vipu_server=s", "train.py", "--lr", "0.1"]
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": ""})
    line = out.stdout.splitlines()[0]
    for part in ("poprun", "--host a,b", "--num-instances 4", "--num-replicas 4", "--ipus-per-replica 2", "--vipu-partition p",
                 "--vipu-server-host s", "train.py --lr 0.1"):
        assert part in line
    assert out.returncode != 0 and "there is no poprun here" in out.stderr


def test_devices():
    assert paddle.is_compiled_with_ipu() and paddle.device.is_compiled_with_ipu()
    assert paddle.set_device("ipu") == paddle.IPUPlace() and paddle.get_device().startswith("ipus:{0-")
    paddle.set_device("cpu")
    assert paddle.get_device() == "cpu"
    with pytest.raises(ValueError, match="'gpu'"):
        paddle.set_device("gpu")


def idx(path, values):
    with gzip.open(path, "wb") as file:
        file.write(struct.pack(f">{1 + values.ndim}i", 0x800 + values.ndim, *values.shape) + values.tobytes())


def test_mnist_is_read_from_files(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="train-images-idx3-ubyte.gz in .*dataset/mnist"):
        paddle.vision.datasets.MNIST()
    folder = tmp_path / ".cache/paddle/dataset/mnist"
    folder.mkdir(parents=True)
    images = np.arange(10 * 784, dtype=np.uint8).reshape(10, 28, 28)
    idx(folder / "train-images-idx3-ubyte.gz", images)
    idx(folder / "train-labels-idx1-ubyte.gz", np.arange(10, dtype=np.uint8))
    data = paddle.vision.datasets.MNIST(transform=lambda x: x / 127.5 - 1)
    image, label = data[3]
    assert len(data) == 10 and image.shape == (28, 28, 1) and label.tolist() == [3]
    np.testing.assert_allclose(image[:, :, 0], images[3] / 127.5 - 1, atol=1e-6)
    (folder / "train-labels-idx1-ubyte.gz").write_bytes(b"no")
    with pytest.raises(ValueError, match="train-labels-idx1-ubyte.gz is not an IDX file"):
        paddle.vision.datasets.MNIST()


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders_make_batches_in_order(workers):
    rows = np.arange(10, dtype=np.float32)
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([rows, rows * 2]), batch_size=4, drop_last=True, num_workers=workers)
    assert len(loader) == 2
    assert [[a.tolist(), b.tolist()] for a, b in loader] == [[[0, 1, 2, 3], [0, 2, 4, 6]], [[4, 5, 6, 7], [8, 10, 12, 14]]]


def test_variables_do_arithmetic_and_are_indexed():
    x = static.data("x", [2, 3, 4])
    value = np.random.rand(2, 3, 4).astype(np.float32)
    ours = [2 - x * 3 + x / 2, x ** 2, -x, x[:, 1], x[..., 1:3], x[1, :, ::-2], x[:, None, 0], (x > 0.5).astype("float32"),
            1 / (x + 1), x @ x.transpose([0, 2, 1])]
    theirs = [2 - value * 3 + value / 2, value ** 2, -value, value[:, 1], value[..., 1:3], value[1, :, ::-2],
              value[:, None, 0], (value > 0.5).astype(np.float32), 1 / (value + 1), value @ value.transpose(0, 2, 1)]
    for got, want in zip(static.Executor().run(feed={"x": value}, fetch_list=ours), theirs):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_layers_build_static_programs():
    x = static.data("x", [-1, 3, 32, 32])
    network = paddle.vision.models.resnet18(num_classes=10)
    y = network(x)
    assert y.shape == (-1, 10) and len(network.parameters()) == 62
    names = [p.name for p in network.parameters()]
    assert names[0] == "conv2d_0.w_0" and "batch_norm_19.b_0" in names and "linear_0.w_0" in names
    exe = static.Executor()
    exe.run(static.default_startup_program())
    result, = exe.run(static.default_main_program().clone(for_test=True), feed={"x": np.ones((2, 3, 32, 32), np.float32)},
                      fetch_list=[y])
    assert result.shape == (2, 10) and np.isfinite(result).all() and np.array_equal(result[0], result[1])


def test_set_ipu_shard_marks_a_layer_s_operators():
    x = static.data("x", [2, 4])
    layer = static.set_ipu_shard(paddle.nn.Linear(4, 4), index=1, stage=2)
    layer(x)
    marks = {(op.attr("ipu_index"), op.attr("ipu_stage")) for op in static.default_main_program().global_block().ops}
    assert marks == {(1, 2)}


def test_seeds_repeat():
    w = paddle.create_parameter([100], "float32", default_initializer=paddle.nn.initializer.Normal())
    values = []
    for _ in range(2):
        paddle.seed(11)
        with static.scope_guard(static.Scope()):
            static.Executor().run(static.default_startup_program())
            values.append(np.array(static.global_scope().array(w.name)))
    assert np.array_equal(*values)


def test_environment_variables_act(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    x = static.data("x", [2, 2])
    y = paddle.nn.functional.relu(x)

    def run():
        strategy = static.IpuStrategy()
        strategy.set_graph_config(is_training=False)
        program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["x"], [y.name])
        return static.Executor().run(program, feed={"x": np.ones((2, 2), np.float32)}, fetch_list=[y])[0]
    monkeypatch.setenv("IPU_ONNX_DUMP_PATH", str(tmp_path / "model.onnx"))
    monkeypatch.setenv("IPU_CACHE_PATH", str(tmp_path / "cache"))
    assert run().tolist() == [[1, 1], [1, 1]]
    assert (tmp_path / "model.onnx").stat().st_size > 0 and any((tmp_path / "cache").rglob("*"))
    monkeypatch.setenv("POPLAR_IPUMODEL", "1")
    assert run().tolist() == [[1, 1], [1, 1]]
    monkeypatch.delenv("POPLAR_IPUMODEL")
    monkeypatch.setenv("IPU_COMPILE_ONLY", "1")
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    held = popart_core.runtime.acquire(1)  # it needs none
    assert run().tolist() == [[0, 0], [0, 0]]
    assert (tmp_path / "offline_cache.popart").exists()
    held.detach()
