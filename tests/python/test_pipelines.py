# SPDX-License-Identifier: MIT
"""Pipelines give the weights of the same model on one IPU, however its stages are numbered."""
import numpy as np
import popart
import pytest
from harness import device

BATCH, LAYERS = (2, 4), 3


def trained(stages, accumulation, anchored, pipelined=True):
    """Weights after two steps; stages: one of each layer, then that of the loss, all on two IPUs in turn."""
    builder = popart.Builder()
    h = x = builder.addInputTensor(popart.TensorInfo("FLOAT", BATCH))
    weights = {}

    def at(stage):
        return builder.pipelineStage(stage), builder.virtualGraph(stage % 2)

    for layer, stage in zip(range(LAYERS), stages):
        value = np.random.default_rng(layer).uniform(-0.5, 0.5, [4, 4]).astype(np.float32)
        w = builder.addInitializedInputTensor(value)
        weights[w] = value
        one, two = at(stage)
        with one, two:
            h = builder.aiOnnx.tanh([builder.aiOnnx.matmul([h, w])])
    one, two = at(stages[-1])
    with one, two:
        loss = builder.aiGraphcore.identityloss([h], reduction=popart.ReductionType.Sum)
    options = popart.SessionOptions()
    options.enableGradientAccumulation = True
    options.accumulationFactor = accumulation
    options.enablePipelining = pipelined
    if pipelined:
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss if anchored else h]), loss,
                                     popart.ConstSGD(0.1), device(2 if pipelined else 1), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    given = np.random.default_rng(9).uniform(-1, 1, [accumulation, *BATCH]).astype(np.float32)
    for _ in range(2):
        session.run(popart.PyStepIO({x: given}, anchors))
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    return list(weights.values())


def expect_same(stages, accumulation, anchored):
    for got, wanted in zip(trained(stages, accumulation, anchored), trained(stages, accumulation, anchored, False)):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("anchored", [True, False])
def test_a_stage_may_hold_the_loss_alone(anchored):
    expect_same([0, 1, 2, 3], 9, anchored)
    expect_same([0, 0, 1, 2], 9, anchored)


@pytest.mark.parametrize("stages", [[0, 0, 3, 3], [1, 2, 5, 7], [2, 3, 4, 4]])
def test_stages_may_be_numbered_with_gaps(stages):
    expect_same(stages, 9, False)


@pytest.mark.parametrize("accumulation", [1, 2, 3, 5])
def test_there_may_be_fewer_micro_batches_than_stages(accumulation):
    expect_same([0, 1, 2, 3], accumulation, True)
