# SPDX-License-Identifier: MIT
"""Sessions: what comes back, what is refused, models in and out of files."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import popart
import pytest
from harness import Trainer, device
from onnx import TensorProto, helper, numpy_helper


def doubling(batches, returned, *period):
    """A session that gives 2x for the micro-batches of x, shape [2]."""
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2], "x")
    y = b.aiOnnx.add([x, x])
    flow = popart.DataFlow(batches, {y: popart.AnchorReturnType(returned, *period)})
    session = popart.InferenceSession(b.getModelProto(), flow, device())
    session.prepareDevice()
    return session, x, y


STEP = np.arange(8, dtype=np.float32).reshape(4, 2)


@pytest.mark.parametrize("returned,period,expected", [
    ("All", [], 2 * STEP), ("final", [], 2 * STEP[3]), ("SUM", [], 2 * STEP.sum(0)), ("EveryN", [2], 2 * STEP[1::2]),
])
def test_anchors(returned, period, expected):
    session, x, y = doubling(4, returned, *period)
    anchors = session.initAnchorArrays()
    assert anchors[y].shape == expected.shape
    io = popart.PyStepIO({x: STEP}, anchors)
    for _ in range(2):  # the same object serves many steps, and sums start anew
        anchors[y][:] = -1
        session.run(io)
        np.testing.assert_array_equal(anchors[y], expected)


def test_anchor_types_that_make_no_sense():
    for arguments in (["EveryN"], ["All", 2], ["some"], ["EveryN", 0]):
        with pytest.raises(popart.popart_exception):
            popart.AnchorReturnType(*arguments)
    with pytest.raises(popart.popart_exception):
        popart.DataFlow(3, {"y": popart.AnchorReturnType("EveryN", 2)})


def test_step_io_errors():
    session, x, y = doubling(4, "All")
    anchors = session.initAnchorArrays()

    def refused(inputs, outputs, *words):
        with pytest.raises(popart.popart_runtime_error) as e:
            session.run(popart.PyStepIO(inputs, outputs))
        for word in words:
            assert word in str(e.value), str(e.value)

    refused({}, anchors, x)
    refused({x: STEP[:3].copy()}, anchors, x, "6", "8")
    refused({x: STEP}, {y: anchors[y][:2].copy()}, y)
    refused({x: STEP.astype(np.int32)}, anchors, x, "FLOAT", "INT32")
    refused({"z": STEP}, anchors, x, "z")
    session.run(popart.PyStepIO({x: STEP}, anchors))
    np.testing.assert_array_equal(anchors[y], 2 * STEP)


def test_callbacks():
    session, x, y = doubling(4, "All")
    asked, done, results = [], [], []

    def give(id, prefetch):
        if len(asked) == 4:
            return None  # legal: the device asks ahead
        asked.append(id)
        return STEP[len(asked) - 1]

    def take(id):
        results.append(np.zeros(2, np.float32))
        return results[-1]

    session.run(popart.PyStepIOCallback(give, lambda id: done.append(id), take, lambda id: done.append(id)))
    assert asked == [x] * 4 and done.count(x) == 4 and done.count(y) == 4
    np.testing.assert_array_equal(np.array(results), 2 * STEP)


def test_errors_in_callbacks_arrive():
    session, x, _ = doubling(1, "All")

    def give(id, prefetch):
        raise ValueError("no more data")

    with pytest.raises((ValueError, popart.popart_exception), match="no more data"):
        session.run(popart.PyStepIOCallback(give, lambda id: None, lambda id: np.zeros(2, np.float32), lambda id: None))


def test_scalars_and_int64():
    b = popart.Builder()
    x = b.addInputTensor(popart.TensorInfo("INT32", [3]))
    total = b.aiOnnx.reducesum([x], keepdims=0)
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [total]), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    assert anchors[total].shape == ()
    session.run(popart.PyStepIO({x: np.array([1, 2, -7], np.int64)}, anchors))
    assert anchors[total] == -4


def linear(b, x, _):
    w = b.addInitializedInputTensor(np.full((2, 2), 0.5, np.float32), "w")
    y = b.aiOnnx.matmul([x, w])
    return b.aiGraphcore.identityloss([b.aiOnnx.mul([y, y])], reduction=popart.ReductionType.Sum)


def test_weights_must_be_sent():
    trainer = Trainer(linear, popart.ConstSGD(0.1), [1, 2], labels=False)
    fresh = popart.TrainingSession(trainer.builder.getModelProto(), popart.DataFlow(1, [trainer.loss]), trainer.loss,
                                   popart.ConstSGD(0.1), device())
    fresh.prepareDevice()
    with pytest.raises(popart.popart_runtime_error, match="weightsFromHost"):
        fresh.run(popart.PyStepIO({trainer.x: np.ones((1, 2), np.float32)}, fresh.initAnchorArrays()))


def test_model_to_host_and_back(tmp_path):
    momentum = popart.SGD({"defaultLearningRate": (0.01, False), "defaultMomentum": (0.9, False)})
    x = np.array([[1.0, -2.0]], np.float32)
    trainer = Trainer(linear, momentum, [1, 2], labels=False)
    for _ in range(3):
        trainer.step(x)
    file = tmp_path / "trained.onnx"
    trainer.session.modelToHost(file)
    saved = {i.name: numpy_helper.to_array(i) for i in onnx.load(file).graph.initializer}
    np.testing.assert_array_equal(saved["w"], trainer.weights()["w"])

    # Going on from the file is going on: weights and optimiser state are there.
    session = popart.TrainingSession(str(file), popart.DataFlow(1, [trainer.loss]), trainer.loss, momentum, device())
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for _ in range(2):
        session.run(popart.PyStepIO({trainer.x: x}, anchors))
        np.testing.assert_allclose(anchors[trainer.loss], trainer.step(x), rtol=1e-6)

    # Weights can be put into a running session, from a file or an array.
    session.resetHostWeights(str(file), True)
    session.weightsFromHost()
    arrays = {"w": np.zeros((2, 2), np.float32)}
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(arrays))
    np.testing.assert_array_equal(arrays["w"], saved["w"])
    session.writeWeights(popart.PyWeightsIO({"w": np.ones((2, 2), np.float32)}))
    session.weightsFromHost()
    session.run(popart.PyStepIO({trainer.x: x}, anchors))
    np.testing.assert_allclose(anchors[trainer.loss], 2.0, rtol=1e-6)


def onnx_model():
    w = np.array([[1, 2], [3, 4]], np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["in", "w"], ["h"], transB=1), helper.make_node("Relu", ["h"], ["out"])], "g",
        [helper.make_tensor_value_info("in", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 2])], [numpy_helper.from_array(w, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), w


def test_onnx_file(tmp_path):
    model, w = onnx_model()
    file = tmp_path / "m.onnx"
    onnx.save(model, file)
    shapes = popart.InputShapeInfo()
    shapes.add("in", popart.TensorInfo(np.float32, [3, 2]))
    x = np.array([[1, 2], [-1, 0], [0, -3]], np.float32)
    for source in (str(file), file, model.SerializeToString()):
        session = popart.InferenceSession(source, popart.DataFlow(1, ["out"]), device(), shapes)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({"in": x}, anchors))
        np.testing.assert_allclose(anchors["out"], np.maximum(x @ w.T, 0))
    with pytest.raises(popart.popart_exception, match='"in"'):
        popart.InferenceSession(str(file), popart.DataFlow(1, ["out"]), device())


def test_models_bytes_are_shared_while_their_weights_are_used():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [300000], "x")
    w = np.arange(300000, dtype=np.float32)
    y = b.aiOnnx.add([x, b.addInitializedInputTensor(w, "w")])
    options = popart.SessionOptions()
    options.constantWeights = False
    model = b.getModelProto()
    before = sys.getrefcount(model)
    session = popart.InferenceSession(model, popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device(),
                                      userOptions=options)
    assert sys.getrefcount(model) > before
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.ones(300000, np.float32)}, anchors))
    np.testing.assert_array_equal(anchors[y], w + 1)
    del session
    assert sys.getrefcount(model) == before


def test_bad_models(tmp_path):
    model, _ = onnx_model()
    data = model.SerializeToString()
    for bad, why in ((data[:-9], "bytes do not hold an ONNX model"), (b"nonsense", "no ONNX model"),
                     (b"", "No model was given"),
                     (str(tmp_path / "none.onnx"), "there is no file .*none.onnx")):
        with pytest.raises(popart.popart_exception, match=why):
            popart.InferenceSession(bad, popart.DataFlow(1, ["out"]), device())
    with pytest.raises(popart.popart_exception, match="nowhere"):
        shapes = popart.InputShapeInfo()
        shapes.add("in", popart.TensorInfo("FLOAT", [3, 2]))
        popart.InferenceSession(data, popart.DataFlow(1, ["nowhere"]), device(), shapes)


def test_import_order():
    for order in ("onnx, popart", "popart, onnx", "torch, popart, onnx"):
        code = f"import {order}; b = popart.Builder(); x = b.addInputTensor('FLOAT', [1]); " \
               "b.addOutputTensor(b.aiOnnx.relu([x])); onnx.checker.check_model(onnx.load_from_string(b.getModelProto()))"
        subprocess.run([sys.executable, "-c", code], check=True)


def test_interrupt():
    """Ctrl-C ends a step that would take minutes; the session can still be used."""
    b = popart.Builder()
    x = b.aiOnnx.randomuniform([64, 64])
    y = x
    for _ in range(4):
        y = b.aiOnnx.matmul([y, x])
    session = popart.InferenceSession(b.getModelProto(),
                                      popart.DataFlow(10**7, {y: popart.AnchorReturnType("Final")}), device())
    session.prepareDevice()
    io = popart.PyStepIO({}, session.initAnchorArrays())
    for _ in range(2):
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            session.run(io)
        assert time.monotonic() - start < 60


def test_random_seed():
    b = popart.Builder()
    y = b.aiOnnx.randomuniform([100])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())
    session.prepareDevice()
    drawn = []
    for seed in (1, 2, 1):
        session.setRandomSeed(seed)
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({}, anchors))
        drawn.append(anchors[y].copy())
    assert np.array_equal(drawn[0], drawn[2]) and not np.array_equal(drawn[0], drawn[1])


@pytest.mark.parametrize("checked", [False, True])
def test_a_loss_that_is_no_number(checked):
    options = popart.SessionOptions()
    options.enableFloatingPointChecks = checked

    def build(b, x, _):
        w = b.addInitializedInputTensor(np.ones(2, np.float32), "w")
        return b.aiGraphcore.identityloss([b.aiOnnx.log([b.aiOnnx.mul([x, w])])])
    trainer = Trainer(build, popart.ConstSGD(0.1), [2], options, labels=False)
    if not checked:
        return np.testing.assert_equal(trainer.step(-np.ones(2, np.float32)), np.nan)
    with pytest.raises(popart.poplar_application_runtime_error, match='invalid operation .in step "Log"'):
        trainer.step(-np.ones(2, np.float32))


def test_the_seed_fixes_dropout():
    def train(seed):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [50]))
        w = b.addInitializedInputTensor(np.ones(50, np.float32), "w")
        y = b.aiOnnx.dropout([b.aiOnnx.mul([x, w])], 1, 0.5)[0]
        y = b.aiOnnx.add([y, b.aiOnnx.randomnormal([50])])
        loss = b.aiGraphcore.identityloss([y])
        session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [y]), loss,
                                         popart.ConstSGD(0.1), device())
        session.prepareDevice()
        session.setRandomSeed(seed)
        session.weightsFromHost()
        anchors = session.initAnchorArrays()
        out = []
        for _ in range(2):
            session.run(popart.PyStepIO({x: np.ones(50, np.float32)}, anchors))
            out.append(anchors[y].copy())
        return np.stack(out)
    first = train(7)
    assert np.array_equal(train(7), first) and not np.array_equal(train(8), first)
    assert not np.array_equal(first[0], first[1])
