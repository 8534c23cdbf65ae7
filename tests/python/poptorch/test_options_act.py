# SPDX-License-Identifier: MIT
"""Options that act, through models: what changes, and that numbers do not where they must not."""
import json
import logging
import os
import re

import pytest
import torch

import poptorch
from poptorch import TensorLocationSettings


class Net(torch.nn.Module):
    """A convolution, a norm with running statistics and a product."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.conv = torch.nn.Conv1d(2, 4, 3)
        self.norm = torch.nn.GroupNorm(2, 4)
        self.fc = torch.nn.Linear(16, 4)

    def forward(self, x, y=None):
        x = torch.relu(self.norm(self.conv(x)))
        x = self.fc(x.flatten(1))
        return x if y is None else (x, torch.nn.functional.mse_loss(x, y))


def data(rows):
    made = torch.Generator().manual_seed(3)
    return torch.randn(rows, 2, 6, generator=made), torch.randn(rows, 4, generator=made)


def train(change=lambda options: None, rows=8, steps=2, make=None):
    """Losses and weights of a short training."""
    options, net = poptorch.Options(), Net()
    change(options)
    optimizer = make(net.parameters()) if make else torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    model = poptorch.trainingModel(net, options, optimizer)
    losses = torch.stack([model(*data(rows))[1].reshape(-1)[-1] for _ in range(steps)])
    return losses, {name: value.clone() for name, value in net.state_dict().items()}, model


def same(a, b, tolerance=1e-4):
    for name, value in a[1].items():
        torch.testing.assert_close(b[1][name], value, rtol=tolerance, atol=tolerance, msg=lambda m: f"{name}: {m}")


# ---- what is told of a run

def test_cycles():
    model = train(lambda o: o.logCycleCount(True))[2]
    assert model.cycleCount() > 1000
    with pytest.raises(poptorch.Error, match="Cycle count logging is disabled"):
        train()[2].cycleCount()


def test_profiles_lie_in_folders_of_models(tmp_path, monkeypatch):
    train(lambda o: o.enableProfiling(str(tmp_path)), steps=1)
    assert (tmp_path / "training" / "profile.pop").exists()
    poptorch.inferenceModel(Net(), poptorch.Options().enableProfiling(str(tmp_path)).modelName("mine"))(data(2)[0])
    assert (tmp_path / "mine" / "profile.pop").exists()
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS",
                       json.dumps({"autoReport.all": "true", "autoReport.directory": str(tmp_path / "other")}))
    poptorch.inferenceModel(Net())(data(2)[0])
    assert (tmp_path / "other" / "inference" / "profile.pop").exists()


def test_repeated_lines(monkeypatch):
    from poptorch import _logging
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    _logging.logger.addHandler(handler)
    try:
        for most, seen in ((2, 2), (None, 6)):
            poptorch.Options().maxRepeatLogs(most)
            lines.clear()
            for _ in range(6):
                _logging.logger.warning("again")
            assert sum(line.startswith("again") for line in lines) == seen
    finally:
        _logging.logger.removeHandler(handler)
        poptorch.Options().maxRepeatLogs(4)


def test_names_of_modules():
    model = poptorch.inferenceModel(Net())
    model.compile(data(2)[0])
    assert any(name.startswith("conv/") for name in model.getTensorNames())
    model = poptorch.inferenceModel(Net(), poptorch.Options().disableModuleNamescope())
    model.compile(data(2)[0])
    assert not any(name.startswith("conv/") for name in model.getTensorNames())


def test_progress_bars(capfd):
    poptorch.inferenceModel(Net(), poptorch.Options().showCompilationProgressBar(False)).compile(data(2)[0])
    assert "Graph compilation" not in capfd.readouterr().err
    poptorch.inferenceModel(Net()).compile(data(2)[0])
    assert re.search(r"Graph compilation: 100%\|.*\| 100/100 \[00:0\d<00:00\]", capfd.readouterr().err)


def test_warnings_have_a_line_of_their_own(capfd):
    """Not the rest of the progress bar's."""
    class Talking(torch.nn.Module):
        def forward(self, x):
            poptorch._logging.logger.warning("one moment")
            return x
    poptorch.inferenceModel(Talking()).compile(torch.ones(1))
    shown = [part for line in capfd.readouterr().err.split("\n") for part in line.split("\r")]
    assert sum(re.fullmatch(r"\[.*\] \[warning\] one moment", part) is not None for part in shown) == 1


# ---- devices

def test_synthetic_data_needs_no_host():
    x, y = data(8)
    results = [poptorch.inferenceModel(Net(), poptorch.Options().enableSyntheticData(on))(x) for on in (False, True)]
    torch.testing.assert_close(results[0], Net()(x).detach(), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(results[1], results[0])


@pytest.mark.parametrize("variables", [{"POPTORCH_IPU_MODEL": "1"}, {"POPTORCH_SMALL_IPU_MODEL": "1"},
                                       {"POPTORCH_IPU_MODEL": "1", "POPTORCH_IPU_MODEL_VERSION": "ipu1"}])
def test_ipu_models(variables, monkeypatch):
    plain = train()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    modelled = train()
    same(plain, modelled)
    tiles = {"POPTORCH_SMALL_IPU_MODEL": 4}.get(next(iter(variables)), 1472)
    tiles = 1216 if "POPTORCH_IPU_MODEL_VERSION" in variables else tiles
    assert modelled[2]._device.tilesPerIPU == tiles
    monkeypatch.delenv(next(iter(variables)))
    assert "Model" in str(train(lambda o: o.useIpuModel(True), steps=1)[2]._device.type)


def test_a_certain_device():
    model = poptorch.inferenceModel(Net(), poptorch.Options().useIpuId(3))
    model(data(2)[0])
    assert model._device.id == 3
    with pytest.raises(poptorch.Error, match="id 3"):
        poptorch.inferenceModel(Net(), poptorch.Options().useIpuId(3))(data(2)[0])
    model.detachFromDevice()
    with pytest.raises(poptorch.Error, match="has 1 IPU"):
        poptorch.inferenceModel(Net(), poptorch.Options().useIpuId(3).replicationFactor(2))(data(2)[0])
    with pytest.raises(poptorch.Error, match="999"):
        poptorch.inferenceModel(Net(), poptorch.Options().useIpuId(999))(data(2)[0])


def test_when_devices_are_attached():
    x = data(2)[0]
    kinds = poptorch.ConnectionType
    for kind, attached in ((kinds.Always, True), (kinds.OnDemand, False)):
        model = poptorch.inferenceModel(Net(), poptorch.Options().connectionType(kind))
        model.compile(x)
        assert model.isAttachedToDevice() == attached
        torch.testing.assert_close(model(x), Net()(x).detach(), rtol=1e-4, atol=1e-4)
        assert model.isAttachedToDevice()
    several = [poptorch.inferenceModel(Net(), poptorch.Options().connectionType(kinds.OnDemand)) for _ in range(3)]
    for model in several:
        model.compile(x)
    for model in several:  # each on an IPU of its own
        model(x)
    model = poptorch.inferenceModel(Net(), poptorch.Options().connectionType(kinds.Never))
    with pytest.raises(AssertionError, match="Trying to run a model on an offline device"):
        model(x)
    model.compile(x)
    assert model.isCompiled() and not model.isAttachedToDevice()
    with pytest.raises((AssertionError, poptorch.Error), match="offline"):
        model(x)


def test_rounding_up_ipus():
    class Three(torch.nn.Module):
        def forward(self, x):
            for i in range(3):
                with poptorch.Block(ipu_id=i):
                    x = x + i
            return x

    options = poptorch.Options().deviceIterations(4)
    with pytest.raises(poptorch.Error, match="PopTorch must reserve a minimum of 4"):
        poptorch.inferenceModel(Three(), options)(torch.ones(4))
    model = poptorch.inferenceModel(Three(), options.clone().autoRoundNumIPUs())
    assert model(torch.ones(4)).tolist() == [4.0] * 4
    assert model._device.numIpus == 4


def test_random_seeds():
    draw = type("Draw", (torch.nn.Module,), {"forward": lambda self, x: x + torch.rand(64)})()
    results = [poptorch.inferenceModel(draw, poptorch.Options().randomSeed(seed))(torch.ones(64)) for seed in (1, 1, 2)]
    assert torch.equal(results[0], results[1]) and not torch.equal(results[0], results[2])


# ---- numbers that must stay

@pytest.mark.parametrize("change", [
    lambda o: o.enableStableNorm(True),
    lambda o: o.setAvailableMemoryProportion({"IPU0": 0.1}),
    lambda o: o.Training.setConvolutionDithering(True),
    lambda o: o.broadcastBuffers(False),
    lambda o: o.syncPattern(poptorch.SyncPattern.ReplicaAndLadder),
    lambda o: o.Precision.setPartialsType(torch.float),
    lambda o: o.Precision.enableStochasticRounding(True),
    lambda o: o.Precision.enableFloatingPointExceptions(True),
])
def test_numbers_of_one_replica_stay(change):
    same(train(), train(change))


Off, Sharded = TensorLocationSettings().useOnChipStorage(False), TensorLocationSettings().useReplicatedTensorSharding()


@pytest.mark.parametrize("change", [
    lambda o: o.TensorLocations.setWeightLocation(Off),
    lambda o: o.TensorLocations.setOptimizerLocation(Off),
    lambda o: o.TensorLocations.setAccumulatorLocation(Off),
    lambda o: o.TensorLocations.setActivationLocation(Off),
    lambda o: o.TensorLocations.setOptimizerLocation(Sharded.minElementsForReplicatedTensorSharding(1)),
    lambda o: o.TensorLocations.setWeightLocation(Sharded.minElementsForReplicatedTensorSharding(1)),
    lambda o: o.TensorLocations.setOptimizerLocation(
        TensorLocationSettings().useOnChipStorage(False).useReplicatedTensorSharding().minElementsForOffChip(1)
        .minElementsForReplicatedTensorSharding(1)),
], ids=["weights", "state", "accumulators", "activations", "sharded state", "sharded weights", "both"])
@pytest.mark.parametrize("make", [None, lambda p: poptorch.optim.Adam(p, lr=0.01)], ids=["SGD", "Adam"])
def test_locations(change, make):
    def both(options):
        options.replicationFactor(2).Training.gradientAccumulation(2)

    def located(options):
        both(options)
        change(options)

    same(train(both, make=make), train(located, make=make))


def test_state_passes_over_io_tiles_if_it_is_off_the_chip():
    def change(options, on_chip=False):
        options.TensorLocations.numIOTiles(32).setOptimizerLocation(
            TensorLocationSettings().useOnChipStorage(on_chip).useIOTilesToLoad().useIOTilesToStore())

    same(train(lambda options: None), train(change))
    with pytest.raises(poptorch.Error, match="only what is kept off the chip passes over I/O tiles"):
        train(lambda options: change(options, on_chip=True))


@pytest.mark.parametrize("kind, scale", [(poptorch.ReductionType.Sum, 4), (poptorch.ReductionType.Mean, 1)])
def test_reductions(kind, scale):
    def change(options):
        options.replicationFactor(2).Training.gradientAccumulation(2).accumulationAndReplicationReductionType(kind)

    ours = train(change, steps=1, make=lambda p: torch.optim.SGD(p, lr=0.1))
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = data(8)
    (scale * net(x, y)[1]).backward()  # equal parts: the mean of their means
    optimizer.step()
    same((None, net.state_dict()), ours)


@pytest.mark.parametrize("kind", [poptorch.CommGroupType.Consecutive, poptorch.CommGroupType.Orthogonal])
def test_groups_of_replicas_read_the_same_rows(kind):
    x = torch.arange(12.0).reshape(12, 1)  # 3 iterations, 2 groups, 2 rows
    options = poptorch.Options().replicationFactor(4).deviceIterations(3).inputReplicaGrouping(2, kind)
    ours = poptorch.inferenceModel(torch.nn.Identity(), options)(x)
    of_replica = [0, 0, 1, 1] if kind == poptorch.CommGroupType.Consecutive else [0, 1, 0, 1]
    expected = [4 * i + 2 * g + row for i in range(3) for g in of_replica for row in range(2)]
    assert ours.flatten().tolist() == expected


# ---- precision

def test_floating_point_exceptions():
    divide = type("Divide", (torch.nn.Module,), {"forward": lambda self, a, b: a / b})()
    options = poptorch.Options()
    options.Precision.enableFloatingPointExceptions(True)
    model = poptorch.inferenceModel(divide, options)
    assert model(torch.ones(2), torch.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(poptorch.Error):
        model(torch.ones(2), torch.zeros(2))
    assert poptorch.inferenceModel(divide)(torch.ones(1), torch.zeros(1)).isinf().all()


def test_half_partials_and_stochastic_rounding():
    x = torch.full((64, 1024), 0.0101).half()
    product = torch.nn.Linear(1024, 8, bias=False).half()
    torch.nn.init.constant_(product.weight, 0.0303)
    results = {}
    for name, change in {"plain": lambda p: None, "half": lambda p: p.setPartialsType(torch.half),
                         "stochastic": lambda p: p.enableStochasticRounding(True)}.items():
        options = poptorch.Options().randomSeed(1)
        change(options.Precision)
        results[name] = poptorch.inferenceModel(product, options)(x)
    assert len(results["plain"].float().unique()) == 1
    assert len(results["stochastic"].float().unique()) == 2
    torch.testing.assert_close(results["half"], results["plain"], rtol=0.05, atol=0.0)


def test_automatic_loss_scaling():
    class Halves(Net):
        def forward(self, x, y):
            out = super().forward(x.half())
            return out, torch.nn.functional.mse_loss(out.float(), y)

    net = Halves().half()
    options = poptorch.Options()
    options.Training.setAutomaticLossScaling(True)
    optimizer = poptorch.optim.SGD(net.parameters(), lr=0.01, loss_scaling=8.0)
    model = poptorch.trainingModel(net, options, optimizer)
    x, y = data(4)
    losses = [float(model(x, y)[1]) for _ in range(6)]
    assert losses[-1] < losses[0]
    with pytest.raises(poptorch.Error, match="FLOAT16"):
        train(lambda o: o.Training.setAutomaticLossScaling(True))


# ---- session options by name

@pytest.mark.parametrize("name, value", [
    ("disableGradAccumulationTensorStreams", True), ("scheduleNonWeightUpdateGradientConsumersEarly", True),
    ("engineOptions", {"debug.allowOutOfMemory": "true"}), ("outlineThreshold", 10.0), ("autoRecomputation", 1),
    ("accumulateOuterFragmentSettings.excludedVirtualGraphs", ["0"]), ("subgraphCopyingStrategy", 1),
    ("saveInitializersToFile", "weights.onnx"),
    ("replicatedCollectivesSettings.prepareScheduleForMergingCollectives", True),
    ("replicatedCollectivesSettings.mergeAllReduceCollectives", True), ("defaultPrefetchBufferingDepth", 2),
    ("partialsTypeMatMuls", "float"), ("decomposeGradSum", True), ("convolutionOptions", {"partialsType": "float"}),
    ("enableGradientAccumulation", False), ("defaultBufferingDepth", 2), ("virtualGraphMode", 0),
    ("timeLimitScheduler", 10.0), ("groupNormStridedChannelGrouping", True), ("explicitRecomputation", True),
    ("enableOutlining", False), ("disableOptimizerStateTensorStreams", True),
    ("batchSerializationSettings.batchSchedule", 1),
])
def test_session_options_of_examples(name, value):
    ours = train(lambda o: o._Popart.set(name, value))
    if name != "groupNormStridedChannelGrouping":
        same(train(), ours)


def test_unknown_session_options_are_told_of():
    with pytest.raises(poptorch.Error, match='Unknown popart option "outlineTreshold".*outlineThreshold'):
        train(lambda o: o._Popart.set("outlineTreshold", 1.0))
    with pytest.raises(poptorch.Error, match="timeLimitScheduler"):
        train(lambda o: o._Popart.set("timeLimitScheduler", "long"))


def test_caches_by_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("POPTORCH_CACHE_DIR", str(tmp_path / "cache"))
    first = train()
    assert os.listdir(tmp_path / "cache")
    same(first, train())


def test_default_options_by_variable(monkeypatch):
    monkeypatch.setenv("POPTORCH_DEFAULT_OPTIONS", '{"deviceIterations": 4}')
    assert poptorch.inferenceModel(torch.nn.Identity(), poptorch.Options())(torch.ones(4)).shape == (4,)
    with pytest.raises(AssertionError, match="Invalid batch dimension"):
        poptorch.inferenceModel(torch.nn.Identity(), poptorch.Options())(torch.ones(3))
