# SPDX-License-Identifier: MIT
"""offline.py popart|poptorch: one step of a small model. With poprun --offline-mode it must end where a device is needed."""
import os
import sys


def popart_step():
    import popart
    import popdist
    import popdist.popart
    from train import build, data
    builder, loss = build("plain")
    options = popdist.popart.configureSessionOptions(popart.SessionOptions())
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss,
                                     popart.SGD({"defaultLearningRate": (0.1, False)}), popdist.popart.getDevice(),
                                     userOptions=options)
    session.prepareDevice()
    session.setRandomSeed(1)
    session.weightsFromHost()
    session.run(popart.PyStepIO(data(0, 1), session.initAnchorArrays()))


def poptorch_step():
    import popdist
    import popdist.poptorch
    import poptorch
    import torch

    class WithLoss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)

        def forward(self, x):
            y = self.layer(x)
            return y, poptorch.identity_loss(y * y, "mean")

    torch.manual_seed(1)
    model = WithLoss()
    options = popdist.poptorch.Options()
    trained = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
    trained(torch.ones(popdist.getNumLocalReplicas(), 3))


OFFLINE = os.environ.get("POPDIST_OFFLINE_MODE") == "1"
try:
    {"popart": popart_step, "poptorch": poptorch_step}[sys.argv[1]]()
except Exception as error:
    if not OFFLINE or "offline" not in str(error):
        raise
    print("compiled and no more:", error)
else:
    assert not OFFLINE
    print("ran")
