# SPDX-License-Identifier: MIT
"""Trains a small CNN with the Builder, saves it, and tests what was saved in an inference session."""
import os
import tempfile

import numpy as np
import popart
from digits import SIDE, draw

BATCH, STEPS_PER_RUN, EPOCHS = 16, 64, 12
random = np.random.default_rng(0)


def weight(builder, name, *shape):
    spread = np.sqrt(2 / np.prod(shape[1:]))
    return builder.addInitializedInputTensor(random.normal(0, spread, shape).astype(np.float32), name)


def model():
    """The model's bytes, and the names of its tensors."""
    b = popart.Builder()
    image = b.addInputTensor("FLOAT", [BATCH, 1, SIDE, SIDE], "image")
    label = b.addInputTensor("INT32", [BATCH], "label")
    h = b.aiOnnx.relu([b.aiOnnx.conv([image, weight(b, "conv", 8, 1, 3, 3)], pads=[1, 1, 1, 1])])
    h = b.aiOnnx.maxpool([h], 1, [2, 2], strides=[2, 2])[0]
    dense = b.aiOnnx.transpose([weight(b, "dense", 10, 8 * 36)], [1, 0])
    scores = b.aiOnnx.matmul([b.aiOnnx.flatten([h]), dense])
    guess = b.aiOnnx.softmax([scores])
    loss = b.aiGraphcore.nllloss([guess, label])
    return b.getModelProto(), guess, loss


def device():
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": 1, "tilesPerIPU": 16})


def train(proto, loss, file):
    optimizer = popart.SGD({"defaultLearningRate": (0.05, False), "defaultMomentum": (0.9, True)})
    flow = popart.DataFlow(STEPS_PER_RUN, {loss: popart.AnchorReturnType("All")})
    session = popart.TrainingSession(proto, flow, loss, optimizer, device())
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for epoch in range(EPOCHS):
        images, labels = draw(BATCH * STEPS_PER_RUN, seed=epoch)
        session.run(popart.PyStepIO({"image": images, "label": labels}, anchors))
        print(f"epoch {epoch}: mean loss {anchors[loss].mean():.3f}")
    session.modelToHost(file)
    return anchors[loss].mean()


def test(file, guess):
    session = popart.InferenceSession(file, popart.DataFlow(STEPS_PER_RUN, [guess]), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    images, labels = draw(BATCH * STEPS_PER_RUN, seed=1000)
    session.run(popart.PyStepIO({"image": images, "label": labels}, anchors))
    return (anchors[guess].reshape(-1, 10).argmax(1) == labels).mean()


if __name__ == "__main__":
    proto, guess, loss = model()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "digits.onnx")
        train(proto, loss, file)
        right = test(file, guess)
    print(f"{100 * right:.1f} % of unseen digits are read correctly")
    assert right > 0.9
