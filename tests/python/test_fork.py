# SPDX-License-Identifier: MIT
"""Processes that a Python program forks, as data loaders do: parent and children all go on and end.
Each test is a program of its own (this file with a name), so that children exit as programs do."""
import multiprocessing
import os
import signal
import subprocess
import sys

import numpy as np
import popart
import pytest
from harness import device, infer

BIG = np.arange(1 << 20, dtype=np.float32)


def double(x):
    return infer(lambda b, ids: b.aiOnnx.add([ids[0], ids[0]]), [x])[0]


def status_of_child(work):
    """SIGALRM ends a child that hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        sys.exit(0 if work() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def children_run_sessions_and_exit():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", list(BIG.shape))
    y = b.aiOnnx.add([x, x])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device(tiles=1024))
    session.prepareDevice()

    def runs():
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: BIG}, anchors))
        return np.array_equal(anchors[y], 2 * BIG)
    assert runs()
    assert status_of_child(lambda: True) == 0
    assert status_of_child(runs) == 0
    assert status_of_child(lambda: np.array_equal(double(BIG), 2 * BIG)) == 0
    assert runs()


def workers_of_multiprocessing():
    assert np.array_equal(double(BIG), 2 * BIG)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for part in pool.map_async(double, [BIG[:1000]] * 4).get(timeout=120):
            assert np.array_equal(part, 2 * BIG[:1000])
    assert np.array_equal(double(BIG), 2 * BIG)


PROGRAMS = [children_run_sessions_and_exit, workers_of_multiprocessing]


@pytest.mark.parametrize("program", [p.__name__ for p in PROGRAMS])
def test(program):
    subprocess.run([sys.executable, __file__, program], check=True, timeout=280)


if __name__ == "__main__":
    {p.__name__: p for p in PROGRAMS}[sys.argv[1]]()
