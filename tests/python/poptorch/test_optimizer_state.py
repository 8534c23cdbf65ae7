# SPDX-License-Identifier: MIT
"""The state of optimizers whose steps the device makes: what state_dict() has, and trainings that go on from it."""
import copy
import pickle

import numpy as np
import poptorch
import pytest
import torch
from poptorch import optim


class Net(torch.nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.lin = torch.nn.Linear(4, 3).to(dtype)

    def forward(self, x, y):
        return torch.nn.functional.mse_loss(self.lin(x), y)


def data(steps, seed=1):
    made = torch.Generator().manual_seed(seed)
    return [(torch.rand(6, 4, generator=made), torch.rand(6, 3, generator=made)) for _ in range(steps)]


def net():
    torch.manual_seed(3)
    return Net()


TORCH = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    "dampened": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.5),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.1, weight_decay=0.1),
    "maximize": lambda p: torch.optim.Adam(p, lr=0.1, maximize=True),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1, betas=(0.8, 0.95)),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
    "centered": lambda p: torch.optim.RMSprop(p, lr=0.01, eps=1e-4, centered=True, momentum=0.5),
}


def on_host(module, optimizer, batches):
    for x, y in batches:
        optimizer.zero_grad()
        module(x, y).backward()
        optimizer.step()


def same_state(ours, theirs, tolerance=1e-5):
    assert ours.keys() == theirs.keys() and ours["state"].keys() == theirs["state"].keys()
    for key, entries in theirs["state"].items():
        assert ours["state"][key].keys() == entries.keys()
        for name, value in entries.items():
            mine = ours["state"][key][name]
            assert type(mine) is type(value), name
            if isinstance(value, torch.Tensor):
                torch.testing.assert_close(mine, value, rtol=tolerance, atol=1e-6)
            else:
                assert mine == value, name


@pytest.mark.parametrize("make", TORCH.values(), ids=TORCH)
def test_torch_optimizers_have_the_state_that_torch_would_have(make):
    host, device = net(), net()
    theirs, ours = make(host.parameters()), make(device.parameters())
    training = poptorch.trainingModel(device, optimizer=ours)
    assert ours.state_dict()["state"] == {}
    for batches in (data(3), data(2, seed=2)):
        for x, y in batches:
            training(x, y)
        on_host(host, theirs, batches)
        same_state(ours.state_dict(), theirs.state_dict())
    assert ours.state[device.lin.weight].keys() == theirs.state[host.lin.weight].keys()
    training.destroy()
    same_state(ours.state_dict(), theirs.state_dict())
    assert type(ours) is type(theirs)


@pytest.mark.parametrize("name", ["momentum", "adamw", "centered"])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_training_goes_on_bit_by_bit_from_a_state(name, compiled):
    whole, begun, later = net(), net(), net()
    training = poptorch.trainingModel(whole, optimizer=TORCH[name](whole.parameters()))
    for x, y in data(8):
        training(x, y)
    optimizer = TORCH[name](begun.parameters())
    training = poptorch.trainingModel(begun, optimizer=optimizer)
    for x, y in data(8)[:4]:
        training(x, y)
    saved = pickle.loads(pickle.dumps((begun.state_dict(), optimizer.state_dict())))
    again = TORCH[name](later.parameters())
    training = poptorch.trainingModel(later, optimizer=again)
    if compiled:
        training.compile(*data(1)[0])
    training.load_state_dict(saved[0])
    again.load_state_dict(saved[1])
    for x, y in data(8)[4:]:
        training(x, y)
    assert torch.equal(later.lin.weight, whole.lin.weight)


def test_a_training_may_go_on_on_the_host_and_back():
    plain, moved = net(), net()
    theirs = TORCH["adamw"](plain.parameters())
    on_host(plain, theirs, data(9))
    ours = TORCH["adamw"](moved.parameters())
    on_host(moved, ours, data(9)[:3])
    training = poptorch.trainingModel(moved, optimizer=ours)
    for x, y in data(9)[3:6]:
        training(x, y)
    training.destroy()
    on_host(moved, ours, data(9)[6:])
    torch.testing.assert_close(moved.lin.weight, plain.lin.weight, rtol=1e-5, atol=1e-6)
    same_state(ours.state_dict(), theirs.state_dict())


def test_a_state_that_torch_rounds_is_told_of(capfd):
    for dtype in (torch.float32, torch.float16):
        module = Net(dtype)
        optimizer = TORCH["adam"](module.parameters())
        x, y = (t.to(dtype) for t in data(1)[0])
        training = poptorch.trainingModel(module, optimizer=optimizer)
        training(x, y)
        saved = optimizer.state_dict()
        assert saved["state"][0]["exp_avg"].dtype == dtype
        assert "[warning]" not in capfd.readouterr().err
        optimizer.load_state_dict(saved)
        assert ("rounded" in capfd.readouterr().err) == (dtype == torch.float16)
        training(x, y)
        training.destroy()


def test_steps_are_those_of_all_device_iterations():
    module = net()
    optimizer = torch.optim.RMSprop(module.parameters(), lr=0.01)
    training = poptorch.trainingModel(module, poptorch.Options().deviceIterations(3), optimizer)
    for _ in range(2):
        training(torch.rand(6, 4), torch.rand(6, 3))
    assert optimizer.state_dict()["state"][0]["step"] == 6


def test_optimizers_in_use_are_copied_as_what_they_are():
    module = net()
    optimizer = TORCH["adam"](module.parameters())
    training = poptorch.trainingModel(module, optimizer=optimizer)
    training(*data(1)[0])
    assert isinstance(optimizer, torch.optim.Adam) and type(optimizer).__name__ == "Adam"
    for made in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert type(made) is torch.optim.Adam and len(made.state) == 2
        same_state(made.state_dict(), optimizer.state_dict())


def test_the_device_keeps_its_state_for_another_optimizer():
    host, device = net(), net()
    plain = torch.optim.SGD(host.parameters(), lr=0.1, momentum=0.9)
    training = poptorch.trainingModel(device, optimizer=torch.optim.SGD(device.parameters(), lr=0.1, momentum=0.9))
    for i, (x, y) in enumerate(data(4)):
        plain.param_groups[0]["lr"] = 0.1 / (i + 1)
        training.setOptimizer(torch.optim.SGD(device.parameters(), lr=0.1 / (i + 1), momentum=0.9))
        training(x, y)
        on_host(host, plain, [(x, y)])
    torch.testing.assert_close(device.lin.weight, host.lin.weight, rtol=1e-5, atol=1e-6)


# ---- poptorch.optim

def trained(optimizer, module, options=None, steps=2):
    training = poptorch.trainingModel(module, options, optimizer)
    for x, y in data(steps):
        training(x, y)
    return training


def test_names_of_adams_state():
    module = net()
    optimizer = optim.Adam(module.parameters(), lr=0.1, weight_decay=0.2, loss_scaling=0.75)
    before = optimizer.state_dict()
    assert before["ipu_state"] is None and before["ipu_param"] is None
    training = trained(optimizer, module)
    saved = optimizer.state_dict()
    assert set(saved["ipu_state"]) == {f"{kind}___lin.{part}" for kind in ("Accl1", "Accl2", "Step")
                                       for part in ("weight", "bias")}
    numbers = {name: round(float(value), 6) for name, value in saved["ipu_param"].items()}
    assert numbers == {"learningRate___specific___lin.weight": 0.1, "learningRate___specific___lin.bias": 0.1,
                       "weightDecay___specific___lin.weight": 0.2, "weightDecay___specific___lin.bias": 0.2,
                       "lossScaling_FLOAT": 0.75}
    optimizer.param_groups[0]["lr"] = 0.5
    training.setOptimizer(optimizer)
    training(*data(1)[0])
    assert float(optimizer.state_dict()["ipu_param"]["learningRate___specific___lin.bias"]) == 0.5


def test_names_of_sgds_numbers():
    module = net()
    optimizer = optim.SGD(module.parameters(), lr=0.1, weight_decay=0.2, dampening=0.0, loss_scaling=4.0)
    training = trained(optimizer, module)
    assert training.isCompiled()
    numbers = optimizer.state_dict()["ipu_param"]
    assert float(numbers["scaledLearningRate0___specific___lin.weight"]) == pytest.approx(0.1 / 4)
    assert float(numbers["weightDecayScaleFactor0___specific___lin.bias"]) == pytest.approx(1 - 0.1 * 0.2)
    training.destroy()
    optimizer = optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    training = trained(optimizer, module)
    numbers = {name: float(value) for name, value in optimizer.state_dict()["ipu_param"].items() if "bias" in name}
    assert numbers == {"scaledLearningRate2___specific___lin.bias": pytest.approx(0.1),
                       "scaledMomentum2___specific___lin.bias": pytest.approx(0.9)}
    training.destroy()


def test_numbers_of_a_state_come_back():
    module = net()
    optimizer = optim.SGD(module.parameters(), lr=0.1, momentum=0.9, loss_scaling=4.0)
    training = trained(optimizer, module)
    saved = copy.deepcopy(optimizer.state_dict())
    optimizer.loss_scaling, optimizer.param_groups[0]["lr"] = 2.0, 0.01
    optimizer.load_state_dict(saved)
    assert optimizer.loss_scaling == 4.0 and optimizer.param_groups[0]["lr"] == 0.1
    del saved["ipu_state"]["Accl1___lin.bias"]  # the device's stays
    kept = optimizer.state_dict()["ipu_state"]["Accl1___lin.bias"].clone()
    optimizer.load_state_dict(saved)
    assert torch.equal(optimizer.state_dict()["ipu_state"]["Accl1___lin.bias"], kept)
    training(*data(1)[0])


def test_states_that_cannot_be_loaded():
    module = net()
    optimizer = optim.Adam(module.parameters())
    for kind in (RuntimeError, poptorch.Error):
        with pytest.raises(kind, match="Only IPU optimizer states can be loaded onto the IPU."):
            optimizer.load_state_dict(torch.optim.Adam(module.parameters()).state_dict())
    with pytest.raises(RuntimeError, match="because it is empty"):
        optimizer.load_state_dict(optimizer.state_dict())


def test_without_a_device_there_is_no_state():
    module = net()
    optimizer = optim.Adam(module.parameters())
    training = poptorch.trainingModel(module, poptorch.Options().useOfflineIpuTarget(), optimizer)
    training.compile(*data(1)[0])
    saved = optimizer.state_dict()
    assert saved["ipu_state"] is None and saved["ipu_param"] is None


def test_the_factor_of_an_automatic_loss_scale_is_state():
    torch.manual_seed(3)
    module = Net(torch.float16)
    options = poptorch.Options()
    options.Training.setAutomaticLossScaling(True)
    optimizer = optim.Adam(module.parameters(), loss_scaling=16.0)
    training = poptorch.trainingModel(module, options, optimizer)
    for x, y in data(2):
        training(x.half(), y.half())
    saved = optimizer.state_dict()
    assert float(saved["ipu_state"]["lossScaleUpdateFactor"]) > 0
    saved["ipu_state"]["lossScaleUpdateFactor"] = torch.tensor(0.25)
    optimizer.load_state_dict(saved)
    assert float(optimizer.state_dict()["ipu_state"]["lossScaleUpdateFactor"]) == 0.25


def test_weights_of_every_replica_have_state_of_their_own():
    class Grouped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))

        def forward(self, x):
            return poptorch.identity_loss((self.w * x).sum(), "sum")

    module = Grouped()
    optimizer = optim.Adam(module.parameters(), lr=0.1)
    training = poptorch.trainingModel(module, poptorch.Options().replicationFactor(2), optimizer)
    training.w.replicaGrouping(poptorch.CommGroupType.NoGrouping, 0, poptorch.VariableRetrievalMode.OnePerGroup)
    training(torch.tensor([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]))
    moments = optimizer.state_dict()["ipu_state"]["Accl1___w"]
    assert moments.shape == (2, 3)
    np.testing.assert_allclose(moments[1], 2 * moments[0], rtol=1e-6)
    optimizer.load_state_dict(optimizer.state_dict())
    training(torch.ones(2, 3))


class Looks(torch.nn.Module):
    """No gradient passes to the first table."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.first, self.second = torch.nn.Embedding(7, 4), torch.nn.Embedding(5, 4)

    def forward(self, x):
        index = (self.first(x).abs().sum(1) * 3).long() % 5
        return poptorch.identity_loss(self.second(index) ** 2, "sum") if poptorch.isRunningOnIpu() \
            else (self.second(index) ** 2).sum()


@pytest.mark.parametrize("make", TORCH.values(), ids=TORCH)
def test_a_weight_that_the_loss_does_not_depend_on_has_no_state(make):
    host, device = Looks(), Looks()
    theirs, ours = make(host.parameters()), make(device.parameters())
    training = poptorch.trainingModel(device, optimizer=ours)
    for _ in range(2):
        training(torch.arange(4))
        theirs.zero_grad(set_to_none=True)
        host(torch.arange(4)).backward()
        theirs.step()
    made, expected = ours.state_dict(), theirs.state_dict()
    entries = expected["state"].values()
    if entries and not any(torch.is_tensor(value) for entry in entries for value in entry.values()):
        expected["state"][0] = {"momentum_buffer": None}  # SGD without momentum, where the device knows of no state
    same_state(made, expected)
    training.destroy()
    assert torch.equal(device.first.weight, host.first.weight)
    ours.load_state_dict(made)


def test_ipu_states_leave_out_weights_that_the_loss_does_not_depend_on():
    module = Looks()
    optimizer = poptorch.optim.Adam(module.parameters(), lr=0.1)
    poptorch.trainingModel(module, optimizer=optimizer)(torch.arange(4))
    assert {name.partition("___")[2] for name in optimizer.state_dict()["ipu_state"]} == {"second.weight"}
