# SPDX-License-Identifier: MIT
"""One training step: kinds.py FOLDER leaves its profile there, and prints what others than PopVision say of its cycles."""
import json
import os
import sys

os.environ["POPLAR_ENGINE_OPTIONS"] = json.dumps({"autoReport.all": "true", "autoReport.directory": sys.argv[1]})

import poptorch  # noqa: E402 (the variable comes first)
import torch  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.filter, self.layer = torch.nn.Conv2d(1, 4, 3), torch.nn.Linear(4 * 6 * 6, 32)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, x, labels):
        return self.loss(self.layer(self.filter(x.view(-1, 1, 8, 8)).flatten(1)), labels)


torch.manual_seed(0)
options = poptorch.Options()
options.deviceIterations(3)
net = Net()
model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=0.1))
model(torch.randn(48, 64), torch.randint(0, 32, (48,)))
model.copyWeightsToHost()  # the last thing that the device does
step = model.modelledStep()
print(json.dumps({"modelled": step.cycles_by_kind, "spread": step.spread, "sure": step.how_sure,
                  "summary": model._executable.getSummaryReport(False)}))
model.destroy()
