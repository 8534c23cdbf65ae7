# SPDX-License-Identifier: MIT
"""torch_options.py [plain]: what options say of processes; plain: started by mpirun, with poptorch.Options."""
import sys

import popdist
import popdist.poptorch
import poptorch
import torch


def refused(call, name):
    try:
        call()
    except poptorch.Error as error:
        assert f"Cannot call `{name}`" in str(error), error
    else:
        raise AssertionError(f"{name} was accepted")


def step(options):
    torch.manual_seed(popdist.getInstanceIndex())  # weights of the first are everybody's
    layer = torch.nn.Linear(3, 1)
    model = torch.nn.Sequential(layer)
    with_loss = poptorch.trainingModel(WithLoss(model), options, torch.optim.SGD(model.parameters(), lr=0.1))
    rows = options.replication_factor
    loss = with_loss(torch.full((rows, 3), float(popdist.getInstanceIndex())), torch.ones(rows, 1))
    with_loss.copyWeightsToHost()
    return loss, layer.weight.detach().clone()


class WithLoss(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, y):
        return torch.nn.functional.mse_loss(self.model(x), y)


if "plain" in sys.argv:
    OPTIONS = poptorch.Options().replicationFactor(2)
    assert (OPTIONS.Distributed.numProcesses, OPTIONS.Distributed.processId) == (2, popdist.getInstanceIndex())
else:
    OPTIONS = popdist.poptorch.Options(ipus_per_replica=1)
    assert OPTIONS.replication_factor == 2 and OPTIONS.Distributed.numProcesses == 2
    refused(lambda: OPTIONS.useIpuId(1), "useIpuId")
    refused(lambda: OPTIONS.replicationFactor(2), "replicationFactor")
    refused(OPTIONS.Distributed.disable, "Distributed.disable")
    refused(lambda: OPTIONS.Distributed.configureProcessId(0, 2), "Distributed.configureProcessId")
    assert OPTIONS.clone()._shareOfReplicas() == (2 * popdist.getInstanceIndex(), 4)
loss, weight = step(OPTIONS)
with open(f"{'plain' if 'plain' in sys.argv else 'popdist'}.{popdist.getInstanceIndex()}", "wb") as file:
    file.write(weight.numpy().tobytes())
