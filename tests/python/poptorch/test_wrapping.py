# SPDX-License-Identifier: MIT
"""What a wrapper shares with the user's module, and what it leaves alone."""
import poptorch
import pytest
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm, self.drop = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5)
        self.register_buffer("shift", torch.zeros(4))
        self.factor, self.seen = 1.0, []

    def forward(self, x):
        self.seen.append(self.training)
        out = self.drop(self.norm(self.lin(x))) * self.factor + self.shift
        return out, poptorch.identity_loss((out ** 2).mean(), "none")


X = torch.rand(8, 4) + torch.arange(4)


def test_modules_in_eval_stay_so_in_training():
    model = Net()
    model.norm.eval()
    model.drop.eval()
    with torch.no_grad():
        expected = model(X)[0]
    before = model.norm.running_mean.clone()
    out = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.lin.parameters(), lr=0.0))(X)[0]
    torch.testing.assert_close(out, expected)
    assert torch.equal(model.norm.running_mean, before) and model.training and not model.norm.training


def test_norms_in_eval_are_frozen_while_the_rest_learns():
    model = Net()
    model.norm.eval()
    model.drop.eval()
    reference = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    reference[0].load_state_dict(model.lin.state_dict())
    reference[1].eval()
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.01) for m in (model, reference)]
    training = poptorch.trainingModel(model, optimizer=optimizers[0])
    for _ in range(3):
        training(X)
        optimizers[1].zero_grad()
        (reference(X) ** 2).mean().backward()
        optimizers[1].step()
    torch.testing.assert_close(model.lin.weight, reference[0].weight, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(model.norm.running_var, reference[1].running_var)


@pytest.mark.parametrize("mode", [True, False])
def test_forward_sees_the_users_mode(mode):
    model = Net().train(mode)
    poptorch.trainingModel(model)(X)
    assert model.seen == [mode] and model.training is mode


def test_a_training_keeps_its_mode_though_the_module_is_evaluated_next():
    model = Net()
    training = poptorch.trainingModel(model)
    inference = poptorch.inferenceModel(model.eval())
    inference(X)
    training(X)
    assert model.seen == [False, True]


def test_the_wrappers_module_is_the_one_that_is_compiled():
    model = Net()
    wrapper = poptorch.inferenceModel(model)
    wrapper.model.eval()
    expected = Net.forward(wrapper.model, X)[0].detach()
    torch.testing.assert_close(wrapper(X)[0], expected)
    assert model.training and wrapper.model.lin.weight is model.lin.weight


def test_changes_before_the_first_call_are_seen():
    model = Net().eval()
    wrapper = poptorch.inferenceModel(model)
    model.factor, model.shift = 3.0, torch.full((4,), 2.0)
    model.lin = torch.nn.Linear(4, 4)
    model.norm.weight = torch.nn.Parameter(torch.full((4,), 0.5))
    torch.testing.assert_close(wrapper(X)[0], model(X)[0].detach())
    wrapper.destroy()
    model.factor = 5.0
    torch.testing.assert_close(wrapper(X)[0], model(X)[0].detach())


def test_changes_of_the_wrappers_own_module_stay():
    model = Net().eval()
    wrapper = poptorch.inferenceModel(model)
    wrapper.model.factor = 3.0
    torch.testing.assert_close(wrapper(X)[0], 3 * model(X)[0].detach())
    assert model.factor == 1.0


def test_a_wrapped_module_can_be_destroyed():
    model = Net()
    training = poptorch.trainingModel(model)
    with pytest.raises(RuntimeError, match=r"model.destroy\(\)"):
        poptorch.trainingModel(model)
    training(X)
    model.destroy()
    assert type(model) is Net and not training.isCompiled()
    assert not hasattr(model, "destroy")
    poptorch.trainingModel(model)(X)


def test_modules_that_are_saved_have_the_mode_that_was_compiled(tmp_path):
    model = poptorch.trainingModel(Saved())
    model(X)
    model.eval()
    model.save(str(tmp_path / "m.poptorch"))
    assert poptorch.load(str(tmp_path / "m.poptorch")).model.training


class Saved(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.nn.functional.mse_loss(self.lin(x), x)


# ---- buffers

def buffered(names):
    options = poptorch.Options()
    if names is not None:
        options.updatableNamedBuffers(names)
    return poptorch.inferenceModel(Net().eval(), options)


def test_named_buffers_go_to_the_device():
    model = buffered(["shift"])
    before = model(X)[0]
    model.shift.fill_(5.0)
    model.norm.running_mean.add_(100.0)
    assert torch.equal(model(X)[0], before)
    model.copyNamedBuffersToDevice()
    torch.testing.assert_close(model(X)[0], before + 5)


def test_named_buffers_that_are_none():
    with pytest.raises(poptorch.Error, match="no buffer 'shif'. Did you mean 'shift'"):
        buffered(["shif"])(X)
    with pytest.raises(poptorch.Error, match="no buffer 'lin.weight'"):
        buffered(["lin.weight"])(X)
    model = buffered(None)
    model(X)
    with pytest.raises(poptorch.Error, match="updatableNamedBuffers"):
        model.copyNamedBuffersToDevice()


# ---- calls at the wrong time

@pytest.mark.parametrize("kind", [poptorch.Error, AssertionError])
def test_calls_at_the_wrong_time_can_be_caught_either_way(kind):
    model = poptorch.inferenceModel(Net().eval(), poptorch.Options().logCycleCount(True))
    for wrong in (model.copyWeightsToHost, model.copyWeightsToDevice, model.compilationTime, model.getTensorNames):
        with pytest.raises(kind):
            wrong()
    model(X)
    model.detachFromDevice()
    with pytest.raises(kind, match="not attached"):
        model.detachFromDevice()


def test_cycles_before_the_first_call():
    model = poptorch.inferenceModel(Net().eval(), poptorch.Options().logCycleCount(True))
    for step in (lambda: None, lambda: model.compile(X)):
        step()
        with pytest.raises(poptorch.Error, match="Please run the model at least once before obtaining cycle count."):
            model.cycleCount()
    model(X)
    assert model.cycleCount() > 0
