# SPDX-License-Identifier: MIT
"""Everything that programs may ask of poptorch is there, and what is small does what it says."""
import datetime
import inspect
import os
import subprocess
import sys

import pytest
import torch

import poptorch

NAMES = """
trainingModel inferenceModel PoplarExecutor load isRunningOnIpu
Options TensorLocationSettings ConfigFileError Attribute
PipelinedExecution ShardedExecution ParallelPhasedExecution SerialPhasedExecution Stage Phase AutoStage
Block BeginBlock BlockFunction removeBlocks
DataLoader AsynchronousDataAccessor DataLoaderMode SharingStrategy
optim.SGD optim.Adam optim.AdamW optim.RMSprop optim.LAMB optim.Optimizer optim.VariableAttributes
custom_op nop identity_loss ipu_print_tensor for_loop cond CPU MultiConv MultiConvPlanType NameScope serializedMatMul
MatMulSerializationMode set_available_memory set_overlap_for_input set_overlap_for_output OverlapMode
recomputationCheckpoint dynamic_slice dynamic_update ctc_beam_search_decoder fps nearest
OutputMode ConnectionType SyncPattern ReductionType MeanReductionStrategy Liveness CommGroupType VariableRetrievalMode
HalfFloatCastingBehavior AnchorMode
ipuHardwareIsAvailable ipuHardwareVersion hasMLIRSupportOnPlatform
registerPreCompileHook registerPostCompileHook
ICustomArgParser registerCustomArgParser registerGeometricCustomArgParsers
Error RecoverableError UnrecoverableError createPoptorchError
setLogLevel profiling.Channel print module_repr accessAttributes getIpuTensorId importPoptorchMetadataFromFile
testing.allclose __version__
autocast autocasting.Policy autocasting.default custom_ops.FastGatherLastDim
""".split()

METHODS = """
__call__ compile compileAndExport save loadExecutable isCompiled isAttachedToDevice detachFromDevice attachToDevice destroy
copyWeightsToHost copyWeightsToDevice copyWeightsToHostIfNeeded copyNamedBuffersToDevice setOptimizer load_state_dict
model options rng_state getTensorNames getAnchoredTensor cycleCount compilationTime getPerfCounters getLatency
getHostIpuLatency getComputeLatency getIpuHostLatency
""".split()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.fc = torch.nn.Linear(3, 2)

    def forward(self, x, y=None):
        out = self.fc(x)
        return out if y is None else (out, torch.nn.functional.mse_loss(out, y))


X, Y = torch.randn(4, 3, generator=torch.Generator().manual_seed(1)), torch.ones(4, 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_there(name):
    found = poptorch
    for part in name.split("."):
        found = getattr(found, part)
    assert found is not None


def functions(found):
    """Public functions of ours in a function, a class or a property."""
    if isinstance(found, type):
        ours = [kind for kind in reversed(found.__mro__) if kind.__module__.startswith("poptorch")]
        members = {name: member for kind in ours for name, member in vars(kind).items()}
        return [f for n, m in members.items() if not n.startswith("_") or n in ("__init__", "__call__") for f in functions(m)]
    found = inspect.unwrap(getattr(found, "fget", None) or found)
    found = getattr(found, "__func__", found)
    return [found] if inspect.isfunction(found) and found.__module__.startswith("poptorch") else []


@pytest.mark.parametrize("name", NAMES)
def test_functions_say_their_types(name):
    found = poptorch
    for part in name.split("."):
        found = getattr(found, part)
    for function in functions(found):
        told = {*function.__annotations__, *(["return"] if function.__name__ == "__init__" else [])}
        assert {*inspect.signature(function).parameters, "return"} - {"self", "cls"} <= told, function


def test_executors_have_all_methods():
    for name in METHODS:
        assert hasattr(poptorch.PoplarExecutor, name), name
    assert poptorch.poptorch_core.Error is poptorch.Error
    assert callable(torch.nn.Module.autocast)


def test_what_a_compiled_executor_says():
    options = poptorch.Options().logCycleCount(True)
    model = poptorch.inferenceModel(Net(), options)
    assert not model.isCompiled() and not model.isAttachedToDevice() and model._executable is None
    model.compile(X)
    assert model.isCompiled() and model.isAttachedToDevice() and model._executable is not None
    model(X)
    assert model.cycleCount() > 0
    assert isinstance(model.compilationTime(), datetime.timedelta)
    assert set(model.getPerfCounters()) == {"input", "input_complete", "output", "output_complete"}
    for latency in (model.getLatency(), model.getHostIpuLatency(), model.getComputeLatency(), model.getIpuHostLatency()):
        assert len(latency) == 3 and latency[0] <= latency[2] <= latency[1]
    assert isinstance(model._options.toDict(), dict)
    assert isinstance(model.rng_state, list)
    assert "fc.weight" in model.getTensorNames()
    assert model.fc.weight is model.model.fc.weight


def test_without_the_sdk_the_import_names_its_script(tmp_path):
    os.symlink(os.path.dirname(poptorch.__file__), tmp_path / "poptorch")
    environment = dict(os.environ, PYTHONPATH=str(tmp_path))
    command = [sys.executable, "-S", "-c", "import poptorch"]  # -S: without a wheel that is installed
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "ImportError" in done.stderr and "enable.sh" in done.stderr


def test_results_cannot_be_differentiated_on_the_host():
    model = poptorch.trainingModel(Net())
    out, loss = model(X, Y)
    for tensor in (out, loss):
        with pytest.raises(poptorch.Error, match="backward\\(\\) cannot be called explicitly"):
            tensor.backward()
    with pytest.raises(poptorch.Error, match="backward"):
        poptorch.inferenceModel(Net())(X).backward()


def test_anchored_tensors_come_back():
    net = Net()
    weight = net.fc.weight.detach().clone()
    options = poptorch.Options().deviceIterations(2)
    options.anchorTensor("out", "fc/Add:0", poptorch.OutputMode.All)
    options.anchorTensor("slope", "Gradient___fc.weight")
    model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=1e-6))
    with pytest.raises(AssertionError, match="not been compiled"):
        model.getAnchoredTensor("out")
    model.compile(X, Y)
    with pytest.raises(AssertionError, match="No tensor with name"):
        model.getAnchoredTensor("other")
    with pytest.raises(AssertionError, match="not run"):
        model.getAnchoredTensor("out")
    model(X, Y)
    assert model.getAnchoredTensor("out").shape == (4, 2)
    reference = Net()
    loss = reference(X[2:], Y[2:])[1]
    loss.backward()
    torch.testing.assert_close(model.getAnchoredTensor("slope"), reference.fc.weight.grad, rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(model.getAnchoredTensor("out"), X @ weight.T + net.fc.bias.detach(), rtol=1e-3, atol=1e-3)


def test_anchors_that_cannot_be_are_told_of():
    options = poptorch.Options().anchorTensor("a", "nonsense")
    with pytest.raises(poptorch.Error, match="nonsense"):
        poptorch.inferenceModel(Net(), options).compile(X)
    options = poptorch.Options().anchorTensor("a", "fc/Add:0").anchorTensor("b", "fc/Add:0", poptorch.OutputMode.Sum)
    with pytest.raises(poptorch.Error, match="OutputMode"):
        poptorch.inferenceModel(Net(), options).compile(X)
    options = poptorch.Options().anchorTensor("a", "output/0")
    with pytest.raises(poptorch.Error, match="already"):
        poptorch.inferenceModel(Net(), options).compile(X)


@pytest.mark.parametrize("make", [
    lambda p: poptorch.optim.SGD(p, lr=0.1, momentum=0.9),
    lambda p: poptorch.optim.Adam(p, lr=0.1),
    lambda p: poptorch.optim.LAMB(p, lr=0.01),
    lambda p: poptorch.optim.RMSprop(p, lr=0.01, momentum=0.9),
])
def test_states_of_optimizers_make_the_round(make, tmp_path):
    """Two steps in one go, and with a file between them."""
    whole, halves = Net(), Net()
    model = poptorch.trainingModel(whole, optimizer=make(whole.parameters()))
    model(X, Y)
    model(X, Y)
    optimizer = make(halves.parameters())
    assert optimizer.state_dict()["ipu_state"] is None
    first = poptorch.trainingModel(halves, optimizer=optimizer)
    first(X, Y)
    torch.save((halves.state_dict(), optimizer.state_dict()), tmp_path / "checkpoint")
    first.destroy()

    weights, state = torch.load(tmp_path / "checkpoint")
    again = Net()
    again.load_state_dict(weights)
    optimizer = make(again.parameters())
    optimizer.load_state_dict(state)
    second = poptorch.trainingModel(again, optimizer=optimizer)
    second(X, Y)
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], value, msg=name)


def test_an_optimizer_keeps_its_state_when_its_model_is_destroyed():
    whole, halves = Net(), Net()
    model = poptorch.trainingModel(whole, optimizer=poptorch.optim.Adam(whole.parameters(), lr=0.1))
    model(X, Y)
    model(X, Y)
    optimizer = poptorch.optim.Adam(halves.parameters(), lr=0.1)
    for _ in range(2):
        model = poptorch.trainingModel(halves, optimizer=optimizer)
        model(X, Y)
        model.destroy()
    torch.testing.assert_close(halves.fc.weight, whole.fc.weight.detach().clone())


def test_files_keep_the_state_of_optimizers(tmp_path):
    whole, halves = Net(), Net()
    model = poptorch.trainingModel(whole, optimizer=poptorch.optim.Adam(whole.parameters(), lr=0.1))
    model(X, Y)
    model(X, Y)
    model = poptorch.trainingModel(halves, optimizer=poptorch.optim.Adam(halves.parameters(), lr=0.1))
    model(X, Y)
    model.save(tmp_path / "model.poptorch")
    again = poptorch.load(tmp_path / "model.poptorch")
    again(X, Y)
    torch.testing.assert_close(again.model.fc.weight.detach().clone(), whole.fc.weight.detach().clone())


def test_states_of_other_optimizers_are_refused():
    net = Net()
    optimizer = poptorch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    plain = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9).state_dict()
    model = poptorch.trainingModel(net, optimizer=optimizer)
    model(X, Y)
    with pytest.raises(poptorch.Error, match="Only IPU optimizer states"):
        optimizer.load_state_dict(plain)
    with pytest.raises(poptorch.Error, match="empty"):
        optimizer.load_state_dict({**plain, "ipu_state": {}, "ipu_param": {}})
    with pytest.raises(ValueError, match="is already compiled"):
        model.setOptimizer(poptorch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, accum_type=torch.half))


def test_schedulers_do_not_complain(recwarn):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    model = poptorch.trainingModel(net, optimizer=optimizer)
    for _ in range(3):
        model(X, Y)
        scheduler.step()
        model.setOptimizer(optimizer)
    assert not [w for w in recwarn if "lr_scheduler" in str(w.message)]


def test_allclose_goes_into_structures():
    a = {"x": (torch.ones(2), [torch.zeros(1, dtype=torch.int64), "name", 1.5])}
    b = {"x": (torch.ones(2) + 1e-9, [torch.zeros(1, dtype=torch.int32), "name", 1.5])}
    assert poptorch.testing.allclose(a, b)
    assert not poptorch.testing.allclose(a, {"x": (torch.zeros(2), b["x"][1])})
    assert not poptorch.testing.allclose([torch.ones(2)], [torch.ones(2)] * 2)
    assert not poptorch.testing.allclose(torch.ones(2), torch.ones(3))
    assert not poptorch.testing.allclose(torch.ones(1), 1)
    assert poptorch.testing.allclose(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)


def test_modules_print_their_blocks(capsys):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), poptorch.BeginBlock(torch.nn.ReLU(), "last", ipu_id=1))
    assert poptorch.module_repr(torch.nn.Linear(2, 2)) == repr(torch.nn.Linear(2, 2))
    blocks = torch.nn.Sequential(poptorch.BeginBlock(torch.nn.ReLU(), ipu_id=1))
    assert poptorch.module_repr(blocks) == "Sequential(\n  (0): BeginBlock(user_id=None, ipu_id=1) ReLU()\n)"
    poptorch.print(net)
    assert "last" in capsys.readouterr().out


def test_levels_of_the_log(capfd, monkeypatch):
    options = poptorch.Options().logCycleCount(True).showCompilationProgressBar(False).maxRepeatLogs(None)
    lines = {}
    try:
        for level in ("TRACE", "DEBUG_IR", "DEBUG", "INFO", "WARN"):
            poptorch.setLogLevel(level)
            model = poptorch.inferenceModel(torch.nn.Linear(2, 3), options)
            model(torch.ones(4, 2))
            lines[level] = capfd.readouterr().err
        poptorch.setLogLevel("DEBUG_IR")
        monkeypatch.setenv("POPTORCH_MAX_GRAPH_LEN", "2")
        poptorch.inferenceModel(torch.nn.Linear(2, 3), options)(torch.ones(4, 2))
        cut = capfd.readouterr().err
    finally:
        poptorch.setLogLevel("WARN")
        poptorch.Options().maxRepeatLogs(4)
    for what, least in (("Weights go to the device", "TRACE"), ("aten::linear(input=%0, weight=%1, bias=%2)", "DEBUG_IR"),
                        (f"IPU cycles: {model.cycleCount()}", "DEBUG"), ("Compiled the inference model in", "INFO")):
        names = list(lines)
        assert [what in lines[name] for name in names] == [names.index(name) <= names.index(least) for name in names]
    assert not lines["WARN"]
    assert "= weight weight" in cut and "aten::linear" not in cut and "3 more lines" in cut


def test_engine_options_that_are_no_json(monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", "{autoReport.all")
    with pytest.raises(poptorch.Error, match="POPLAR_ENGINE_OPTIONS is not a JSON object of strings"):
        poptorch.inferenceModel(torch.nn.Linear(2, 3))(torch.ones(4, 2))


def test_damaged_files_are_named(tmp_path):
    path = tmp_path / "model.poptorch"
    model = poptorch.inferenceModel(torch.nn.Linear(2, 3))
    model.compileAndExport(path, torch.ones(4, 2))
    whole = path.read_bytes()
    for damaged in (b"", whole[:20], whole[:1000], whole[:-10], whole[:-50] + b"?" + whole[-49:]):
        path.write_bytes(damaged)
        with pytest.raises(poptorch.Error, match=str(path)):
            poptorch.load(path)
    path.write_bytes(whole)
    assert poptorch.load(path)(torch.ones(4, 2)).shape == (4, 3)


def test_channels_do_nothing_without_a_trace():
    channel = poptorch.profiling.Channel("mine")
    with channel.tracepoint("part"):
        pass
    net = Net()
    channel.instrument(net, "forward")
    net(X)
    with pytest.raises(poptorch.Error, match="no method"):
        channel.instrument(net, "backwards")


def test_tensor_numbers_are_those_of_a_capture():
    numbers = []

    class Model(torch.nn.Module):
        def forward(self, x):
            y = x + 1
            numbers.extend([poptorch.getIpuTensorId(x), poptorch.getIpuTensorId(y)])
            return y

    poptorch.inferenceModel(Model())(X)
    assert len(set(numbers)) == 2
    with pytest.raises(poptorch.Error):
        poptorch.getIpuTensorId(X)


def test_autocast_by_policy():
    types = {}

    class Model(torch.nn.Module):
        def __init__(self, named):
            super().__init__()
            self.conv = torch.nn.Conv1d(1, 1, 3)
            if named:
                self.conv.autocast()

        def forward(self, x):
            types["conv"] = self.conv(x).dtype
            with poptorch.autocast():
                types["product"] = torch.matmul(x, x.transpose(1, 2)).dtype
                types["sum"] = (x + x).dtype
                types["joined"] = torch.cat([x, x.half()]).dtype
                with poptorch.autocast(enabled=False):
                    types["off"] = torch.matmul(x, x.transpose(1, 2)).dtype
            types["outside"] = torch.matmul(x, x.transpose(1, 2)).dtype
            return types["product"] and torch.matmul(x, x.transpose(1, 2))

    x = torch.randn(2, 1, 8)
    Model(True)(x)
    assert set(types.values()) == {torch.float}  # on the CPU nothing is cast
    poptorch.inferenceModel(Model(True))(x)
    assert types == {"conv": torch.half, "product": torch.half, "sum": torch.float, "joined": torch.float,
                     "off": torch.float, "outside": torch.float}
    options = poptorch.Options()
    options.Precision.autocastEnabled(False)
    poptorch.inferenceModel(Model(True), options)(x)
    assert set(types.values()) == {torch.float}
    options = poptorch.Options()
    options.Precision.autocastPolicy(poptorch.autocasting.Policy(fp16=["add"], fp32=["matmul"], promote=[], demote=["cat"]))
    poptorch.inferenceModel(Model(False), options)(x)
    assert types["sum"] is torch.half and types["product"] is torch.float and types["joined"] is torch.half
    with pytest.raises(poptorch.Error, match="both"):
        poptorch.autocasting.Policy(fp16=["add"], fp32=["add"])


@pytest.mark.parametrize("kind, shards, groups", [
    (poptorch.CommGroupType.Consecutive, 2, [0, 0, 1, 1]), (poptorch.CommGroupType.Orthogonal, 2, [0, 1, 0, 1]),
    (poptorch.CommGroupType.NoGrouping, 1, [0, 1, 2, 3])])
def test_parameters_of_groups_of_replicas(kind, shards, groups):
    """Every group adds values of its own, and trains them on what its replicas see."""
    count = len(set(groups))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.offset = torch.nn.Parameter(torch.arange(3.0 * count).reshape(count, 3))

        def forward(self, x):
            return x + self.offset, poptorch.identity_loss(x * self.offset, "sum")

    net, options = Model(), poptorch.Options().replicationFactor(4).outputMode(poptorch.OutputMode.All)
    options.Training.accumulationAndReplicationReductionType(poptorch.ReductionType.Sum)
    model = poptorch.trainingModel(net, options, torch.optim.SGD(net.parameters(), lr=1.0))
    model.offset.replicaGrouping(kind, shards, poptorch.VariableRetrievalMode.OnePerGroup)
    x, before = torch.randn(4, 3), net.offset.detach().clone()
    out, _ = model(x)
    torch.testing.assert_close(out, x + before[groups])
    expected = before.clone()
    for replica, group in enumerate(groups):
        expected[group] -= x[replica]
    torch.testing.assert_close(net.offset.detach().clone(), expected)


def test_groups_must_fit_the_parameter():
    net = Net()
    model = poptorch.inferenceModel(net, poptorch.Options().replicationFactor(2))
    model.fc.weight.replicaGrouping(poptorch.CommGroupType.NoGrouping, 0, poptorch.VariableRetrievalMode.OnePerGroup)
    net.fc.weight.data = torch.ones(3, 2, 3)
    with pytest.raises(poptorch.Error, match="2 groups"):
        model(X)
