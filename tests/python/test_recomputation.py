# SPDX-License-Identifier: MIT
"""Recomputation costs cycles, and saves memory: what is computed again runs the code of the first time."""
import numpy as np
import popart
import pytest

LAYERS, WIDTH, BATCH, TILES = 12, 256, 1024, 256


def session(how):
    rng, b = np.random.default_rng(0), popart.Builder()
    x = b.addInputTensor("FLOAT", [BATCH, WIDTH])
    h = x
    for i in range(LAYERS):
        w = b.addInitializedInputTensor(rng.normal(0, 0.05, (WIDTH, WIDTH)).astype(np.float32), f"w{i}")
        outputs = [b.aiOnnx.matmul([h, w])]
        outputs.append(b.aiOnnx.add([outputs[0], b.addInitializedInputTensor(np.zeros(WIDTH, np.float32))]))
        outputs.append(b.aiOnnx.relu([outputs[1]]))
        h = outputs[-1]
        if how == "marked":
            for output in outputs if i % 2 else outputs[:2]:  # every second layer is kept
                b.recomputeOutputInBackwardPass(output)
    loss = b.aiGraphcore.identityloss([h])
    options = popart.SessionOptions()
    if how == "Standard":
        options.autoRecomputation = popart.RecomputationType.Standard
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": TILES})
    out = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.5), device,
                                 userOptions=options)
    out.prepareDevice()
    return out, x, loss


def memory(session):
    return sum(tile.memory.total.excludingGaps for tile in session.getReport().compilation.tiles)


def trained(session, x, loss):
    data = np.random.default_rng(1).normal(size=(BATCH, WIDTH)).astype(np.float32)
    session.weightsFromHost()
    session.run(popart.PyStepIO({x: data}, session.initAnchorArrays()))
    w = np.empty((WIDTH, WIDTH), np.float32)
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO({"w0": w}))
    return w


@pytest.mark.parametrize("how", ["marked", "Standard"])
def test_memory_falls_and_numbers_stay(how):
    plain, other = session("kept"), session(how)
    # Of twelve activations of a megabyte about half are kept no longer, and there are more calls.
    assert memory(other[0]) < memory(plain[0]) - 2e6
    np.testing.assert_array_equal(trained(*other), trained(*plain))
