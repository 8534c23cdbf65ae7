# SPDX-License-Identifier: MIT
"""A step that fails leaves a model that goes on with the weights and the optimiser's state that it had."""
import pytest
import torch

import poptorch

BAD = 3e38  # overflows in the loss


class Net(torch.nn.Module):

    def __init__(self, blocks):
        super().__init__()
        torch.manual_seed(3)
        self.first, self.second = torch.nn.Linear(4, 6), torch.nn.Linear(6, 3)
        if blocks:
            self.second = poptorch.BeginBlock(self.second, ipu_id=1)

    def forward(self, x, target=None):
        out = self.second(torch.relu(self.first(x)))
        return out if target is None else (out, torch.nn.functional.mse_loss(out, target))


def options(accumulation=1):
    made = poptorch.Options()
    made.Precision.enableFloatingPointExceptions(True)
    made.Training.gradientAccumulation(accumulation)
    return made


def optimizers():
    return [lambda p: poptorch.optim.SGD(p, lr=0.05, momentum=0.9, use_combined_accum=False),
            lambda p: poptorch.optim.Adam(p, lr=0.01)]


def trained(make, accumulation, blocks, fails):
    net = Net(blocks)
    model = poptorch.trainingModel(net, options(accumulation), make(net.parameters()))
    generator = torch.Generator().manual_seed(1)
    for step in range(4):
        x = torch.randn(2 * accumulation, 4, generator=generator)
        target = torch.randn(2 * accumulation, 3, generator=generator)
        if fails and step in (0, 2):
            bad = x.clone()
            bad[-1] = BAD  # in the last micro-batch
            with pytest.raises(poptorch.Error, match="Floating point exception"):
                model(bad, target)
        model(x, target)
    model.copyWeightsToHost()
    state = {name: value.clone() for name, value in net.state_dict().items()}
    model.destroy()
    return state


@pytest.mark.parametrize("accumulation,blocks", [(1, False), (3, False), (4, True)])
@pytest.mark.parametrize("make", optimizers())
def test_training_goes_on_as_if_nothing_had_been(make, accumulation, blocks):
    want = trained(make, accumulation, blocks, False)
    got = trained(make, accumulation, blocks, True)
    for name, value in want.items():
        torch.testing.assert_close(got[name], value, rtol=0, atol=0)


def test_inference_goes_on():
    net = Net(False)
    model = poptorch.inferenceModel(net, options())
    x = torch.randn(2, 4)
    want = model(x)
    with pytest.raises(poptorch.Error, match="Floating point exception"):
        model(torch.full((2, 4), torch.inf))
    assert torch.equal(model(x), want)


@pytest.mark.parametrize("compute,value", [(lambda x: x * torch.inf, 0.0), (lambda x: x - x, torch.inf),
                                           (lambda x: x + 1, torch.nan), (lambda x: x < 1, torch.nan)])
def test_what_is_no_number_is_an_exception(compute, value):

    class Model(torch.nn.Module):

        def forward(self, x):
            return compute(x)

    model = poptorch.inferenceModel(Model(), options())
    with pytest.raises(poptorch.Error, match="Floating point exception: invalid operation"):
        model(torch.full((3,), value))


@pytest.mark.parametrize("compute", [lambda x: x[:2], lambda x: torch.where(x[2] > 0, x[:2], x[1:]), lambda x: x.flip(0)])
def test_moving_it_is_none(compute):

    class Model(torch.nn.Module):

        def forward(self, x):
            return compute(x)

    x = torch.tensor([torch.nan, torch.inf, 1.0])
    torch.testing.assert_close(poptorch.inferenceModel(Model(), options())(x), compute(x), equal_nan=True)


def test_overflow_is_not_called_division_by_zero():

    class Model(torch.nn.Module):

        def forward(self, x):
            return torch.exp(x)

    with pytest.raises(poptorch.Error, match="Floating point exception: overflow"):
        poptorch.inferenceModel(Model(), options())(torch.full((3,), 1000.0))


def test_an_infinity_beside_a_zero_may_be_either():

    class Model(torch.nn.Module):

        def forward(self, x, y):
            return torch.exp(x) + y

    with pytest.raises(poptorch.Error, match="Floating point exception: division by zero or overflow"):
        poptorch.inferenceModel(Model(), options())(torch.full((3,), 1000.0), torch.zeros(3))
