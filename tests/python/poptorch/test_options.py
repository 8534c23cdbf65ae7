# SPDX-License-Identifier: MIT
"""Options against docs/poptorch-options.md and against the session options that are made of them."""
import copy
import inspect
import json
import pathlib
import pickle
import re
import sys

import poptorch
import pytest
import torch
from poptorch import OutputMode, TensorLocationSettings
from poptorch.options.popart import sessionOptions
from poptorch.options.strategies import Placer

page = pathlib.Path(__file__).resolve().parents[3] / "docs/poptorch-options.md"
GROUPS = ("Training", "Precision", "Jit", "Distributed", "TensorLocations", "_Popart")
Off = TensorLocationSettings().useOnChipStorage(False)


def documented():
    sections, now = {}, None
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            now = sections.setdefault(line[3:], [])
        elif match := re.match(r"\| `([\w.]+)` \|", line):
            now.append(match.group(1))
    return sections


def questions():
    text = page.read_text()
    return set(re.findall(r"`(\w+)`", text[text.index("## Questions"):text.index("## TensorLocationSettings")]))


def methods(kind):
    return {name for name, member in inspect.getmembers(kind) if not name.startswith("_")
            and (inspect.isfunction(member) or isinstance(member, property))}


# What the options are called with, so that something is other than before.
CALLS = {
    "deviceIterations": (2,), "replicationFactor": (2,), "inputReplicaGrouping": (2, poptorch.CommGroupType.Consecutive),
    "outputMode": (OutputMode.EveryN, 3), "anchorMode": (poptorch.AnchorMode.All,), "anchorTensor": ("short", "long"),
    "setExecutionStrategy": (poptorch.ShardedExecution(),), "autoRoundNumIPUs": (),
    "setAvailableMemoryProportion": ({"IPU1": 0.2},), "randomSeed": (7,), "enableExecutableCaching": ("cache",),
    "useIpuModel": (True,), "useIpuId": (3,), "useOfflineIpuTarget": (21,),
    "connectionType": (poptorch.ConnectionType.OnDemand,), "updatableNamedBuffers": (["b"],),
    "enableSyntheticData": (True,), "enableProfiling": ("folder",), "logCycleCount": (True,), "enableStableNorm": (True,),
    "modelName": ("name",), "logDir": ("logs",), "maxRepeatLogs": (7,), "showCompilationProgressBar": (False,),
    "relaxOptimizerAttributesChecks": (), "disableModuleNamescope": (), "from_json": ('{"deviceIterations": 2}',),
    "Training.gradientAccumulation": (4,),
    "Training.accumulationAndReplicationReductionType": (poptorch.ReductionType.Sum,),
    "Training.setMeanAccumulationAndReplicationReductionStrategy": (poptorch.MeanReductionStrategy.Running,),
    "Training.setAutomaticLossScaling": (True,), "Training.setConvolutionDithering": (True,),
    "Precision.enableFloatingPointExceptions": (True,), "Precision.enableStochasticRounding": (True,),
    "Precision.setPartialsType": (torch.half,), "Precision.autocastEnabled": (False,), "Precision.autocastPolicy": ("p",),
    "Precision.halfFloatCasting": (poptorch.HalfFloatCastingBehavior.Default,),
    "Precision.runningStatisticsAlwaysFloat": (True,), "Jit.traceModel": (True,), "Distributed.disable": (),
    "Distributed.setEnvVarNames": ("TEST_SIZE", "TEST_RANK"), "Distributed.configureProcessId": (1, 2),
    "TensorLocations.numIOTiles": (64,), "TensorLocations.setActivationLocation": (Off,),
    "TensorLocations.setWeightLocation": (Off,), "TensorLocations.setOptimizerLocation": (Off,),
    "TensorLocations.setAccumulatorLocation": (Off,), "_Popart.set": ("enableOutlining", False),
    "_Popart.setEngineOptions": ({"debug.instrument": "true"},), "_Popart.setPatterns": ({"InPlace": False},),
    "syncPattern": (poptorch.SyncPattern.ReplicaAndLadder,), "broadcastBuffers": (False,),
    "sourceLocationExcludes": (["x"],), "appendToLocationExcludes": ("x",),
}
# Attributes of the options whose readers are the capture, the executor and the DataLoader.
READ_ELSEWHERE = {
    "deviceIterations", "inputReplicaGrouping", "outputMode", "anchorMode", "anchorTensor", "setExecutionStrategy",
    "autoRoundNumIPUs", "setAvailableMemoryProportion", "randomSeed", "useIpuModel", "useIpuId", "useOfflineIpuTarget",
    "connectionType", "modelName", "maxRepeatLogs", "showCompilationProgressBar", "relaxOptimizerAttributesChecks",
    "disableModuleNamescope", "from_json", "Precision.autocastEnabled", "Precision.autocastPolicy",
    "Distributed.setEnvVarNames", "Distributed.disable", "_Popart.setPatterns"}


def called(name):
    options = poptorch.Options()
    *group, method = name.split(".")
    owner = getattr(options, group[0]) if group else options
    assert getattr(owner, method)(*CALLS[name]) is owner
    return options


def session(options):
    made, _ = sessionOptions(options, training=True)
    return {name: repr(getattr(made, name)) for name in dir(made) if not name.startswith("_")}


def test_every_method_stands_on_the_page():
    pages = documented()
    names = [name for section in pages.values() for name in section]
    assert len(names) == len(set(names))
    found = methods(poptorch.Options) - set(GROUPS)
    found |= {f"{group}.{name}" for group in GROUPS for name in methods(type(getattr(poptorch.Options(), group)))}
    asked = questions()
    assert {name for name in found if name.split(".")[-1] not in asked} == set(names)
    assert set(names) == set(CALLS) | {"loadFromFile"}


def test_the_page_says_what_the_docstrings_say():
    sys.path.insert(0, str(page.parents[1] / "python/tools"))
    import optionpage
    assert optionpage.written(page.name) == page.read_text(), "python/tools/optionpage.py writes the page anew"


def test_what_acts_changes_the_options_or_the_session(monkeypatch):
    plain, empty = session(poptorch.Options()), poptorch.Options().outputMode(OutputMode.Final).toDict()
    monkeypatch.setenv("TEST_SIZE", "2")
    for name in documented()["Acts"]:
        if name in ("loadFromFile", "Distributed.disable"):
            continue
        options = called(name)
        if name in READ_ELSEWHERE:
            told = options.clone()
            if told.defaultOutputMode():
                told.outputMode(OutputMode.Final)
            assert told.toDict() != empty, name
        else:
            assert session(options) != plain, name
    poptorch.Options().maxRepeatLogs(4)


def test_refusals_name_the_option():
    with pytest.raises(ValueError, match="traceModel"):
        called("Jit.traceModel")
    assert documented()["Refused"] == ["Jit.traceModel"]


def test_options_without_effect_change_no_session():
    plain = session(poptorch.Options())
    for name in documented()["Accepted without effect"]:
        assert session(called(name)) == plain, name


def test_defaults():
    o = poptorch.Options()
    assert (o.device_iterations, o.replication_factor, o.output_mode, o.log_dir, o.max_repeat_logs) == (
        1, 1, OutputMode.Default, ".", 4)
    assert o.Training.gradient_accumulation == 1 and o.Distributed.numProcesses == 1 and o.random_seed is None
    assert o.Training.accumulation_and_replication_reduction_type == poptorch.ReductionType.Mean
    assert o.Training.mean_accumulation_and_replication_reduction_strategy == poptorch.MeanReductionStrategy.Post
    assert o.Training.meanAccumulationAndReplicationReductionStrategy == poptorch.MeanReductionStrategy.Post
    assert o._Popart.options == {"instrumentWithHardwareCycleCounter": False, "rearrangeAnchorsOnHost": False}


def test_attributes_are_checked():
    o = poptorch.Options()
    o.device_iterations = 5
    assert o.device_iterations == 5
    for wrong in ("5", 5.0, True, None):
        with pytest.raises(TypeError, match="device_iterations"):
            o.device_iterations = wrong
    with pytest.raises(AttributeError, match="Invalid attribute 'device_iteration'"):
        o.device_iteration = 5
    with pytest.raises(AttributeError, match="Invalid attribute 'nothing'"):
        o.nothing


def test_wrong_values():
    o = poptorch.Options()
    for call in (lambda: o.deviceIterations(0), lambda: o.replicationFactor(-1), lambda: o.outputMode(OutputMode.EveryN),
                 lambda: o.outputMode(OutputMode.EveryN, 0), lambda: o.Precision.setPartialsType(torch.int32),
                 lambda: o.inputReplicaGrouping(2, poptorch.CommGroupType.All), lambda: o.useOfflineIpuTarget(3),
                 lambda: o.setAvailableMemoryProportion({"0": 0.1}), lambda: o.setAvailableMemoryProportion({"IPU0": 2}),
                 lambda: o.Training.accumulationAndReplicationReductionType(poptorch.ReductionType.NoReduction),
                 lambda: o.Distributed.configureProcessId(2, 2), lambda: o.maxRepeatLogs(0)):
        with pytest.raises(ValueError):
            call()
    for wrong in (31, 33, 194, 30):
        with pytest.raises(AssertionError, match="numIOTiles must be an even number between 32 and 192"):
            o.TensorLocations.numIOTiles(wrong)
    for call in (lambda: o.outputMode(2), lambda: o.setExecutionStrategy("pipelined"), lambda: o.connectionType(0),
                 lambda: o.TensorLocations.setWeightLocation(True), lambda: o.randomSeed("x")):
        with pytest.raises(TypeError):
            call()
    assert repr(o) == "Options()"


def test_nonsense_is_refused_and_changes_nothing():
    nonsense = (None, "x", -1, 3.5, [], [3], {}, {3: "x"}, object(), OutputMode.EveryN, True)
    for name, arguments in CALLS.items():
        for wrong in nonsense:
            for i in range(len(arguments)):
                options = poptorch.Options()
                *group, method = name.split(".")
                owner = getattr(options, group[0]) if group else options
                try:
                    getattr(owner, method)(*arguments[:i], wrong, *arguments[i + 1:])
                except (TypeError, ValueError, AssertionError, poptorch.ConfigFileError) as error:
                    assert str(error), (name, wrong)
                    assert repr(options) == "Options()", (name, wrong)
    poptorch.Options().maxRepeatLogs(4)


def test_frozen_options_stay():
    o = poptorch.Options().deviceIterations(3)
    o.freeze()
    for change in (lambda: o.deviceIterations(4), lambda: setattr(o, "device_iterations", 4),
                   lambda: o.Training.gradientAccumulation(2), lambda: o._Popart.set("a", 1),
                   lambda: o.setExecutionStrategy(poptorch.ShardedExecution()), lambda: o.anchorTensor("a", "b"),
                   lambda: o.Distributed.disable(), lambda: o.loadFromFile("x")):
        with pytest.raises(AttributeError, match="Can't modify frozen Options"):
            change()
    other = o.clone().deviceIterations(4)
    other.Training.gradientAccumulation(2)
    assert (o.device_iterations, other.device_iterations, o.Training.gradient_accumulation) == (3, 4, 1)
    assert pickle.loads(pickle.dumps(o)).device_iterations == 3
    assert copy.deepcopy(o).deviceIterations(5).device_iterations == 5 and o.isFrozen


def test_the_output_mode_is_resolved_in_a_copy():
    o = poptorch.Options()
    assert o.resolved(True).output_mode == OutputMode.Final and o.resolved(False).output_mode == OutputMode.All
    assert o.defaultOutputMode() and o.defaultAnchorMode()
    with pytest.raises(AssertionError, match="output mode"):
        o.toDict()
    assert o.anchorMode(poptorch.AnchorMode.Sum).resolved(True).toDict()["output_mode"] == OutputMode.Sum


def test_files(tmp_path):
    file = tmp_path / "options.conf"
    file.write_text("# of a test\n\ndeviceIterations(5)\noptions.replicationFactor(2)\n"
                    "Training.gradientAccumulation(2)\noutputMode(poptorch.OutputMode.EveryN, 5)\n"
                    "Precision.setPartialsType(torch.half).enableStochasticRounding(True)\n"
                    "TensorLocations.setWeightLocation(TensorLocationSettings().useOnChipStorage(False))\n"
                    'setExecutionStrategy(poptorch.PipelinedExecution(poptorch.Stage("a").ipu(1)))\n'
                    '_Popart.set("enableOutlining", False)\nsetAvailableMemoryProportion({"IPU0": 0.25})\n')
    o = poptorch.Options().loadFromFile(str(file))
    assert (o.device_iterations, o.replication_factor, o.output_return_period) == (5, 2, 5)
    assert o.Precision.partials_type is torch.half and o.Precision.enable_stochastic_rounding
    assert o.TensorLocations.location_weight == Off and o._Popart.options["enableOutlining"] is False
    assert repr(o.execution_strategy) == "PipelinedExecution(Stage('a').ipu(1))"
    for line in ("deviceIterations(5", "deviceIteration(5)", "anchorMode(All)", "import os", "__import__('os')",
                 "deviceIterations(0)", "clone.__class__", "Training._values", "outputMode(poptorch.Options)"):
        file.write_text("\n" + line + "\n")
        with pytest.raises(poptorch.ConfigFileError, match=re.escape(f'Line 2 of {file} is no option: "{line}"')):
            poptorch.Options().loadFromFile(str(file))


# A file of options is data: what it names beside options is neither looked up nor called.
@pytest.mark.parametrize("line", (
    'deviceIterations(TensorLocationSettings().__getattribute__("useOnChipStorage"))',
    'deviceIterations(TensorLocationSettings().clone())', "deviceIterations(TensorLocationSettings()._values)",
    "deviceIterations(TensorLocationSettings.useOnChipStorage.__globals__)", 'deviceIterations("{0.x}".format(1))',
    "deviceIterations(OutputMode.All.__class__)", "outputMode(OutputMode.mro)", 'outputMode(OutputMode("All"))',
    "deviceIterations(OutputMode)", "setExecutionStrategy(poptorch.ShardedExecution().placer())",
    "deviceIterations((lambda: 2)())",
    "deviceIterations(torch.load('x'))", "deviceIterations([2][0])", "deviceIterations(*[2])", "deviceIterations(**{})",
    "setAvailableMemoryProportion({**{}})", "deviceIterations([x for x in (1,)])", "(lambda: 2)()", "toDict()", "freeze()",
    "clone().deviceIterations(2)", "resolved(True)", "loadFromFile('/etc/passwd')", "__init__()", "Training.__init__()",
    "deviceIterations(1).__class__(3)", "execution_strategy.placer()", "_Popart.options.update({})",
    '_Popart.set("customCodelets", ["x.cpp"])', '_Popart.set(value=["x.cpp"], key="customCodelets")'))
def test_files_are_data(tmp_path, line):
    file = tmp_path / "options.conf"
    file.write_text(line)
    options = poptorch.Options()
    with pytest.raises(poptorch.ConfigFileError, match="Line 1 of"):
        options.loadFromFile(str(file))
    assert options.isDefault() and not options.isFrozen


def test_a_file_of_options_runs_no_code(tmp_path):
    file, made = tmp_path / "options.conf", tmp_path / "made"
    file.write_text('deviceIterations(TensorLocationSettings().__getattribute__("useOnChipStorage")'
                    '.__getattribute__("__func__").__getattribute__("__globals__").get("__builtins__").get("open")'
                    '("%s", "w"))' % made)
    with pytest.raises(poptorch.ConfigFileError, match="is no option"):
        poptorch.Options().loadFromFile(str(file))
    assert not made.exists()


def test_json(monkeypatch):
    monkeypatch.setenv("POPTORCH_DEFAULT_OPTIONS", '{"deviceIterations": 2, "Precision.enableStochasticRounding": true, '
                       '"connectionType": "ConnectionType.OnDemand", "_Popart.set": ["enableOutlining", false]}')
    o = poptorch.Options()
    assert o.device_iterations == 2 and o.Precision.enable_stochastic_rounding
    assert o.connection_type == poptorch.ConnectionType.OnDemand and o._Popart.options["enableOutlining"] is False
    monkeypatch.setenv("POPTORCH_DEFAULT_OPTIONS", '{"speed": 2}')
    with pytest.raises(poptorch.ConfigFileError, match="speed"):
        poptorch.Options()
    monkeypatch.setenv("POPTORCH_DEFAULT_OPTIONS", '{"_Popart.set": ["customCodelets", ["x.cpp"]]}')
    with pytest.raises(poptorch.ConfigFileError, match="codelets are code"):
        poptorch.Options()


def test_the_environment(monkeypatch):
    monkeypatch.setenv("POPTORCH_CACHE_DIR", "/somewhere")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    o = poptorch.Options()
    assert o.executable_cache == "/somewhere" and (o.Distributed.processId, o.Distributed.numProcesses) == (3, 4)
    assert o.Distributed.disable().numProcesses == 1 and session(o)["cachePath"] == "'/somewhere'"
    assert o.enableExecutableCaching(None).executable_cache is None
    monkeypatch.setenv("POPTORCH_IPU_MODEL", "1")
    assert o.usesIpuModel() and not o.useIpuModel(False).usesIpuModel()


def test_the_environment_is_stronger_than_profiling(monkeypatch, tmp_path):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.directory": str(tmp_path / "mine")}))
    poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options().enableProfiling(str(tmp_path / "other")))(torch.ones(2))
    assert (tmp_path / "mine").exists() and not (tmp_path / "other").exists()


def test_a_seed_is_pytorchs_too():
    poptorch.Options().randomSeed(12)
    first = torch.rand(3)
    torch.manual_seed(12)
    assert torch.equal(first, torch.rand(3))


def test_session_options():
    o = poptorch.Options().replicationFactor(2)
    o.Training.gradientAccumulation(4).accumulationAndReplicationReductionType(poptorch.ReductionType.Sum)
    o.Precision.setPartialsType(torch.half)
    o._Popart.set("autoRecomputation", 3).set("defaultPrefetchBufferingDepth", 3).set("saveInitializersToFile", "x")
    o._Popart.set("accumulateOuterFragmentSettings.excludedVirtualGraphs", ["0"])
    made, _ = sessionOptions(o, True)
    assert made.replicatedGraphCount == 2 and made.accumulationFactor == 4 and made.partialsTypeMatMuls == "half"
    assert made.autoRecomputation.name == "Pipeline" and made.defaultBufferingDepth == 3
    assert made.accumulateOuterFragmentSettings.excludedVirtualGraphs == [0]
    assert sessionOptions(o, False)[0].accumulationFactor == 1
    with pytest.raises(poptorch.Error, match='Unknown popart option "numIOTile". Did you mean "numIOTiles"?'):
        o._Popart.set("numIOTile", 32)
        sessionOptions(o, True)


def test_strategies_in_session_options():
    def made(strategy, blocks, training=True):
        placer = strategy.placer()
        for block, ipu in blocks:
            placer.place(block, ipu)
        return sessionOptions(poptorch.Options().setExecutionStrategy(strategy), training, placer)[0]
    two = [("0", 0), ("1", 1)]
    piped = made(poptorch.PipelinedExecution(), two)
    assert piped.enablePipelining and piped.autoRecomputation.name == "Pipeline" and piped.virtualGraphMode.name == "Manual"
    assert not made(poptorch.PipelinedExecution(), two[:1]).enablePipelining
    assert not made(poptorch.ShardedExecution(), two).enablePipelining
    phased = made(poptorch.ParallelPhasedExecution("0", "1"), [("0", None), ("1", None)])
    assert phased.virtualGraphMode.name == "ExecutionPhases" and phased.executionPhaseSettings.phases == 2
    assert phased.weightTensorLocationSettings.location.storage.name == "OffChip"
    assert isinstance(poptorch.Options().execution_strategy.placer(), Placer)
