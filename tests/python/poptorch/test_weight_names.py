# SPDX-License-Identifier: MIT
"""Weights may be called anything: what they are is not read off their names."""
import pytest
import torch

import poptorch

NAMES = ["layer___default___x", "scaledLearningRate0___default___FLOAT", "lossScaling_FLOAT", "a___specific___b"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("momentum", [0.0, 0.5])
def test_a_weight_with_a_name_of_the_optimizer_is_trained(name, momentum):

    class Model(torch.nn.Module):

        def __init__(self):
            super().__init__()
            self.register_parameter(name, torch.nn.Parameter(torch.tensor([2.0, 3.0])))

        def forward(self, x):
            return poptorch.identity_loss((getattr(self, name) * x).sum(), "none")

    module, other = Model(), Model()
    optimizer = poptorch.optim.SGD(module.parameters(), lr=0.1, momentum=momentum)
    model = poptorch.trainingModel(module, poptorch.Options(), optimizer)
    reference = torch.optim.SGD(other.parameters(), lr=0.1, momentum=momentum)
    x = torch.tensor([1.0, -1.0])
    for rate in (0.1, 0.1, 0.3):
        if rate != 0.1:
            model.setOptimizer(poptorch.optim.SGD(module.parameters(), lr=rate, momentum=momentum))
        reference.param_groups[0]["lr"] = rate
        model(x)
        reference.zero_grad()
        other(x).backward()
        reference.step()
    torch.testing.assert_close(getattr(module, name), getattr(other, name))
