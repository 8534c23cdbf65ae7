# SPDX-License-Identifier: MIT
"""Models over several IPUs beside the same models on the CPU."""
import pytest
import torch

import poptorch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(6, 6) for _ in range(3))
        self.last = torch.nn.Linear(6, 3)

    def forward(self, x, labels=None):
        x = x * 2
        for layer in self.layers:
            x = torch.tanh(layer(x))
        x = self.last(x)
        return x if labels is None else (x, torch.nn.functional.cross_entropy(x, labels))


def data(rows, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, 6, generator=generator), torch.randint(0, 3, (rows,), generator=generator)


def trained(model, accumulation, strategy=None):
    options = poptorch.Options()
    options.Training.gradientAccumulation(accumulation)
    if strategy is not None:
        options.setExecutionStrategy(strategy)
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    for seed in range(4):
        training(*data(2 * accumulation, seed))
    training.detachFromDevice()
    return model


def trained_by_torch(accumulation):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for seed in range(4):
        optimizer.zero_grad()
        model(*data(2 * accumulation, seed))[1].backward()
        optimizer.step()
    return model


def same(model, accumulation):
    for (name, a), b in zip(model.named_parameters(), trained_by_torch(accumulation).parameters()):
        torch.testing.assert_close(torch.Tensor(a.data), b.data, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.parametrize("strategy", [None, poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement),
                                      poptorch.ShardedExecution()])
@pytest.mark.parametrize("first", [False, True])  # whether the beginning has a block
def test_blocks_train_as_torch_does(strategy, first):
    model = Net()
    if first:
        poptorch.BeginBlock(model, ipu_id=0)
    poptorch.BeginBlock(model.layers[1], ipu_id=1)
    same(trained(model, 4, strategy), 4)


def test_blocks_infer_as_torch_does():
    model = Net().eval()
    x, _ = data(8, 0)
    expected = model(x).detach()
    for ipu, layer in enumerate((model.layers[1], model.layers[2], model.last), start=1):
        poptorch.BeginBlock(layer, ipu_id=ipu)
    inference = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(4))
    torch.testing.assert_close(inference(x), expected, rtol=1e-4, atol=1e-5)
    assert inference._device.numIpus == 4


def test_buffers_count_on_every_ipu():
    """Batch norms count calls in int64, which the device has in int32."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.BatchNorm1d(6), torch.nn.Linear(6, 3),
                                torch.nn.BatchNorm1d(3), torch.nn.CrossEntropyLoss())
    poptorch.BeginBlock(model[2], ipu_id=1)

    class WithLoss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x, labels):
            for layer in self.model[:-1]:
                x = layer(x)
            return self.model[-1](x, labels)

    options = poptorch.Options()
    options.Training.gradientAccumulation(4)
    training = poptorch.trainingModel(WithLoss(), options, torch.optim.SGD(model.parameters(), lr=0.1))
    for seed in range(3):
        training(*data(16, seed))
    assert int(model[1].num_batches_tracked) == int(model[3].num_batches_tracked) == 12


class Vectors(torch.nn.Module):
    """The gradient of a bias is what comes in: nothing is summed, as a micro-batch has one axis."""

    def __init__(self, plain):
        super().__init__()
        self.a, self.b = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        self.shift = torch.nn.Parameter(torch.ones(1))
        self.plain = plain

    def forward(self, x):
        with poptorch.Block("A", ipu_id=0):
            x = x + self.shift if self.plain else self.a(x)
        with poptorch.Block("B", ipu_id=1):
            x = self.b(x)
            return x, poptorch.identity_loss(x * x, "sum")


@pytest.mark.parametrize("plain", [False, True])
def test_a_bias_of_an_earlier_stage_learns_from_inputs_of_one_axis(plain):
    models = []
    for form in ((3, 1), (3,)):
        torch.manual_seed(5)
        options = poptorch.Options()
        options.Training.gradientAccumulation(3)
        model = Vectors(plain)
        training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1))
        for seed in range(2):
            training(torch.arange(3.0).reshape(form) + seed)
        training.detachFromDevice()
        models.append(model)
    for one, other in zip(*(model.parameters() for model in models)):
        torch.testing.assert_close(one, other)
