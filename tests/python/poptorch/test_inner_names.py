# SPDX-License-Identifier: MIT
"""Inner names of the vendor's package that public programs use say the truth about ours."""
import importlib
import sys
import types

import poptorch
import pytest
import torch
from poptorch import poptorch_core


class Calls(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def run(function, *args):
    return poptorch.inferenceModel(Calls(function))(*args)


def test_a_capture_is_told_of_while_it_runs():
    seen = []

    def forward(x):
        seen.append((poptorch_core.isCompilingWithDispatcher(), poptorch._impl.isDispatchTracing()))
        return x + 1

    assert not poptorch_core.isCompilingWithDispatcher() and not poptorch._impl.isDispatchTracing()
    run(forward, torch.ones(2))
    assert seen == [(True, True)]
    assert not poptorch_core.isCompilingWithDispatcher() and not poptorch._impl.isDispatchTracing()


def test_errors_of_torch_name_tensors_as_on_the_host():
    x, index = torch.ones(2), torch.tensor([0, 1])
    with pytest.raises(TypeError) as host:
        x.scatter(0, index, x, None)
    for source in (x, torch.tensor([3])):  # a number of the model has a class of its own
        with pytest.raises(TypeError) as ipu:
            run(lambda x, i, s: x.scatter(0, i, s, None), x, index, source)
        assert str(ipu.value) == str(host.value)


@pytest.mark.parametrize("kind, error, name", [
    ("Poptorch", poptorch.Error, "poptorch_cpp_error"),
    ("Popart", poptorch.Error, "popart_exception"),
    ("PopartInternal", poptorch.Error, "popart_internal_exception"),
    ("Poplibs", poptorch.Error, "poplibs_exception"),
    ("PoplarUnrecoverable", poptorch.UnrecoverableError, "poplar_unrecoverable_runtime_error"),
    ("PoplarUnknown", poptorch.Error, "poplar_unknown_runtime_error"),
    ("PoplarRecoverableFullReset", poptorch.RecoverableError, "poplar_recoverable_runtime_error"),
    ("PoplarLinkError", poptorch.Error, "poplar_exception")])
def test_errors_can_be_tried(kind, error, name):
    kind = getattr(poptorch_core.TestErrorType, kind)

    def forward(x):
        poptorch_core._throwTestError(kind)
        return x

    for call in (lambda: poptorch_core._throwTestError(kind), lambda: run(forward, torch.ones(1))):
        with pytest.raises(error) as caught:
            call()
        assert caught.value.type == name and kind.name in caught.value.message
        assert type(caught.value) is error
        if error is poptorch.RecoverableError:
            assert caught.value.recovery_action == "FULL_RESET"


def test_options_can_be_validated():
    options = poptorch.Options().deviceIterations(2).outputMode(poptorch.OutputMode.All)
    options._Popart.set("enableOutlining", False)
    options._Popart.setPatterns({"PreUniRepl": False})
    poptorch_core._validateOptions(options.toDict())
    for wrong in ({"deviceIteration": 2}, {"device_iterations": "two"}, {"patterns": {"NoSuchPattern": True}},
                  {"popart_options": {"enableOutlinings": True}}):
        with pytest.raises(poptorch.Error):
            poptorch_core._validateOptions({**options.toDict(), **wrong})


def test_what_options_and_optimizers_have_by_other_names(tmp_path):
    options = poptorch.Options().setExecutionStrategy(poptorch.ShardedExecution("a", "b"))
    assert options._execution_strategy is options.execution_strategy
    with pytest.raises(AttributeError):
        options._execution_strategy = poptorch.ShardedExecution()
    assert isinstance(options.Distributed, poptorch.options._DistributedOptions)
    (tmp_path / "options").write_text("noSuchOption(1)\n")
    with pytest.raises(poptorch.options.ConfigFileError):
        options.loadFromFile(str(tmp_path / "options"))
    optimizer = poptorch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
    names = optimizer.variable_attrs._allowed_attributes
    assert {"lr", "momentum", "dampening", "weight_decay", "loss_scaling"} <= set(names)
    for name in names:
        optimizer.variable_attrs.markAsConstant(name)
    assert all(optimizer.variable_attrs.isConstant(name) for name in names)


def test_blocks_of_functions_know_their_names():
    block = poptorch.BeginBlock(torch.relu, "first", 2)
    assert (block._user_id, block._ipu_id) == ("first", 2)


@pytest.mark.parametrize("path", ["_impl", "_logging", "autocasting", "custom_ops", "enums", "errors", "ops", "optim",
                                  "options", "poptorch_core", "profiling", "testing", "version"])
def test_modules_that_programs_import_are_there(path):
    module = importlib.import_module(f"poptorch.{path}")
    assert getattr(poptorch, path) is module


def test_a_file_of_modules_that_have_moved_says_so(tmp_path, monkeypatch):
    old = types.ModuleType("poptorch.options_groups")
    old.Group = type("Group", (), {"__module__": old.__name__})
    monkeypatch.setitem(sys.modules, old.__name__, old)
    path, net = tmp_path / "model.poptorch", torch.nn.Linear(2, 3)
    net.group = old.Group()
    poptorch.inferenceModel(net).compileAndExport(path, torch.ones(4, 2))
    monkeypatch.delitem(sys.modules, old.__name__)
    with pytest.raises(poptorch.Error, match="model.poptorch was written by another version of poptorch. Compile"):
        poptorch.load(path)
