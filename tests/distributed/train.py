# SPDX-License-Identifier: MIT
"""train.py MODE OUT [model]: 20 steps of a small model on the replicas of all instances that poprun started. Instance 0 writes
the weights and losses to OUT. MODE: plain, accumulated, pipelined or sharded; each with momentum and dropout.
model: on the IPU Model, which has any number of IPUs."""
import sys

import numpy as np
import popart
import popdist
import popdist.popart

MICRO, INPUTS, HIDDEN, CLASSES, STEPS = 2, 12, 19, 5, 20


def build(mode):
    random = np.random.default_rng(0)
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [MICRO, INPUTS], "x")
    label = b.addInputTensor("INT32", [MICRO], "label")

    def dense(value, name, inputs, outputs):
        start = random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
        return b.aiOnnx.matmul([value, b.addInitializedInputTensor(start, name)])

    with b.virtualGraph(0), b.pipelineStage(0):
        h = b.aiOnnx.relu([dense(x, "first", INPUTS, HIDDEN)])
        h = b.aiOnnx.dropout([h], 1, 0.25)[0]
    last = 1 if mode == "pipelined" else 0
    with b.virtualGraph(last), b.pipelineStage(last):
        guess = b.aiOnnx.softmax([dense(h, "second", HIDDEN, CLASSES)])
        loss = b.aiGraphcore.nllloss([guess, label], reduction=popart.ReductionType.Mean)
    return b, loss


def options_of(mode):
    options = popdist.popart.configureSessionOptions(popart.SessionOptions())
    options.instrumentWithHardwareCycleCounter = True
    if mode in ("accumulated", "pipelined", "sharded"):
        options.enableGradientAccumulation = True
        options.accumulationFactor = 3
    if mode == "pipelined":
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        options.enablePipelining = True
    if mode == "sharded":
        location = popart.TensorLocation(popart.TensorStorage.OnChip, popart.ReplicatedTensorSharding.On)
        for settings in (options.weightTensorLocationSettings, options.optimizerStateTensorLocationSettings):
            settings.location = location
            settings.minElementsForReplicatedTensorSharding = 1
    return options


def data(step, micro_batches):
    """What all replicas get; each takes its own. Columns are replicas."""
    random = np.random.default_rng(1000 + step)
    total, first, here = popdist.getNumTotalReplicas(), popdist.getReplicaIndexOffset(), popdist.getNumLocalReplicas()
    x = random.normal(0, 1, (micro_batches, total, MICRO, INPUTS)).astype(np.float32)
    label = random.integers(0, CLASSES, (micro_batches, total, MICRO)).astype(np.int32)
    return {"x": np.ascontiguousarray(x[:, first:first + here]), "label": np.ascontiguousarray(label[:, first:first + here])}


def train(mode, steps=STEPS):
    builder, loss = build(mode)
    options = options_of(mode)
    if "model" in sys.argv[3:]:
        device = popart.DeviceManager().createIpuModelDevice({"numIPUs": popdist.getNumLocalReplicas(), "tilesPerIPU": 16})
    else:
        device = popdist.popart.getDevice()
    optimizer = popart.SGD({"defaultLearningRate": (0.02, False), "defaultMomentum": (0.9, False),
                            "defaultWeightDecay": (0.01, True)})
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss, optimizer, device,
                                     userOptions=options)
    session.prepareDevice()
    session.setRandomSeed(42)
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    micro_batches = options.accumulationFactor if options.enableGradientAccumulation else 1
    losses = []
    for step in range(steps):
        session.run(popart.PyStepIO(data(step, micro_batches), anchors))
        losses.append(anchors[loss].copy())
    weights = {name: np.empty(builder.getTensorShape(name), np.float32) for name in ("first", "second")}
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    return session, weights, losses


if __name__ == "__main__":
    session, weights, losses = train(sys.argv[1])
    if popdist.getInstanceIndex() == 0:
        first = np.asarray(losses[-1]).ravel()[0]  # of replica 0, which is here
        with open(sys.argv[2], "wb") as out:
            for name in sorted(weights):
                out.write(weights[name].tobytes())
            out.write(np.float32(first).tobytes())
            out.write(np.uint64(session.getCycleCount()).tobytes())
        print(f"{sys.argv[1]}: loss of replica 0 is {first:.6f}, {session.getCycleCount()} cycles a step")
