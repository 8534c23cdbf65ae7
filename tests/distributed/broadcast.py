# SPDX-License-Identifier: MIT
"""broadcast.py: all instances get the weights that the host of instance 1 has, and train on from there."""
import numpy as np
import popart
import popdist
import popdist.popart

b = popart.Builder()
x = b.addInputTensor("FLOAT", [4], "x")
w = b.addInitializedInputTensor(np.zeros(4, np.float32), "w")
loss = b.aiGraphcore.identityloss([b.aiOnnx.mul([x, w])], popart.ReductionType.Sum)
options = popdist.popart.configureSessionOptions(popart.SessionOptions())
session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.5),
                                 popdist.popart.getDevice(), userOptions=options)
session.prepareDevice()
session.writeWeights(popart.PyWeightsIO({"w": np.full(4, 10 + popdist.getInstanceIndex(), np.float32)}))
session.broadcastWeights(1)
ones = np.ones((popdist.getNumLocalReplicas(), 4), np.float32)
session.run(popart.PyStepIO({x: ones}, session.initAnchorArrays()))
got = np.empty(4, np.float32)
session.weightsToHost()
session.readWeights(popart.PyWeightsIO({"w": got}))
np.testing.assert_array_equal(got, 11 - 0.5 * popdist.getNumTotalReplicas())
try:
    session.broadcastWeights(popdist.getNumInstances())
except popart.popart_runtime_error as e:
    assert "there is no instance 2; there are 2." in str(e), e
else:
    raise AssertionError("an instance that is not there has no weights")
