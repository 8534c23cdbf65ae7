# SPDX-License-Identifier: MIT
"""Enumerations, errors, the log and hooks."""
import copy
import os
import pickle
import re
import subprocess
import sys

import poptorch
import pytest
import torch
from poptorch import _logging
from poptorch.base import hooks


def test_values_of_enumerations():
    def values(kind):
        return {m.name: m.value for m in kind}
    assert values(poptorch.OutputMode) == {"Final": 0, "EveryN": 1, "All": 2, "Sum": 3, "Default": 4}
    assert values(poptorch.DataLoaderMode) == {"Sync": 0, "Async": 1, "AsyncRebatched": 2}
    assert values(poptorch.SharingStrategy) == {"SharedMemory": 0, "FileSystem": 1, "Fork": 2, "ForkServer": 3}
    assert values(poptorch.ConnectionType) == {"Always": 0, "OnDemand": 1, "Never": 2}
    assert values(poptorch.ReductionType) == {"Sum": 0, "Mean": 1, "NoReduction": 2}
    assert values(poptorch.MeanReductionStrategy) == {"Running": 0, "Post": 1, "PostAndLoss": 2}
    assert values(poptorch.SyncPattern) == {"Full": 0, "SinglePipeline": 1, "ReplicaAndLadder": 2}
    assert values(poptorch.CommGroupType) == {"All": 0, "Consecutive": 1, "Orthogonal": 2, "NoGrouping": 3}
    assert values(poptorch.VariableRetrievalMode) == {"OnePerGroup": 0, "AllReplicas": 2}
    assert values(poptorch.Liveness) == {"AlwaysLive": 0, "OffChipAfterFwd": 1, "OffChipAfterFwdNoOverlap": 2,
                                         "OffChipAfterEachPhase": 3}
    assert poptorch.MatMulSerializationMode.Disabled.value == "none"
    assert poptorch.OverlapMode.OverlapDeviceIterationLoop.value == "overlap_device_iteration_loop"
    for mode in poptorch.OutputMode:
        assert poptorch.AnchorMode[mode.name] == mode and pickle.loads(pickle.dumps(mode)) is mode


def test_errors():
    error = poptorch.createPoptorchError("it failed")
    assert isinstance(error, poptorch.Error) and str(error) == "'poptorch_py_error': it failed"
    assert (error.type, error.message) == ("poptorch_py_error", "it failed")
    reset = poptorch.RecoverableError("lost", "poplar_recoverable_runtime_error", ["run"], "IPU_RESET")
    for e in (pickle.loads(pickle.dumps(reset)), copy.copy(reset)):
        assert (e.recovery_action, e.location, str(e)) == ("IPU_RESET", ["run"], str(reset))
    assert issubclass(poptorch.UnrecoverableError, poptorch.Error)


@pytest.fixture
def log():
    _logging.setMaxRepeats(4)
    yield _logging.logger
    _logging.setMaxRepeats(4)
    poptorch.setLogLevel("WARN")


def test_lines_of_the_log(log, capsys):
    log.warning("watch %s", "out")
    log.info("not shown")
    poptorch.setLogLevel("INFO")
    log.info("shown")
    poptorch.setLogLevel(4)
    log.warning("quiet")
    text = capsys.readouterr().err
    assert re.fullmatch(r"\[\d\d:\d\d:\d\d\.\d{3}\] \[poptorch::python\] \[warning\] watch out\n"
                        r"\[[\d:.]+\] \[poptorch::python\] \[info\] shown\n", text)
    for wrong in ("LOUD", 17):
        with pytest.raises(ValueError, match="TRACE, .*DEBUG.*OFF"):
            poptorch.setLogLevel(wrong)


def test_repeated_lines(log, capsys):
    for i in range(8):
        log.warning("again")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and "maxRepeatLogs" in lines[-1]
    poptorch.Options().maxRepeatLogs(None)
    for i in range(8):
        log.warning("again")
    assert len(capsys.readouterr().err.splitlines()) == 8


def test_lines_below_warnings_are_never_cut(log, capsys):
    poptorch.setLogLevel("DEBUG")
    for i in range(8):
        log.debug("Total number of IPU cycles: 5")
        log.info("attached")
    assert len(capsys.readouterr().err.splitlines()) == 16


def test_what_a_model_is_made_of_is_logged(log, capsys):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return poptorch.identity_loss(self.w * x, "sum")

    poptorch.setLogLevel("DEBUG")
    options = poptorch.Options()
    options.Training.gradientAccumulation(2)
    module = Net()
    optimizer = poptorch.optim.SGD(module.parameters(), lr=0.25, loss_scaling=2.0)
    model = poptorch.trainingModel(module, options, optimizer)
    model(torch.ones(2))
    text = capsys.readouterr().err
    assert "enableGradientAccumulation set to value 1\n" in text and "accumulationFactor set to value 2\n" in text
    assert "enablePipelining" not in text
    assert "graph optimizer SGD, group 0: lossScaling=2, learningRate=0.25, momentum=0 (const)" in text
    assert "attached to its device" in text
    model.detachFromDevice()
    assert "detached from its device" in capsys.readouterr().err


def test_the_log_of_a_process(tmp_path):
    file = tmp_path / "log.txt"
    program = "import poptorch, poptorch._logging as l; l.logger.debug('deep'); raise ValueError('wrong')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env={**os.environ, "POPTORCH_LOG_LEVEL": "DEBUG", "POPTORCH_LOG_DEST": str(file)})
    assert "[debug] deep" in file.read_text() and "[error] ValueError: wrong" in file.read_text()
    assert "ValueError: wrong" in run.stderr and run.returncode == 1
    run = subprocess.run([sys.executable, "-c", "import poptorch"], capture_output=True, text=True, check=True,
                         env={**os.environ, "POPTORCH_LOG_DEST": str(tmp_path / "none/log")})
    assert "POPTORCH_LOG_DEST" in run.stderr and "there is no folder" in run.stderr


def test_hooks():
    calls = []
    handles = [poptorch.registerPreCompileHook(lambda: calls.append("before")),
               poptorch.registerPostCompileHook(lambda: calls.append("after"))]
    hooks.runPreCompileHooks()
    hooks.runPostCompileHooks()
    for handle in handles:
        handle.remove()
    hooks.runPreCompileHooks()
    assert calls == ["before", "after"]
    for register in (poptorch.registerPreCompileHook, poptorch.registerPostCompileHook):
        with pytest.raises(RuntimeError, match="function"):
            register(3)


def test_importing_is_light():
    heavy = "import sys, torch, poptorch; assert not {'popart', 'popart_core', 'onnx'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", heavy], check=True)


@pytest.mark.xfail(torch.__version__ >= "2", reason="torch 2 imports it to work out shapes in Python", strict=False)
def test_the_first_model_leaves_torch_compile_alone():
    """Importing it takes seconds. The error of whoever does so says where."""
    program = """
import importlib.abc, sys, torch, poptorch
class Refuses(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch._dynamo":
            raise AssertionError("torch._dynamo is imported")
if "torch._dynamo" not in sys.modules:
    sys.meta_path.insert(0, Refuses())
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU()).eval()
assert poptorch.inferenceModel(model)(torch.ones(2, 3)).shape == (2, 3)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_public_names():
    for name in """Options TensorLocationSettings ConfigFileError PipelinedExecution ShardedExecution
                   ParallelPhasedExecution SerialPhasedExecution Stage Phase AutoStage DataLoader AsynchronousDataAccessor
                   DataLoaderMode SharingStrategy optim MultiConvPlanType MatMulSerializationMode OverlapMode OutputMode
                   ConnectionType SyncPattern ReductionType MeanReductionStrategy Liveness CommGroupType
                   VariableRetrievalMode HalfFloatCastingBehavior AnchorMode registerPreCompileHook
                   registerPostCompileHook ICustomArgParser registerCustomArgParser registerGeometricCustomArgParsers
                   Error RecoverableError UnrecoverableError createPoptorchError setLogLevel""".split():
        assert hasattr(poptorch, name), name
    for name in "SGD Adam AdamW RMSprop LAMB Optimizer VariableAttributes".split():
        assert hasattr(poptorch.optim, name), name
    assert os.environ["RDMAV_FORK_SAFE"]
