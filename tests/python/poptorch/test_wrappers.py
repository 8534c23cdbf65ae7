# SPDX-License-Identifier: MIT
"""Wrappers beside calls of them: errors, copies, hooks, names of what they wrap, options that cannot be."""
import copy
import pickle

import popart_core
import pytest
import torch

import poptorch
from test_executor import Net, data, same_weights


def test_errors_of_the_session_are_poptorchs():
    x, labels = data(8)
    training = poptorch.trainingModel(Net())
    training(x, labels)

    class Broken:
        def __getattr__(self, name):
            raise popart_core.popart_exception("broken on purpose")
    compiled, state, random = training._compiled, training._weights._state, training._random
    training._compiled, training._weights._state = compiled._replace(session=Broken()), Broken()
    training._random = Broken()
    try:
        for use in (lambda: training(x, labels), training.copyWeightsToHost, training.copyWeightsToDevice,
                    training.getTensorNames, lambda: training.rng_state, training._debugGetPopartIR):
            with pytest.raises(poptorch.Error, match="broken on purpose"):
                use()
    finally:
        training._compiled, training._weights._state, training._random = compiled, state, random
    training(x, labels)


def test_hooks_on_gradients_of_parameters_are_refused():
    x, labels = data(8)
    model = Net()
    handle = model.second.weight.register_hook(lambda gradient: gradient * 0)
    poptorch.inferenceModel(model)(x)
    training = poptorch.trainingModel(model)
    with pytest.raises(poptorch.Error, match="second.weight has a hook on its gradient"):
        training(x, labels)
    handle.remove()
    training(x, labels)
    with pytest.raises(poptorch.Error, match="Hooks on gradients"):
        model.second.weight.register_hook(print)


def test_a_training_takes_over_buffers_that_an_inference_wrote():
    x, labels = data(8)
    model = Net()
    inference = poptorch.inferenceModel(model)
    inference(x)
    training = poptorch.trainingModel(model)
    training(x, labels)
    inference.destroy()
    training(x, labels)
    assert model.calls == 3
    del training
    assert model.calls == 3 and type(model.calls) is torch.Tensor


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))], ids=["copy", "pickle"])
def test_copies_of_wrappers_wrap_copies_of_the_module(copied):
    x, labels = data(8)
    model = Net()
    training = poptorch.trainingModel(model, optimizer=poptorch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    training(x, labels)
    other = copied(training)
    assert not other.isCompiled() and type(other.model.first.weight) is torch.nn.Parameter
    same_weights(model, other.model)
    for _ in range(2):
        torch.testing.assert_close(other(x, labels), training(x, labels))
    same_weights(model, other.model)
    inference = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(2))
    again = copied(inference)
    assert again.options.device_iterations == 2 and again.model is not model
    torch.testing.assert_close(again(x), inference(x))


@pytest.mark.parametrize("name", ["layer___default___x", "Accl1___w", "lossScaling_FLOAT", "learningRate___specific___x"])
def test_parameters_may_have_any_name(name):
    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_parameter(name, torch.nn.Parameter(torch.ones(2)))
            self.add_module(name + "m", torch.nn.Linear(2, 2))
            self.register_parameter(name.replace("___", "_-_"), torch.nn.Parameter(torch.full((2,), 3.0)))

        def forward(self, x):
            y = getattr(self, name + "m")(x * getattr(self, name)) + getattr(self, name.replace("___", "_-_"))
            return torch.nn.functional.mse_loss(y, x)
    x = torch.ones(3, 2)
    torch.manual_seed(1)
    ours, torchs = Named(), Named()
    torchs.load_state_dict(ours.state_dict())
    training = poptorch.trainingModel(ours, optimizer=poptorch.optim.SGD(ours.parameters(), lr=0.1, momentum=0.5))
    optimizer = torch.optim.SGD(torchs.parameters(), lr=0.1, momentum=0.5)
    for _ in range(2):
        training(x)
        optimizer.zero_grad()
        torchs(x).backward()
        optimizer.step()
    same_weights(ours, torchs)


def test_shares_of_memory_of_ipus_that_are_not_there():
    options = poptorch.Options().setAvailableMemoryProportion({"IPU0": 0.5, "IPU9": 0.5})
    with pytest.raises(poptorch.Error, match="names IPU9, but the model has 1 IPU, IPU0"):
        poptorch.inferenceModel(Net(), options)(data(8)[0])


@pytest.mark.parametrize("seed", [2**70, -1, 2**64])
def test_seeds_that_do_not_fit(seed):
    with pytest.raises(ValueError, match=r"must be a number from 0 to 2\*\*64 - 1"):
        poptorch.Options().randomSeed(seed)
    model = poptorch.inferenceModel(Net())
    with pytest.raises(ValueError, match=r"the seed must be a number from 0 to 2\*\*64 - 1"):
        model.rng_state = [seed]
