# SPDX-License-Identifier: MIT
"""Models on the IPU beside the same models on the CPU: numbers, weights, batching, devices."""
import copy
import gc
import os
import pickle
import stat
import subprocess
import sys
import weakref

import pytest
import torch

import poptorch


class Net(torch.nn.Module):
    """Two layers with a buffer that counts calls; the loss is computed in training."""

    def __init__(self, dropout=0.0):
        super().__init__()
        torch.manual_seed(3)
        self.first = torch.nn.Linear(4, 6)
        self.second = torch.nn.Linear(6, 3)
        self.drop = torch.nn.Dropout(dropout)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, labels=None):
        self.calls.add_(1)
        x = self.second(self.drop(torch.tanh(self.first(x))))
        if labels is None:
            return x
        return x, torch.nn.functional.cross_entropy(x, labels)


def data(rows, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, 4, generator=generator), torch.randint(0, 3, (rows,), generator=generator)


def step_on_cpu(model, optimizer, x, labels, parts=1):
    """One update from the mean gradient of equal parts; the last part's results."""
    optimizer.zero_grad()
    for xs, ls in zip(x.chunk(parts), labels.chunk(parts)):
        out, loss = model(xs, ls)
        (loss / parts).backward()
    optimizer.step()
    return out.detach(), loss.detach()


def same_weights(a, b, tolerance=1e-5):
    for name, value in a.state_dict().items():
        torch.testing.assert_close(value, b.state_dict()[name], rtol=tolerance, atol=tolerance, msg=name)


@pytest.mark.parametrize("make", [
    lambda p: torch.optim.SGD(p, lr=0.1),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True),
    lambda p: torch.optim.Adam(p, lr=0.01),
    lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.1),
    lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    lambda p: torch.optim.SGD(p, lr=0.1, maximize=True),
])
def test_training_follows_torch(make):
    model, reference = Net(), Net()
    training = poptorch.trainingModel(model, optimizer=make(model.parameters()))
    optimizer = make(reference.parameters())
    for step in range(6):
        x, labels = data(5, step)
        out, loss = training(x, labels)
        expected_out, expected_loss = step_on_cpu(reference, optimizer, x, labels)
        torch.testing.assert_close(out, expected_out, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(loss, expected_loss, rtol=1e-4, atol=1e-5)
    same_weights(model, reference)
    assert int(model.calls) == 6


def test_schedulers_see_that_steps_were_made(recwarn):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    training = poptorch.trainingModel(model, optimizer=optimizer)
    training(*data(5))
    schedule.step()
    training.setOptimizer(optimizer)
    training(*data(5))
    assert not [w for w in recwarn if "lr_scheduler.step()" in str(w.message)]


@pytest.mark.parametrize("iterations, accumulation, replicas", [(3, 1, 1), (1, 4, 1), (1, 1, 2), (2, 2, 2)])
def test_batching_follows_torch(iterations, accumulation, replicas):
    options = poptorch.Options().deviceIterations(iterations).replicationFactor(replicas)
    options.Training.gradientAccumulation(accumulation)
    options.outputMode(poptorch.OutputMode.All)
    model, reference = Net(), Net()
    training = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    optimizer = torch.optim.SGD(reference.parameters(), lr=0.1, momentum=0.9)
    x, labels = data(2 * iterations * accumulation * replicas)
    out, loss = training(x, labels)
    assert out.shape == (len(x), 3)
    assert loss.shape == (() if iterations * accumulation * replicas == 1 else (len(x) // 2,))
    for xs, ls in zip(x.chunk(iterations), labels.chunk(iterations)):
        step_on_cpu(reference, optimizer, xs, ls, accumulation * replicas)
    for name, value in model.named_parameters():
        torch.testing.assert_close(value, dict(reference.named_parameters())[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode, period, rows", [("Final", None, 2), ("All", None, 12), ("EveryN", 2, 6), ("Sum", None, 2)])
def test_output_modes(mode, period, rows):
    options = poptorch.Options().deviceIterations(6).outputMode(poptorch.OutputMode[mode], period)
    model = Net().eval()
    x, _ = data(12)
    out = poptorch.inferenceModel(model, options)(x)
    every = model(x).detach().reshape(6, 2, 3)
    expected = {"Final": every[-1], "All": every.reshape(12, 3), "EveryN": every[1::2].reshape(6, 3),
                "Sum": every.sum(0)}[mode]
    assert out.shape == (rows, 3)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


def test_weights_are_shared():
    model = Net()
    x, labels = data(5)
    inference = poptorch.inferenceModel(model)
    before = inference(x)
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.5))
    training(x, labels)
    after = inference(x)
    assert not torch.allclose(before, after)
    torch.testing.assert_close(after, model(x).detach(), rtol=1e-4, atol=1e-5)
    # Any read fetches the newest values; a saved state has no trace of the wrapper.
    training(x, labels)
    state = pickle.loads(pickle.dumps(model.state_dict()))
    assert all(type(value) is torch.Tensor for value in state.values())
    other = Net()
    other.load_state_dict(state)
    torch.testing.assert_close(inference(x), other(x).detach(), rtol=1e-4, atol=1e-5)
    copied = copy.deepcopy(model)
    assert type(copied) is Net and type(copied.first.weight) is torch.nn.Parameter
    # Edits on the host are sent when the user says so.
    with torch.no_grad():
        model.first.weight.zero_()
    training.copyWeightsToDevice()
    torch.testing.assert_close(inference(x), model(x).detach(), rtol=1e-4, atol=1e-5)
    training.destroy()
    assert type(model) is Net and type(model.first.weight) is torch.nn.Parameter
    with pytest.raises(AssertionError, match="Model has not been compiled or has been destroyed"):
        training.detachFromDevice()


def test_detach_and_attach():
    model, reference = Net(), Net()
    make = lambda m: torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    training, optimizer = poptorch.trainingModel(model, optimizer=make(model)), make(reference)
    for step in range(4):
        x, labels = data(5, step)
        training(x, labels)
        step_on_cpu(reference, optimizer, x, labels)
        training.detachFromDevice()
        assert not training.isAttachedToDevice()
        with pytest.raises(AssertionError, match="Device is not attached"):
            training.detachFromDevice()
    same_weights(model, reference)
    training.attachToDevice()
    with pytest.raises(AssertionError, match="Device is already attached"):
        training.attachToDevice()


def test_learning_rate_changes():
    model, reference = Net(), Net()
    ours, theirs = [torch.optim.SGD(m.parameters(), lr=0.5) for m in (model, reference)]
    training = poptorch.trainingModel(model, optimizer=ours)
    for step in range(3):
        x, labels = data(5, step)
        training(x, labels)
        step_on_cpu(reference, theirs, x, labels)
        for optimizer in (ours, theirs):
            optimizer.param_groups[0]["lr"] *= 0.1
        training.setOptimizer(ours)
    same_weights(model, reference)


def test_parameters_that_are_not_trained():
    model, reference = Net(), Net()
    for m in (model, reference):
        m.first.weight.requires_grad_(False)
    make = lambda m: torch.optim.SGD([m.first.bias, m.second.weight], lr=0.5)
    training = poptorch.trainingModel(model, optimizer=make(model))
    x, labels = data(5)
    training(x, labels)
    step_on_cpu(reference, make(reference), x, labels)
    same_weights(model, reference)


def test_saved_models_run_elsewhere(tmp_path):
    model = Net()
    x, labels = data(5)
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.5))
    training(x, labels)
    file = tmp_path / "model.poptorch"
    training.save(file)
    expected = training(x, labels)
    loaded = poptorch.load(file)
    for a, b in zip(loaded(x, labels), expected):
        torch.testing.assert_close(a, b)
    with open(file, "rb") as whole:
        content = whole.read()
    for damaged in (b"", content[:50], content[:10] + b"x" + content[11:], content[:len(content) // 2]):
        file.write_bytes(damaged)
        with pytest.raises(poptorch.Error):
            poptorch.load(file)
    with pytest.raises(poptorch.Error, match="cannot be read"):
        poptorch.load(tmp_path / "absent")


def test_an_executable_leaves_weights_alone(tmp_path):
    """Who loads one into a model of his own wants the model's weights."""
    x = torch.ones(2, 3)
    first = poptorch.inferenceModel(torch.nn.Linear(3, 2))
    first.compileAndExport(tmp_path / "first", x, export_model=False)
    own = torch.nn.Linear(3, 2)
    before = copy.deepcopy(own)
    second = poptorch.inferenceModel(own)
    second.loadExecutable(tmp_path / "first")
    torch.testing.assert_close(second(x), before(x))
    same_weights(own, before)


def test_saving_leaves_what_is_there_as_it_is(tmp_path):
    """Links and devices stay, nothing is written beside the file, and no folder is made of a slip of the pen."""
    model = poptorch.inferenceModel(torch.nn.Linear(3, 2))
    model.compile(torch.ones(2, 3))
    os.symlink(tmp_path / "victim", tmp_path / f"m.poptorch.{os.getpid()}.partial")
    os.symlink("target", tmp_path / "link")
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "folder").mkdir()
    for name in ("m.poptorch", "link", "folder"):
        model.save(tmp_path / name)
    assert (tmp_path / "victim").read_text() == "precious" and os.readlink(tmp_path / "link") == "target"
    for name in ("m.poptorch", "target", "folder/model.poptorch"):
        poptorch.load(tmp_path / name)
    model.save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(poptorch.Error, match="there is no folder"):
        model.save(tmp_path / "typo/m.poptorch")
    with pytest.raises(poptorch.Error, match="\"/dev/full\" cannot be written: No space left"):
        model.save("/dev/full")
    if os.geteuid() == 0:
        os.chown(tmp_path / "link", 65534, 65534, follow_symlinks=False)
        with pytest.raises(poptorch.Error, match="a link that user 65534 made"):
            model.save(tmp_path / "link")
    assert {f.name for f in tmp_path.iterdir()} == {"victim", "folder", "link", "target", "m.poptorch",
                                                    f"m.poptorch.{os.getpid()}.partial"}


def test_saved_models_have_the_same_bytes_every_time(tmp_path):
    program = """
import sys, torch, poptorch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(), torch.nn.Linear(4, 2), torch.nn.MSELoss())
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = model[:3]
    def forward(self, x, y):
        out = self.parts(x)
        return out, torch.nn.functional.mse_loss(out, y)
net = Net()
options = poptorch.Options().randomSeed(3).showCompilationProgressBar(False)
training = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.5))
training(torch.ones(2, 3), torch.ones(2, 2))
training.save(sys.argv[1])
"""
    for seed in ("1", "2"):
        subprocess.run([sys.executable, "-c", program, tmp_path / seed], env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_offline_compilation(tmp_path):
    options = poptorch.Options().useOfflineIpuTarget()
    model = Net().eval()
    x, _ = data(5)
    offline = poptorch.inferenceModel(model, options)
    with pytest.raises(AssertionError, match="Trying to run a model on an offline device"):
        offline(x)
    offline.compileAndExport(tmp_path / "model.poptorch", x)
    loaded = poptorch.load(tmp_path / "model.poptorch")
    torch.testing.assert_close(loaded(x), model(x).detach(), rtol=1e-4, atol=1e-5)


def test_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POPTORCH_CACHE_DIR", str(tmp_path))
    x, labels = data(5)
    results = []
    for _ in range(2):
        model = Net()
        training = poptorch.trainingModel(model, poptorch.Options(), torch.optim.SGD(model.parameters(), lr=0.5))
        results.append(training(x, labels)[1])
        training.destroy()
    assert torch.equal(*results)
    assert len(list(tmp_path.glob("*.popef"))) == 1


def test_structures():
    class Structured(torch.nn.Module):
        def forward(self, first, *rest, scale=2, named):
            a, (b, c) = first
            return {"sum": a + b, "others": [c * scale, (rest[0], named["x"] - 1)], "none": None, "text": "as it is"}

    t = [torch.full((2,), float(i)) for i in range(5)]
    model = poptorch.inferenceModel(Structured())
    out = model((t[0], [t[1], t[2]]), t[3], named={"x": t[4]})
    assert out["none"] is None and out["text"] == "as it is"
    assert out["sum"].tolist() == [1, 1] and out["others"][0].tolist() == [4, 4]
    assert out["others"][1][0].tolist() == [3, 3] and out["others"][1][1].tolist() == [3, 3]
    with pytest.raises(poptorch.Error, match="Shape mismatch for"):
        model((t[0], [t[1], torch.zeros(4)]), t[3], named={"x": t[4]})
    with pytest.raises(poptorch.Error, match="Value mismatch for"):
        model((t[0], [t[1], t[2]]), t[3], scale=3, named={"x": t[4]})


def test_types():
    class Types(torch.nn.Module):
        def forward(self, *tensors):
            return tuple(t + 1 if t.dtype is not torch.bool else ~t for t in tensors)

    given = [torch.tensor([1, 2]).to(d) for d in (torch.float, torch.half, torch.int, torch.int64, torch.double,
                                                   torch.bool)]
    out = poptorch.inferenceModel(Types())(*given)
    assert [t.dtype for t in out] == [torch.float, torch.half, torch.int, torch.int, torch.float, torch.bool]
    assert [t.tolist() for t in out[:5]] == [[2, 3]] * 5 and out[5].tolist() == [False, False]


def test_dropout_and_seed():
    model = Net(dropout=0.5)
    x, labels = data(64)
    runs = []
    for _ in range(2):
        training = poptorch.trainingModel(model, poptorch.Options().randomSeed(7),
                                          torch.optim.SGD(model.parameters(), lr=0.0))
        runs.append([training(x, labels)[0] for _ in range(2)])
        training.destroy()
    assert torch.equal(runs[0][0], runs[1][0]) and torch.equal(runs[0][1], runs[1][1])
    assert not torch.equal(runs[0][0], runs[0][1])


def test_wrong_uses():
    model = Net()
    x, labels = data(5)
    with pytest.raises(poptorch.Error, match="Couldn't find a loss in graph"):
        poptorch.trainingModel(model)(x)
    with pytest.raises(poptorch.Error, match="Invalid type"):
        poptorch.inferenceModel(model, {"deviceIterations": 2})
    options = poptorch.Options()
    options.Training.gradientAccumulation(2)
    with pytest.raises(poptorch.Error, match="deviceIterations"):
        poptorch.inferenceModel(model, options)
    with pytest.raises(AssertionError, match="Invalid batch dimension"):
        poptorch.inferenceModel(model, poptorch.Options().deviceIterations(2))(x)

    class Two(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.mse_loss(x, x + 1), torch.nn.functional.l1_loss(x, x + 1)

    with pytest.raises(poptorch.Error, match="Multiple independent losses"):
        poptorch.trainingModel(Two())(x)

    class Odd(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.eigh(x[:, :1] * x[:, :1].t())

    with pytest.raises(poptorch.Error, match="Unsupported ops found in compiled model") as problem:
        poptorch.inferenceModel(Odd())(x)
    assert "test_executor.py" in str(problem.value)

    class Reassigned(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("b", torch.zeros(1))

        def forward(self, x):
            self.b = self.b + 1
            return x + self.b

    with pytest.raises(poptorch.Error, match="is reassigned within the model"):
        poptorch.inferenceModel(Reassigned())(x)

    class Asks(torch.nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(poptorch.Error, match="known only when the model runs"):
        poptorch.inferenceModel(Asks())(x)
    model = Net()
    training = poptorch.trainingModel(model)
    for _ in range(2):  # compiled or not
        with pytest.raises(RuntimeError, match="already been wrapped"):
            poptorch.trainingModel(model)
        training(x, labels)
    training.destroy()
    poptorch.trainingModel(model).destroy()
    assert type(model) is Net


def test_models_that_return_nothing():
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(()))

        def forward(self, x):
            self.seen += x.sum()

    counts = Counts()
    model = poptorch.inferenceModel(counts, poptorch.Options().deviceIterations(2))
    assert model(torch.ones(4)) is None and model(torch.ones(4)) is None
    model.copyWeightsToHost()
    assert counts.seen == 8


class Writes(torch.nn.Module):
    """Changes its inputs: a view of one, all of another; the third is only read."""

    def forward(self, a, b, c):
        a[:, 0] = 7
        b.mul_(2).add_(c)
        return a.sum()


@pytest.mark.parametrize("iterations, replicas", [(1, 1), (3, 1), (2, 2)])
def test_inputs_that_the_model_writes_to(iterations, replicas):
    options = poptorch.Options().deviceIterations(iterations).replicationFactor(replicas)
    options.outputMode(poptorch.OutputMode.Final)
    model = poptorch.inferenceModel(Writes(), options)
    for i in range(2):
        a, c = torch.arange(24.).reshape(12, 2) + i, torch.ones(12)
        b = torch.arange(24, dtype=torch.int64).reshape(12, 2)[:, 0]  # not contiguous, other than on the device
        theirs = [t.clone() for t in (a, b, c.long())]
        Writes()(*theirs)
        model(a, b, c.long())
        for ours, expected in zip((a, b, c.long()), theirs):
            assert torch.equal(ours, expected)
    shared = poptorch.Options().replicationFactor(2).inputReplicaGrouping(2, poptorch.CommGroupType.Consecutive)
    with pytest.raises(poptorch.Error, match="writes to its input a, which replicas share"):
        poptorch.inferenceModel(Writes(), shared)(a, b, c.long())


def test_numbers_go_to_every_micro_batch():
    class Scales(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(()))

        def forward(self, x, scale):
            return x * scale, poptorch.identity_loss(self.w * x, "sum")

    options = poptorch.Options().deviceIterations(2).replicationFactor(2).outputMode(poptorch.OutputMode.All)
    options.Training.gradientAccumulation(3)
    model = poptorch.trainingModel(Scales(), options)
    x = torch.arange(12.)
    for scale in (2., 3.):
        assert torch.equal(model(x, torch.tensor(scale))[0], x * scale)


def test_inputs_and_tensors_that_have_no_values():
    with pytest.raises(poptorch.Error, match="Sparse tensors are not supported: input"):
        poptorch.inferenceModel(torch.nn.ReLU())(torch.eye(3).to_sparse())
    for look in (lambda x: x.numpy(), lambda x: x.tolist()):
        class Looks(torch.nn.Module):
            def forward(self, x):
                return look(x)

        with pytest.raises(poptorch.Error, match="A value of a tensor is needed"):
            poptorch.inferenceModel(Looks())(torch.ones(2))


def test_options_are_frozen_and_types_checked():
    options = poptorch.Options()
    poptorch.inferenceModel(Net(), options)
    for change in (lambda: options.deviceIterations(2), lambda: options.Training.gradientAccumulation(2),
                   lambda: setattr(options, "replication_factor", 2), lambda: options._Popart.set("a", 1)):
        with pytest.raises(AttributeError, match="Can't modify frozen Options"):
            change()
    assert options.clone().deviceIterations(2).device_iterations == 2 and options.defaultOutputMode()
    with pytest.raises(poptorch.Error, match="Invalid type for optimizer"):
        poptorch.trainingModel(Net(), optimizer=0.1)
    training = poptorch.trainingModel(Net())
    with pytest.raises(poptorch.Error, match="Invalid type for optimizer"):
        training.setOptimizer(None)
    with pytest.raises(poptorch.Error, match="Failed to acquire device with id 9999"):
        poptorch.inferenceModel(Net(), poptorch.Options().useIpuId(9999))(data(5)[0])


def test_inference_follows_whoever_trains():
    """The first training, then another one of the same weights, then nobody."""
    model = Net()
    inference = poptorch.inferenceModel(copy.copy(model).eval())
    x, labels = data(5)
    for lr in (0.1, 0.2):
        training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=lr))
        for _ in range(2):
            before = inference(x)
            training(x, labels)
            after = inference(x)
            assert not torch.equal(before, after)
        training.destroy()
        torch.testing.assert_close(after, model(x).detach(), rtol=1e-4, atol=1e-5)
    assert inference._weights.owner() is None
    assert torch.equal(inference(x), after)


@pytest.mark.parametrize("optimizer", [lambda p: torch.optim.SGD(p, lr=0.1),
                                       lambda p: poptorch.optim.Adam(p, lr=0.1)])
def test_a_model_that_is_dropped_leaves_its_weights_and_frees_its_ipus(optimizer):
    gc.disable()  # nothing may wait for it
    try:
        model, reference = Net(), Net()
        x, labels = data(8)
        training = poptorch.trainingModel(model, optimizer=optimizer(model.parameters()))
        other = poptorch.trainingModel(reference, optimizer=optimizer(reference.parameters()))
        for each in (training, other):
            each(x, labels)
        inference = poptorch.inferenceModel(model)
        inference(x)
        device, seen = training._device, weakref.ref(training)
        del training, each
        assert seen() is None and not device.isAttached
        assert type(model) is Net and type(model.first.weight) is torch.nn.Parameter
        other.copyWeightsToHost()
        same_weights(model, reference)
        torch.testing.assert_close(inference(x), model(x).detach())
        again = poptorch.trainingModel(model, optimizer=optimizer(model.parameters()))
        again(x, labels)
        other(x, labels)
        seen = weakref.ref(inference)
        del inference
        assert seen() is None
    finally:
        gc.enable()


def test_dropping_a_destroyed_model_leaves_the_next_one_alone():
    model = Net()
    x, labels = data(8)
    first = poptorch.trainingModel(model)
    first(x, labels)
    first.destroy()
    second = poptorch.trainingModel(model)
    before = model.first.weight.detach().clone()
    second(x, labels)
    del first
    assert not torch.equal(before, model.first.weight.detach())
    with pytest.raises(RuntimeError, match="already been wrapped"):
        poptorch.trainingModel(model)


def test_a_module_in_training_is_pickled_as_it_is():
    model = Net()
    x, labels = data(8)
    training = poptorch.trainingModel(model)
    training(x, labels)
    copied = pickle.loads(pickle.dumps(model))
    assert type(copied) is Net and type(copied.calls) is torch.Tensor and type(copied.first.weight) is torch.nn.Parameter
    same_weights(model, copied)
    assert copied.calls == 1


def test_traced_and_lazy_modules():
    x = data(8)[0]
    traced = torch.jit.trace(torch.nn.Linear(4, 3), x)
    torch.testing.assert_close(poptorch.inferenceModel(traced)(x), traced(x).detach())
    with pytest.raises(poptorch.Error, match="weight of a lazy module"):
        poptorch.inferenceModel(torch.nn.LazyLinear(3))(x)


def test_hooks_on_the_backward_pass_are_warned_of(capfd):
    model = Net()
    x, labels = data(8)
    model.second.register_full_backward_hook(lambda *_: None)
    poptorch.inferenceModel(model)(x)
    assert "backward pass" not in capfd.readouterr().err
    poptorch.trainingModel(model)(x, labels)
    assert "backward pass of the module 'second'" in capfd.readouterr().err
