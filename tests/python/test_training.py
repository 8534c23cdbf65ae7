# SPDX-License-Identifier: MIT
"""A small CNN: however a step is cut up, the weights are those of the plain run."""
from contextlib import contextmanager

import numpy as np
import popart
import pytest
from harness import Trainer

rng = np.random.default_rng(5)
BATCH, STEPS = 8, 3
IMAGES = rng.uniform(-1, 1, (STEPS, BATCH, 1, 8, 8)).astype(np.float32)
LABELS = rng.integers(0, 10, (STEPS, BATCH)).astype(np.int32)
WEIGHTS = {
    "conv": rng.uniform(-0.3, 0.3, (4, 1, 3, 3)), "gain": rng.uniform(0.5, 1.5, 4), "bias": rng.uniform(-0.1, 0.1, 4),
    "dense": rng.uniform(-0.2, 0.2, (64, 10)),
}


def optimizer():
    return popart.SGD({"defaultLearningRate": (0.02, False), "defaultMomentum": (0.9, False)},
                      accumulatorAndMomentum=popart.SGDAccumulatorAndMomentum.Separate)


@contextmanager
def on(builder, stage):
    with builder.virtualGraph(stage), builder.pipelineStage(stage):
        yield


def build(staged):
    def model(b, x, label):
        w = {name: b.addInitializedInputTensor(v.astype(np.float32), name) for name, v in WEIGHTS.items()}
        with on(b, 0):
            h = b.aiOnnx.relu([b.aiOnnx.conv([x, w["conv"]], pads=[1, 1, 1, 1])])
            h = b.aiGraphcore.groupnormalization([h, w["gain"], w["bias"]], 2)[0]
            h = b.aiOnnx.maxpool([h], 1, [2, 2], strides=[2, 2])[0]
        with on(b, 1 if staged else 0):
            y = b.aiOnnx.softmax([b.aiOnnx.matmul([b.aiOnnx.flatten([h]), w["dense"]])])
            return b.aiGraphcore.nllloss([y, label], reduction=popart.ReductionType.Sum)
    return model


def train(micro, options=None, ipus=1, staged=False):
    trainer = Trainer(build(staged), optimizer(), [micro, 1, 8, 8], options, ipus)
    losses = [trainer.step(x, l).sum() for x, l in zip(IMAGES, LABELS)]
    return losses, trainer.weights()


def accumulated():
    options = popart.SessionOptions()
    options.enableGradientAccumulation, options.accumulationFactor = True, 4
    return 2, options, 1, False


def replicated():
    options = popart.SessionOptions()
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    return 4, options, 2, False


def both():
    _, options, _, _ = accumulated()
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    return 1, options, 2, False


def pipelined():
    _, options, _, _ = accumulated()
    options.virtualGraphMode, options.enablePipelining = popart.VirtualGraphMode.Manual, True
    return 2, options, 2, True


def sharded():
    options = popart.SessionOptions()
    options.virtualGraphMode = popart.VirtualGraphMode.Manual
    return 8, options, 2, True


def recomputed():
    options = popart.SessionOptions()
    options.autoRecomputation = popart.RecomputationType.Standard
    return 8, options, 1, False


@pytest.fixture(scope="module")
def plain():
    return train(BATCH)


@pytest.mark.parametrize("way", [accumulated, replicated, both, sharded, pipelined, recomputed],
                         ids=lambda way: way.__name__)
def test_same_weights(plain, way):
    losses, weights = train(*way())
    np.testing.assert_allclose(losses, plain[0], rtol=1e-4)
    for name, expected in plain[1].items():
        assert np.abs(expected - WEIGHTS[name]).max() > 1e-3
        np.testing.assert_allclose(weights[name], expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_loss_falls():
    trainer = Trainer(build(False), optimizer(), [BATCH, 1, 8, 8])
    losses = [float(trainer.step(IMAGES[0], LABELS[0])) for _ in range(20)]
    assert losses[-1] < 0.5 * losses[0]
