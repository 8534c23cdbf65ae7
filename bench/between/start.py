# SPDX-License-Identifier: MIT
"""start.py LAYERS: a session of PopART that trains LAYERS convolutions on the replicas of all
instances, until it could begin."""
import sys

import numpy as np
import popart
import popdist.popart

builder, random = popart.Builder(), np.random.default_rng(0)
x, label = builder.addInputTensor("FLOAT", [2, 3, 32, 32]), builder.addInputTensor("INT32", [2])


def weights(*shape):
    return builder.addInitializedInputTensor((random.standard_normal(shape) * 0.05).astype(np.float32))


value, channels = x, 3
for layer in range(int(sys.argv[1])):
    wider = 16 + 4 * (layer % 8)
    value = builder.aiOnnx.conv([value, weights(wider, channels, 3, 3), weights(wider)], pads=[1, 1, 1, 1])
    value, channels = builder.aiOnnx.relu([value]), wider
value = builder.reshape_const(builder.aiOnnx, [builder.aiOnnx.globalaveragepool([value])], [2, channels])
guess = builder.aiOnnx.softmax([builder.aiOnnx.matmul([value, weights(channels, 10)])])
loss = builder.aiGraphcore.nllloss([guess, label])
session = popart.TrainingSession(
    builder.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.01), popdist.popart.getDevice(),
    userOptions=popdist.popart.configureSessionOptions(popart.SessionOptions()))
session.prepareDevice()
session.weightsFromHost()
