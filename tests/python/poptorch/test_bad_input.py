# SPDX-License-Identifier: MIT
"""Things that go wrong in the middle: what is left must be as before, and usable."""
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
import torch

import poptorch


class Net(torch.nn.Module):
    def __init__(self, fails=None):
        super().__init__()
        torch.manual_seed(1)
        self.fc, self.fails = torch.nn.Linear(3, 2), [fails] if fails else []
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        x = self.fc(x)
        if self.fails and poptorch.isRunningOnIpu():
            raise self.fails[0]
        return x, poptorch.identity_loss(x, "mean")


X = torch.ones(4, 3)


def works():
    """A model runs, so that nothing of the last one is left."""
    net = Net()
    torch.testing.assert_close(poptorch.inferenceModel(net)(X)[0], net(X)[0].detach())


def free_devices():
    import popart
    gc.collect()
    manager, held = popart.DeviceManager(), []
    while (device := manager.tryAcquireAvailableDevice(1)) is not None:
        held.append(device)
    for device in held:
        device.detach()
    return len(held)


@pytest.mark.parametrize("problem", [RuntimeError("mine"), KeyboardInterrupt(), SystemExit(3), poptorch.Error("mine")])
def test_a_forward_that_throws(problem):
    free = free_devices()
    net, call = Net(problem), torch.nn.Module.__call__
    kinds = {name: type(value) for name, value in net.__dict__.items()}
    for make in (poptorch.inferenceModel, poptorch.trainingModel):
        model = make(net)
        with pytest.raises(type(problem)):
            model(X)
        assert not model.isCompiled() and not poptorch.isRunningOnIpu()
        assert torch.nn.Module.__call__ is call and torch.is_grad_enabled()
        assert type(net.fc.weight) is torch.nn.Parameter
        net.fails.clear()
        model(X)
        model.destroy()
        assert type(net) is Net and {name: type(value) for name, value in net.__dict__.items()} == kinds
        net.fails.append(problem)
    assert free_devices() == free
    works()


def test_parameters_replaced_in_a_forward_that_throws():
    class Replaces(Net):
        def forward(self, x):
            self._buffers["count"] = self.count + 1
            raise RuntimeError("mine")

    net = Replaces()
    before = net.count
    with pytest.raises((RuntimeError, poptorch.Error)):
        poptorch.inferenceModel(net)(X)
    assert net.count is before


def test_executors_within_models():
    inner = poptorch.inferenceModel(Net())

    class Outer(torch.nn.Module):
        def forward(self, x):
            return inner(x)

    for _ in range(2):  # compiled or not
        with pytest.raises(poptorch.Error, match="within the forward"):
            poptorch.inferenceModel(Outer())(X)
        inner(X)
    works()


@pytest.mark.parametrize("register", [poptorch.registerPreCompileHook, poptorch.registerPostCompileHook])
def test_hooks_that_throw(register):
    free = free_devices()

    def hook():
        raise RuntimeError("of a hook")

    handle = register(hook)
    try:
        model = poptorch.inferenceModel(Net())
        with pytest.raises(RuntimeError, match="of a hook"):
            model(X)
    finally:
        handle.remove()
    model(X)
    model.destroy()
    assert free_devices() == free


def test_hooks_of_modules_that_throw():
    net = Net()
    handle = net.fc.register_forward_hook(lambda *_: 1 / 0)
    model = poptorch.inferenceModel(net)
    with pytest.raises(ZeroDivisionError):
        model(X)
    handle.remove()
    model = poptorch.inferenceModel(net)
    model(X)


def test_damaged_caches(tmp_path):
    options = poptorch.Options().enableExecutableCaching(str(tmp_path))
    expected = poptorch.inferenceModel(Net(), options)(X)[0]
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    for damage in (b"", b"nonsense", None):
        for file in files:
            data = file.read_bytes()
            file.write_bytes(data[:len(data) // 2] if damage is None else damage)
        torch.testing.assert_close(poptorch.inferenceModel(Net(), options)(X)[0], expected)


def test_damaged_models(tmp_path):
    model = poptorch.inferenceModel(Net())
    model(X)
    model.save(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for data in (b"", whole[:20], whole[:200], whole[:-100], whole[:60] + b"x" + whole[61:], b"y" + whole[1:]):
        (tmp_path / "damaged").write_bytes(data)
        with pytest.raises(poptorch.Error):
            poptorch.load(tmp_path / "damaged")
    works()


def interrupted(after, call):
    """Runs the call, which Ctrl-C must end."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.cancel()


def test_interrupted_runs():
    free = free_devices()
    net = Net()
    model = poptorch.trainingModel(net, poptorch.Options().deviceIterations(10))
    x = X.repeat(10, 1)
    model(x)

    def forever():
        while True:
            model(x)

    for delay in (0.3, 0.5):
        interrupted(delay, forever)
    model(x)
    assert torch.isfinite(net.fc.weight).all()
    model.destroy()
    assert free_devices() == free
    works()


def test_updates_that_are_interrupted():
    """Within the micro-batches of an update the device has a part of the gradients; the model goes on from the host's."""
    options = poptorch.Options().deviceIterations(4)
    options.Training.gradientAccumulation(1000)
    net = Net()
    model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9))
    x = X.repeat(4000, 1)
    model.compile(x)
    kept = net.fc.weight.detach().clone()

    def forever():
        while True:
            model(x)

    for delay in (0.11, 0.23):
        interrupted(delay, forever)
        assert torch.isfinite(net.fc.weight).all()
        model(x)
    assert not torch.equal(net.fc.weight.detach(), kept)


def test_interrupted_compilations():
    free = free_devices()

    def forever():
        while True:
            poptorch.inferenceModel(Net(), poptorch.Options().showCompilationProgressBar(False))(X)

    for delay in (0.05, 0.13, 0.2, 0.31, 0.37):
        interrupted(delay, forever)
        assert not poptorch.isRunningOnIpu()
    works()
    assert free_devices() == free


def test_interrupted_where_torch_takes_a_mode_off(monkeypatch):
    modes = pytest.importorskip("torch.utils._python_dispatch")
    early = hasattr(modes, "_set_torch_dispatch_mode")  # 1.13: the last step of what is one in later versions
    name = "_set_torch_dispatch_mode" if early else "_pop_mode"
    real, interrupts = getattr(modes, name), [True]

    def once(*args):
        if (args == (None,) or not early) and interrupts and interrupts.pop():
            raise KeyboardInterrupt
        return real(*args)
    monkeypatch.setattr(modes, name, once)
    with pytest.raises(KeyboardInterrupt):
        poptorch.inferenceModel(Net(), poptorch.Options().showCompilationProgressBar(False))(X)
    assert not interrupts and torch.equal(torch.ones(2) + 1, torch.full([2], 2.0))
    works()


def test_two_processes_and_one_ipu(tmp_path):
    program = textwrap.dedent("""
        import sys, torch, poptorch
        model = poptorch.inferenceModel(torch.nn.Identity(), poptorch.Options().useIpuId(5).showCompilationProgressBar(False))
        try:
            model(torch.ones(1))
        except poptorch.Error as error:
            print("refused", error, flush=True)
            sys.exit()
        print("has it", flush=True)
        sys.stdin.readline()
        model.detachFromDevice()
        print("gave it back", flush=True)
        sys.stdin.readline()
    """)
    start = lambda: subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     text=True)
    first = start()
    try:
        assert first.stdout.readline() == "has it\n"
        second = start()
        assert "refused" in second.communicate("")[0]
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.stdout.readline() == "gave it back\n"
        third = start()
        assert "has it" in third.communicate("\n\n")[0]
    finally:
        first.kill()
        first.wait()
    works()
