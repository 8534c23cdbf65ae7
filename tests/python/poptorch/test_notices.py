# SPDX-License-Identifier: MIT
"""What has no effect on a model on the device is told once, with the user's line; what has one is not told."""
import inspect
import re

import poptorch
import pytest
import torch
from poptorch._logging import setMaxRepeats


@pytest.fixture(autouse=True)
def every_line():
    setMaxRepeats(4)  # none was shown yet


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 3)

    def forward(self, x, y):
        out = self.lin(x)
        return out, torch.nn.functional.mse_loss(out, y)


X, Y = torch.rand(6, 4), torch.rand(6, 3)
OPTIMIZERS = [torch.optim.SGD, torch.optim.Adam, poptorch.optim.SGD, poptorch.optim.LAMB]


def lines(capfd, part):
    """Lines of the log that say so, which must name this file."""
    found = [line for line in capfd.readouterr().err.splitlines() if part in line]
    for line in found:
        assert re.search(r"test_notices\.py:\d+", line), line
    return found


def made(kind=torch.optim.SGD, **more):
    module = Net()
    optimizer = kind(module.parameters(), lr=0.1, **more)
    return module, optimizer, poptorch.trainingModel(module, optimizer=optimizer)


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("scheduled", [None, "before", "after"])
def test_optimizer_steps_are_told_once(kind, scheduled, capfd):
    module, optimizer, training = made(kind)
    if scheduled == "before":
        torch.optim.lr_scheduler.StepLR(optimizer, 100)
    training(X, Y)
    if scheduled == "after":
        torch.optim.lr_scheduler.StepLR(optimizer, 100)
    before = module.lin.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        optimizer.step()
    assert len(lines(capfd, "optimizer.step() has no effect")) == 1
    assert torch.equal(before, module.lin.weight)
    training.destroy()
    optimizer.step()
    assert lines(capfd, "optimizer.step()") == []


def test_clipping_is_told_once(capfd):
    def clip(module):
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        try:
            torch.nn.utils.clip_grad_value_(module.parameters(), 1.0)
        except RuntimeError as problem:  # torch 2 wants to have some gradient
            return str(problem)
    module, optimizer, training = made()
    for _ in range(2):
        training(X, Y)
        assert clip(module) == clip(Net())
    line, = lines(capfd, "max_grad_norm")
    assert f":{clip.__code__.co_firstlineno + 1}:" in line


def test_gradients_that_are_read_are_told_once(capfd):
    module, optimizer, training = made()
    training(X, Y)
    for _ in range(2):
        assert all(p.grad is None for p in module.parameters())
    assert len(lines(capfd, "anchorTensor")) == 1


def test_a_scheduler_without_set_optimizer_is_told_once(capfd):
    module, optimizer, training = made()
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(4):
        training(X, Y)
        scheduler.step()
    line, = lines(capfd, "setOptimizer()")
    assert f":{inspect.currentframe().f_lineno - 3}:" in line


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_right_programs_are_told_nothing(kind, capfd):
    module, optimizer, training = made(kind)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        module.zero_grad()
        training(X, Y)
        scheduler.step()
        training.setOptimizer(optimizer)
    saved = optimizer.state_dict()
    optimizer.param_groups[0]["lr"] = 0.7
    optimizer.load_state_dict(saved)
    training(X, Y)
    module.half().float()
    training.detachFromDevice()
    training.destroy()
    module(X, Y)[1].backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
    optimizer.step()
    assert "[warning]" not in capfd.readouterr().err


def test_dampening_that_begins_with_the_second_step_is_no_change_of_the_users(capfd):
    _, _, training = made(momentum=0.9, dampening=0.5)
    for _ in range(3):
        training(X, Y)
    assert "[warning]" not in capfd.readouterr().err


@pytest.mark.parametrize("outside", [False, True])
def test_torchs_autocast_is_told_once(outside, capfd):
    class Cast(Net):
        def forward(self, x, y):
            with torch.autocast("cpu", torch.bfloat16, enabled=self.training):
                return super().forward(x, y)

    model = poptorch.inferenceModel(Net() if outside else Cast())
    with torch.autocast("cpu", torch.bfloat16, enabled=outside):
        for _ in range(2):
            assert model(X, Y)[0].dtype == torch.float32
    assert len(lines(capfd, "poptorch.autocast")) == 1
    poptorch.inferenceModel(Net())(X, Y)
    with torch.autocast("cpu", torch.bfloat16):
        poptorch.inferenceModel(Cast().eval())(X, Y)
    with poptorch.autocast():
        poptorch.inferenceModel(Net())(X, Y)
    assert lines(capfd, "torch.autocast") == []


class Half(torch.nn.Module):
    """The loss of one of two that learn against each other."""

    def __init__(self, shared, sign):
        super().__init__()
        self.shared, self.sign = shared, sign

    def forward(self, x):
        return poptorch.identity_loss(self.sign * self.shared(x).sum(), "sum")


@pytest.mark.parametrize("copies", [True, False])
def test_trainings_that_share_weights_are_told_once(copies, capfd):
    lin = torch.nn.Linear(4, 1)
    expected = lin.bias.item() + 3 * 0.1 * (2 - 1) * 6
    one, two = (poptorch.trainingModel(Half(lin, sign), optimizer=torch.optim.SGD(lin.parameters(), lr=0.1))
                for sign in (1.0, -2.0))
    one.compile(X), two.compile(X)
    for _ in range(3):
        for first, second in ((one, two), (two, one)):
            first(X)
            if copies:
                first.copyWeightsToHost()
                second.copyWeightsToDevice()
    assert len(lines(capfd, "another model has trained")) == (not copies)
    if copies:
        assert lin.bias.item() == pytest.approx(expected, abs=1e-5)


def test_trainings_one_after_the_other_are_not_told(capfd):
    lin = torch.nn.Linear(4, 1)
    for sign in (1.0, 2.0):
        training = poptorch.trainingModel(Half(lin, sign), optimizer=torch.optim.SGD(lin.parameters(), lr=0.1))
        training(X), training(X)
    assert lines(capfd, "another model has trained") == []


def test_generators_are_told_once(capfd):
    class Drawn(torch.nn.Module):
        def forward(self, x):
            noise = torch.rand(4, generator=torch.Generator().manual_seed(1))
            return x + noise + torch.empty(4).normal_(generator=torch.Generator())

    model = poptorch.inferenceModel(Drawn())
    assert not torch.equal(model(X), model(X))  # the host's would be the same every time
    assert len(lines(capfd, "a torch.Generator has no effect")) == 1


def test_a_scheduler_that_steps_late_is_told_too(capfd):
    module, optimizer, training = made()
    for i in range(64):
        training(X, Y)
        if i == 40:
            optimizer.param_groups[0]["lr"] = 0.01
    assert len(lines(capfd, "setOptimizer()")) == 1
