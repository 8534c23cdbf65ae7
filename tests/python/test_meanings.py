# SPDX-License-Identifier: MIT
"""What calls of the Builder and sessions mean where other readings are possible, against numpy and torch."""
import itertools

import numpy as np
import onnx
import onnx.helper as oh
import popart
import pytest
import torch
from harness import compare, device, infer

F32 = np.float32


def rand(*shape, seed=3):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(F32)


def training(build, optimizer, anchors, options=None, batches=1, ipus=1, tiles=4):
    """A session over the loss that build(builder) makes, with its arrays."""
    builder = popart.Builder()
    loss = build(builder)
    flow = popart.DataFlow(batches, {a: popart.AnchorReturnType("All") for a in anchors})
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, optimizer, device(ipus, tiles),
                                     userOptions=options or popart.SessionOptions())
    session.prepareDevice()
    session.weightsFromHost()
    return session, session.initAnchorArrays()


def product(builder, weights, shape):
    """sum(x @ w), so that the gradient of w is known from x."""
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", shape), "x")
    w = builder.addInitializedInputTensor(weights, "w")
    y = builder.aiOnnx.matmul([x, w])
    return builder.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)


# ---- optimisers


@pytest.mark.parametrize("centred,momentum,decay", itertools.product([False, True], [0.0, 0.7], [0.0, 0.3]))
def test_tensorflow_rmsprop_starts_at_one_and_decays_beside_the_momentum(centred, momentum, decay):
    lr, alpha, eps = 0.05, 0.9, 1e-3
    mode = popart.AdaptiveMode.CenteredRMSProp if centred else popart.AdaptiveMode.RMSProp
    optimizer = popart.Adaptive({"defaultLearningRate": (lr, True), "defaultAlpha": (alpha, True),
                                 "defaultMomentum": (momentum, True), "defaultEps": (eps, True),
                                 "defaultWeightDecay": (decay, True)}, mode=mode,
                                weight_decay_mode=popart.WeightDecayMode.Decay, rmsprop_tf_variant=True)
    w = rand(3, 2).astype(np.float64)
    session, anchors = training(lambda b: product(b, w.astype(F32), [4, 3]), optimizer, ["w"])
    square, mean, velocity = np.ones_like(w), np.zeros_like(w), np.zeros_like(w)
    for step in range(4):
        x = rand(4, 3, seed=step)
        session.run(popart.PyStepIO({"x": x}, anchors))
        g = np.repeat(x.sum(0, dtype=np.float64)[:, None], 2, 1)
        square = alpha * square + (1 - alpha) * g * g
        mean = alpha * mean + (1 - alpha) * g
        scaled = g / np.sqrt(square - (mean * mean if centred else 0) + eps)
        if momentum:
            velocity = momentum * velocity + lr * scaled
            w = w - velocity - decay * w
        else:
            w = w - lr * scaled - lr * decay * w
        np.testing.assert_allclose(anchors["w"], w, rtol=1e-4, atol=1e-5)


# ---- losses and random numbers


@pytest.mark.parametrize("softmax", [True, False])
def test_a_mean_over_no_labels_is_zero(softmax):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 3]))
    labels = builder.addInputTensor(popart.TensorInfo("INT32", [4]))
    p = builder.aiOnnx.softmax([x]) if softmax else builder.aiOnnx.sigmoid([x])
    loss = builder.aiGraphcore.nllloss([p, labels], reduction=popart.ReductionType.Mean, ignoreIndex=1)
    wanted = [loss, popart.reservedGradientPrefix() + x]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, wanted), loss, popart.ConstSGD(0.1),
                                     device())
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: rand(4, 3), labels: np.ones(4, np.int32)}, anchors))
    assert anchors[loss] == 0
    np.testing.assert_array_equal(anchors[wanted[1]], 0)


def draws(kind, seed):
    """Six rows of random numbers: two by each of three runs of a body."""
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
    body = builder.createSubgraphBuilder()
    if kind == "Call":
        inner = body.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
        body.addOutputTensor(body.aiOnnx.add([inner, body.aiOnnx.randomuniform([], shape=[2, 8])]))
        made = [builder.aiGraphcore.call([x], 1, body)[0] for _ in range(3)]
    else:
        body.addInputTensor(popart.TensorInfo("INT64", []))
        go = body.addInputTensor(popart.TensorInfo("BOOL", []))
        inner = body.addInputTensor(popart.TensorInfo("FLOAT", [2, 8]))
        one = body.aiOnnx.add([inner, body.aiOnnx.randomuniform([], shape=[2, 8])])
        for out in (go, inner, one):
            body.addOutputTensor(out)
        trips, yes = builder.aiOnnx.constant(np.array(3, np.int64)), builder.aiOnnx.constant(np.array(True))
        made = [builder.aiOnnx.loop([trips, yes, x], 2, body)[1]]
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, made), device())
    session.prepareDevice()
    session.setRandomSeed(seed)
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.zeros((2, 8), F32)}, anchors))
    return np.concatenate([anchors[m].reshape(-1, 8) for m in made])


@pytest.mark.parametrize("kind", ["Call", "Loop"])
def test_every_run_of_a_body_draws_anew(kind):
    first = draws(kind, 11)
    assert first.shape == (6, 8) and len({row.tobytes() for row in first}) == 6
    np.testing.assert_array_equal(first, draws(kind, 11))
    assert not np.array_equal(first, draws(kind, 12))


def test_dropout_in_a_call_has_the_gradient_of_what_it_dropped():
    builder = popart.Builder()
    w = builder.addInitializedInputTensor(np.ones((64, ), F32), "w")
    body = builder.createSubgraphBuilder()
    inner = body.addInputTensor(popart.TensorInfo("FLOAT", [64]))
    body.addOutputTensor(body.aiOnnx.dropout([inner], 1, 0.5)[0])
    called = [builder.aiGraphcore.call([w], 1, body)[0] for _ in range(2)]
    y = builder.aiOnnx.add(called)
    loss = builder.aiGraphcore.identityloss([y], reduction=popart.ReductionType.Sum)
    wanted = called + [popart.reservedGradientPrefix() + w]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, wanted), loss, popart.ConstSGD(0.1),
                                     device())
    session.prepareDevice()
    session.setRandomSeed(5)
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({}, anchors))
    a, b = anchors[called[0]], anchors[called[1]]
    assert set(np.unique(a)) == {0, 2} and not np.array_equal(a, b)
    np.testing.assert_array_equal(anchors[wanted[2]], a + b)
