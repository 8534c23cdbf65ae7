# SPDX-License-Identifier: MIT
"""One session used by several threads: each gets its own results, and nobody waits for ever."""
import os
import subprocess
import sys

import numpy as np
import popart
import pytest
from harness import device
from threads import together


def scaling(batches=1):
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [64], "x")
    y = b.aiOnnx.mul([x, b.addInitializedInputTensor(np.full(64, 2, np.float32), "w")])
    options = popart.SessionOptions()
    options.constantWeights = False
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(batches, [y]), device(), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    return session, x, y


def by_arrays(session, x, y, value):
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.full(64, value, np.float32)}, anchors))
    return anchors[y]


def by_callbacks(session, x, y, value):
    into, done = np.zeros(64, np.float32), lambda id: None

    def give(id, prefetch):
        assert session.getInfo(id).nelms() == 64  # asking is allowed
        return np.full(64, value, np.float32)
    session.run(popart.PyStepIOCallback(give, done, lambda id: into, done))
    return into


def test_each_thread_gets_its_own_results():
    session, x, y = scaling()

    def work(run, first):
        for i in range(100):
            np.testing.assert_array_equal(run(session, x, y, first + i), 2 * (first + i))

    def weights():
        for _ in range(50):
            into = np.zeros(64, np.float32)
            session.weightsToHost()
            session.readWeights(popart.PyWeightsIO({"w": into}))
            assert (into == 2).all() and session.getInfo(x).nelms() == 64 and session.hasInfo(y)
    together(lambda: work(by_arrays, 0), lambda: work(by_callbacks, 1000), lambda: work(by_arrays, 2000),
             lambda: work(by_callbacks, 3000), weights)


def test_the_same_step_io_in_several_threads():
    session, x, y = scaling()
    anchors = session.initAnchorArrays()
    io = popart.PyStepIO({x: np.ones(64, ">f4")}, anchors)

    def work():
        for _ in range(50):
            session.run(io)
            assert (anchors[y] == 2).all()
    together(work, work, work)


def test_sessions_on_one_device():
    shared = device()
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [64], "x")
    y = b.aiOnnx.add([x, x])

    def work():
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), shared)
        session.prepareDevice()
        for i in range(20):
            assert (by_arrays(session, x, y, i) == 2 * i).all()
    together(work, work, work)


@pytest.mark.parametrize("method,arguments", [
    ("weightsToHost", []), ("prepareDevice", []), ("setRandomSeed", [1]), ("getSummaryReport", []),
])
def test_callbacks_may_not_begin(method, arguments):
    session, x, y = scaling()

    def give(id, prefetch):
        getattr(session, method)(*arguments)
    with pytest.raises(popart.popart_runtime_error, match=f"{method} was called by a function that run"):
        session.run(popart.PyStepIOCallback(give, give, give, give))
    assert (by_arrays(session, x, y, 3) == 6).all()


def test_interrupt_ends_the_steps_of_all_threads():
    code = """
import os, signal, threading, time
import numpy as np, popart
from harness import device
from threads import together
b = popart.Builder()
x = b.aiOnnx.randomuniform([64, 64])
y = b.aiOnnx.matmul([x, x])
flow = popart.DataFlow(10**8, {y: popart.AnchorReturnType("Final")})
met, begin = [], threading.Barrier(3)
def work():
    session = popart.InferenceSession(b.getModelProto(), flow, device())
    session.prepareDevice()
    begin.wait()
    try:
        session.run(popart.PyStepIO({}, session.initAnchorArrays()))
    except KeyboardInterrupt:
        met.append(1)
other = threading.Thread(target=work)
other.start()
def interrupt():
    begin.wait()
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    work()
    while other.is_alive():  # the main thread's handler runs here if it was between two calls
        time.sleep(0.1)
except KeyboardInterrupt:
    pass
other.join()
assert len(met) == 2, met
"""

    environment = dict(os.environ, PYTHONPATH=os.path.dirname(__file__) + ":" + os.environ["PYTHONPATH"])
    subprocess.run([sys.executable, "-c", code], check=True, timeout=200, env=environment)
