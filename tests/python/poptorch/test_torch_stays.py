# SPDX-License-Identifier: MIT
"""A capture leaves torch as it was: every name, and what functions do. Meanwhile other threads see nothing of it."""
import importlib
import importlib.util
import sys
import threading
import types

import pytest
import torch
import torch.utils.checkpoint
from torch.distributions import Normal

import poptorch
from poptorch.capture import substitutes

if importlib.util.find_spec("torch._dynamo"):  # torch.compile changes names of torch when it is imported
    importlib.import_module("torch._dynamo")
F = torch.nn.functional
PLACES = [torch, torch.Tensor, torch._C._TensorBase, F, torch.nn, torch.nn.Module, torch.nn.Parameter,
          torch.nn.modules.module, torch.nn.modules.batchnorm._BatchNorm, torch.nn.AdaptiveLogSoftmaxWithLoss,
          torch.nn.RNNBase,
          torch.autograd, torch.autograd.Function, torch.autograd.function, torch.utils.checkpoint,
          torch.utils.checkpoint.CheckpointFunction, torch.utils._python_dispatch, torch.overrides,
          torch.distributions, torch.distributions.Distribution, torch.optim]
X = torch.arange(6.0).reshape(2, 3)
poptorch.PoplarExecutor  # parameters get their method replicaGrouping when it is imported


def names():
    return {(place.__name__, name): value for place in PLACES for name, value in vars(place).items()}


def check_same(before):
    after = names()
    assert before.keys() ^ after.keys() == set()
    assert [key for key in before if before[key] is not after[key]] == []


def check_behaviour():
    assert torch.tensor([torch.tensor(1), torch.tensor(2)]).tolist() == [1, 2]
    assert torch.equal(X[1, torch.tensor(2)], torch.tensor(5.0)) and X[0:1].shape == (1, 3)
    y = X.clone()
    y[torch.tensor(0)] = 7
    assert y[0].tolist() == [7, 7, 7]
    weight = torch.nn.Parameter(torch.ones(2))
    (weight * 3).sum().backward()
    assert weight.grad.tolist() == [3, 3] and torch.is_grad_enabled()
    with pytest.raises(ValueError):
        Normal(0.0, -torch.ones(()))


class Net(torch.nn.Module):
    """Everything of torch that a capture has a substitute for."""

    def __init__(self, problem=None):
        super().__init__()
        self.fc, self.norm = torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3, momentum=None)
        self.problem = problem
        self.register_buffer("table", torch.eye(3))

    def forward(self, x, i):
        i = i[0]
        x = self.norm(self.fc(x)) + self.table[i] + torch.tensor([1.0, 2.0, 3.0], device=x.device)
        x = x + self.table[i:i + 1] + torch.tensor([torch.tensor(1.5)])
        x = x + Normal(torch.zeros_like(x), x.exp()).log_prob(x)
        loss = F.gaussian_nll_loss(x, torch.zeros_like(x), x.exp())
        if self.problem:
            raise self.problem
        return poptorch.identity_loss(loss, "none")


I = torch.tensor([1])


@pytest.mark.parametrize("wrap", [poptorch.inferenceModel, poptorch.trainingModel])
@pytest.mark.parametrize("problem", [None, RuntimeError("mine"), KeyboardInterrupt()], ids=str)
def test_torch_is_as_before(wrap, problem):
    check_behaviour()
    before = names()
    net = Net(problem)
    kinds = [type(tensor) for tensor in net.state_dict(keep_vars=True).values()]
    model = wrap(net)
    if problem is None:
        model(X, I)
    else:
        with pytest.raises(type(problem)):
            model(X, I)
    check_same(before)
    check_behaviour()
    model.destroy()
    assert [type(tensor) for tensor in net.state_dict(keep_vars=True).values()] == kinds


def test_captures_that_overlap_leave_nothing_behind(monkeypatch):
    """What torch 2 keeps for the whole process: whether a mode is on, and whether torch.compile compiles. A stand-in for the
    second shows it with any torch."""
    stances = ["default"]

    class Stance:
        def __init__(self, stance):
            self.stance, self.before = stance, stances[-1]
            stances.append(stance)

        def __enter__(self):
            stances.append(self.stance)

        def __exit__(self, *problem):
            stances.append(self.before)
    monkeypatch.setattr(torch, "compiler", types.SimpleNamespace(set_stance=Stance), raising=False)
    monkeypatch.setitem(sys.modules, "torch._dynamo", types.ModuleType("torch._dynamo"))
    monkeypatch.setattr(torch.utils._python_dispatch, "_is_in_torch_dispatch_mode", False, raising=False)
    before = names()
    one, other = object(), object()
    substitutes.begin(one)
    substitutes.begin(other)
    substitutes.end(one)
    assert stances[-1] == "force_eager" and torch.utils._python_dispatch._is_in_torch_dispatch_mode
    substitutes.end(other)
    assert stances[-1] == "default"
    check_same(before)


def test_results_with_all_substitutes_are_torchs():
    net = Net()
    net.eval()
    expected = net(X, I)
    torch.testing.assert_close(poptorch.inferenceModel(net)(X, I), expected.detach(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("held", ["parameter", "buffer", "attribute"])
def test_what_modules_hold_is_indexed_by_numbers_of_the_run(held):
    class Table(torch.nn.Module):
        def __init__(self):
            super().__init__()
            values = torch.arange(12.0).reshape(4, 3)
            if held == "buffer":
                self.register_buffer("values", values)
            else:
                self.values = torch.nn.Parameter(values) if held == "parameter" else values

        def forward(self, i):
            i = i[0]
            return self.values[i], self.values[i:i + 2], self.values[:, i - 1:i]
    table = Table()
    model = poptorch.inferenceModel(table)
    for i in (1, 2):
        for ours, theirs in zip(model(torch.tensor([i])), table(torch.tensor([i]))):
            assert torch.equal(ours, theirs)


def test_tensors_of_nobody_are_indexed_by_numbers_of_the_run():
    values = torch.arange(12.0).reshape(4, 3)

    class Takes(torch.nn.Module):
        def forward(self, i):
            return values[i[0]], values[1:, i[0] - 1], [values][0][i[0], None]
    model = poptorch.inferenceModel(Takes())
    for i in (1, 2):
        for ours, theirs in zip(model(torch.tensor([i])), Takes()(torch.tensor([i]))):
            assert torch.equal(ours, theirs)


def test_caches_in_buffers_are_written_where_numbers_of_the_run_say():
    class Cache(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rows", torch.zeros(4, 2))

        def forward(self, x, i):
            i = i[0]
            self.rows[i:i + 1] = x
            return self.rows[i].sum(), self.rows.clone()
    cache, reference = Cache(), Cache()
    model = poptorch.inferenceModel(cache)
    for i in (2, 0):
        x = torch.full((1, 2), i + 1.0)
        for ours, theirs in zip(model(x, torch.tensor([i])), reference(x, torch.tensor([i]))):
            assert torch.equal(ours, theirs)
    assert torch.equal(cache.rows, reference.rows)


class Waits(torch.nn.Module):
    """forward() stands still until another thread has looked."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.inside, self.looked = threading.Event(), threading.Event()

    def forward(self, x):
        if poptorch.isRunningOnIpu():
            self.inside.set()
            self.looked.wait(60)
        return self.fc(x)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 5  # which no operator of forward() gives


def test_another_thread_has_torchs_own_functions_meanwhile():
    net = Waits()
    model = poptorch.inferenceModel(net)
    worker = threading.Thread(target=model, args=(X,))
    worker.start()
    try:
        assert net.inside.wait(60)
        check_behaviour()
        x = torch.ones(2, requires_grad=True)
        gradient, = torch.autograd.grad(Doubled.apply(x).sum(), x)
        assert gradient.tolist() == [5, 5] and not poptorch.isRunningOnIpu()
        norm = torch.nn.BatchNorm1d(3, momentum=None)
        norm(X)
        assert norm.num_batches_tracked == 1 and type(norm(X)) is torch.Tensor
        assert type(net.fc(X)) is torch.Tensor and type(net.fc.weight) is torch.nn.Parameter
        with pytest.raises(ValueError, match="negative"):
            F.gaussian_nll_loss(X, X, -torch.ones(2, 3))
    finally:
        net.looked.set()
        worker.join()
    assert torch.equal(model(X), model(X))
