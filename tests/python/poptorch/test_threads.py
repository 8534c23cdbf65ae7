# SPDX-License-Identifier: MIT
"""Several threads: models of their own, one model, and forward() that starts some."""
import concurrent.futures
import importlib
import importlib.util
import threading

import pytest
import torch

import poptorch

F = torch.nn.functional


def together(work, count=4):
    """work(i) on threads that begin at once; their results."""
    begin = threading.Barrier(count)

    def one(i):
        begin.wait()
        return work(i)
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def test_models_compiled_by_several_threads():
    places = [torch, torch.utils._python_dispatch]
    if importlib.util.find_spec("torch._dynamo"):  # torch.compile changes names of torch when it is imported
        places.append(importlib.import_module("torch._dynamo.eval_frame"))
    before = [dict(vars(place)) for place in places]

    def work(i):
        torch.manual_seed(i)
        x = torch.randn(2, 8)
        for _ in range(3):
            net = torch.nn.Sequential(torch.nn.Linear(8, 8 + i), torch.nn.ReLU(), torch.nn.Linear(8 + i, 3))
            torch.testing.assert_close(poptorch.inferenceModel(net)(x), net(x).detach(), rtol=1e-4, atol=1e-4)
    together(work)
    for place, had in zip(places, before):
        assert [name for name, value in had.items() if vars(place).get(name) is not value] == []


def test_one_model_called_by_several_threads_gives_each_its_own_result():
    torch.manual_seed(0)
    net = torch.nn.Linear(64, 64)
    model = poptorch.inferenceModel(net)
    weight, bias = net.weight.detach().clone(), net.bias.detach().clone()

    def wrong(i):
        generator = torch.Generator().manual_seed(i)
        inputs = [torch.randn(8, 64, generator=generator) for _ in range(250)]
        return sum(not torch.allclose(model(x), F.linear(x, weight, bias), atol=1e-3) for x in inputs)
    assert together(wrong) == [0, 0, 0, 0]


def test_weights_are_read_while_another_thread_trains():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(4096))

        def forward(self, x):
            return poptorch.identity_loss((self.weight * x).sum(), "sum")
    net = Net()
    model = poptorch.trainingModel(net, optimizer=torch.optim.SGD(net.parameters(), lr=1.0))
    x = torch.full((4096,), -1.0)
    model(x)

    def work(i):
        if i % 2:
            return [model(x) for _ in range(20)] and []
        # A function of the parameter itself: detach() would give torch's memory, into which others fetch newer values.
        return [len(net.weight.unique()) for _ in range(50)]
    assert {n for seen in together(work) for n in seen} == {1}  # all of one step
    assert net.weight[0] == 41


class Pause:
    """Weights of a session that call something before they are sent."""

    def __init__(self, weights, before):
        self._weights, self._before = weights, before

    def __getattr__(self, name):
        return getattr(self._weights, name)

    def send(self):
        self._before()
        self._weights.send()


def test_what_is_trained_while_weights_are_sent_is_used_the_next_time():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(4))

        def forward(self, x):
            return poptorch.identity_loss((self.weight * x).sum(), "sum") if self.training else self.weight * 1
    net = Net()
    trained = poptorch.trainingModel(net, optimizer=torch.optim.SGD(net.parameters(), lr=1.0))
    used = poptorch.inferenceModel(net.eval())
    net.train()
    x = torch.full((4,), -1.0)
    trained(x)
    assert used(x).tolist() == [1] * 4
    trained(x)
    trainer = threading.Thread(target=trained, args=(x,))

    def meanwhile():
        if trainer.ident is None:
            trainer.start()
            trainer.join(0.5)  # it waits for its turn, or is done
    used._weights._state = Pause(used._weights._state, meanwhile)
    assert used(x).tolist() == [2] * 4
    trainer.join()
    assert used(x).tolist() == [3] * 4


def test_threads_within_forward_are_refused():
    class Net(torch.nn.Module):
        def forward(self, x):
            out = []
            worker = threading.Thread(target=lambda: out.append(x + 1))
            worker.start()
            worker.join()
            return out[0]
    model = poptorch.inferenceModel(Net())
    hook, threading.excepthook = threading.excepthook, lambda *_: None
    try:
        with pytest.raises(poptorch.Error, match="by another thread than the one that runs forward"):
            model(torch.ones(2))
    finally:
        threading.excepthook = hook
