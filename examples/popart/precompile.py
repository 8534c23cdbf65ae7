# SPDX-License-Identifier: MIT
"""Compiles where there is no IPU, and runs elsewhere: two processes that share a file.

The first has an offline device and writes the executable; the second loads it and does not compile.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import popart


def model():
    random = np.random.default_rng(0)
    b = popart.Builder()
    y = b.addInputTensor("FLOAT", [8, 64], "x")
    for layer in range(6):
        w = b.addInitializedInputTensor(random.normal(0, 0.2, (64, 64)).astype(np.float32), f"w{layer}")
        y = b.aiOnnx.relu([b.aiOnnx.matmul([y, w])])
    return b.getModelProto(), y


def session(device):
    proto, y = model()
    return popart.InferenceSession(proto, popart.DataFlow(1, [y]), device), y


def compile(file):
    device = popart.DeviceManager().createOfflineIPUDevice({"numIPUs": 1})
    prepared, _ = session(device)
    start = time.perf_counter()
    prepared.compileAndExport(file)
    print(f"compiled in {time.perf_counter() - start:.2f} s, {os.path.getsize(file)} bytes")


def run(file):
    with popart.DeviceManager().acquireAvailableDevice(1) as device:
        ready, y = session(device)
        start = time.perf_counter()
        ready.loadExecutable(file)
        ready.prepareDevice()
        print(f"loaded in {time.perf_counter() - start:.2f} s")
        anchors = ready.initAnchorArrays()
        ready.run(popart.PyStepIO({"x": np.ones((8, 64), np.float32)}, anchors))
        print(f"first values {anchors[y][0, :4]}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        {"compile": compile, "run": run}[sys.argv[1]](sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            for step in ("compile", "run"):
                subprocess.run([sys.executable, __file__, step, os.path.join(folder, "model.popef")], check=True)
