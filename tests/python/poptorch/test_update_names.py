# SPDX-License-Identifier: MIT
"""Updates of buffers carry the buffer's name in profiles, not that of whatever was converted last."""
import json

import poptorch
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.bn, self.loss = torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.MSELoss()

    def forward(self, x, y):
        out = self.bn(self.lin(x))
        return out, self.loss(out, y)


def test_updates_of_buffers_have_their_names():
    net = Net()
    model = poptorch.trainingModel(net, poptorch.Options(), torch.optim.SGD(net.parameters(), lr=0.1))
    model(torch.rand(6, 4), torch.rand(6, 3))
    nodes = json.loads(model._debugGetPopartIR())["maingraph"]
    assert sorted(node["name"] for node in nodes if node["type"] == "CopyVarUpdate") == [
        "bn.num_batches_tracked", "bn.running_mean", "bn.running_var"]
