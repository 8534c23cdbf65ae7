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
