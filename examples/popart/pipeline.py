# SPDX-License-Identifier: MIT
"""The same training on one IPU and as a pipeline over two: the weights come out the same.

Each IPU holds one stage of the model; micro-batches follow each other through them, and the weights
change when all of a batch have gone through. See how the losses agree, and what a step costs.
"""
import numpy as np
import popart
from digits import SIDE, draw

BATCH, MICRO, STEPS = 32, 4, 8


def build(micro, staged):
    random = np.random.default_rng(0)
    b = popart.Builder()
    image = b.addInputTensor("FLOAT", [micro, 1, SIDE, SIDE], "image")
    label = b.addInputTensor("INT32", [micro], "label")

    def dense(x, name, inputs, outputs):
        values = random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
        return b.aiOnnx.matmul([x, b.addInitializedInputTensor(values, name)])

    with b.virtualGraph(0), b.pipelineStage(0):
        h = b.aiOnnx.relu([dense(b.aiOnnx.flatten([image]), "first", SIDE * SIDE, 64)])
    last = 1 if staged else 0
    with b.virtualGraph(last), b.pipelineStage(last):
        guess = b.aiOnnx.softmax([dense(h, "second", 64, 10)])
        loss = b.aiGraphcore.nllloss([guess, label], reduction=popart.ReductionType.Sum)
    return b, loss


def train(pipelined):
    micro = MICRO if pipelined else BATCH
    builder, loss = build(micro, pipelined)
    options = popart.SessionOptions()
    options.instrumentWithHardwareCycleCounter = True
    if pipelined:
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        options.enablePipelining = True
        options.enableGradientAccumulation = True
        options.accumulationFactor = BATCH // MICRO  # micro-batches to a batch
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 2 if pipelined else 1, "tilesPerIPU": 16})
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss,
                                     popart.SGD({"defaultLearningRate": (0.002, False)}), device, userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for step in range(STEPS):
        images, labels = draw(BATCH, seed=step)
        session.run(popart.PyStepIO({"image": images, "label": labels}, anchors))
    weights = {name: np.empty(builder.getTensorShape(name), np.float32) for name in ("first", "second")}
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    where = "two IPUs, pipelined" if pipelined else "one IPU"
    print(f"{where}: last loss {anchors[loss].sum() / BATCH:.4f}, {session.getCycleCount()} cycles a step")
    return weights


if __name__ == "__main__":
    one, two = train(False), train(True)
    for name in one:
        np.testing.assert_allclose(two[name], one[name], rtol=1e-4, atol=1e-5)
    print("The weights are the same.")
