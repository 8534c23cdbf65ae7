# SPDX-License-Identifier: MIT
"""Two steps of a pipeline on two IPUs: pipeline.py FOLDER leaves the profile there, and prints what is known before a run."""
import json
import os
import sys

os.environ["POPLAR_ENGINE_OPTIONS"] = json.dumps({"autoReport.all": "true", "autoReport.directory": sys.argv[1]})

import poptorch  # noqa: E402 (the variable comes first)
import torch  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(64, 256), torch.nn.Linear(256, 10)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, x, labels):
        x = self.first(x).relu()
        with poptorch.Block("second", ipu_id=1):
            return self.loss(self.second(x), labels)


torch.manual_seed(0)
options = poptorch.Options()
options.Training.gradientAccumulation(8)
net = Net()
model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=0.1))
for _ in range(2):
    model(torch.randn(8 * 16, 64), torch.randint(0, 10, (8 * 16,)))
print(json.dumps({"cycles": model.modelledStep().cycles, "kinds": model.modelledStep().cycles_by_kind}))
model.destroy()
