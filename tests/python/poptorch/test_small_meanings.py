# SPDX-License-Identifier: MIT
"""Small things that programs expect of wrappers and options, each by itself."""
import json
import os
import re
import subprocess
import sys

import poptorch
import pytest
import torch


class Spread(torch.nn.Module):
    """Over three IPUs."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*(poptorch.BeginBlock(torch.nn.Linear(1, 1), ipu_id=i) for i in range(3)))

    def forward(self, x):
        return self.layers(x)


def test_three_ipus_can_be_compiled_for_offline(tmp_path):
    options = poptorch.Options().useOfflineIpuTarget(2).deviceIterations(3)
    model = poptorch.inferenceModel(Spread(), options)
    model.compile(torch.ones(3, 1))
    model.save(str(tmp_path / "model.poptorch"))
    with pytest.raises(poptorch.Error, match="must reserve a minimum of 4"):
        poptorch.load(str(tmp_path / "model.poptorch"))


def test_an_offline_compilation_leaves_its_profile(tmp_path, monkeypatch):
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps({"autoReport.all": "true", "autoReport.directory": str(tmp_path)}))
    model = poptorch.inferenceModel(torch.nn.ReLU(), poptorch.Options().useOfflineIpuTarget(2))
    model.compile(torch.ones(2))
    assert (tmp_path / "inference/profile.pop").stat().st_size > 0


def test_groups_of_channels_may_be_strided():
    x, norm = torch.arange(8.).reshape(2, 4), torch.nn.GroupNorm(2, 4)
    options = poptorch.Options()
    options._Popart.set("groupNormStridedChannelGrouping", True)
    order = torch.tensor([0, 2, 1, 3])  # channel c is in group c % 2
    torch.testing.assert_close(poptorch.inferenceModel(norm, options)(x)[:, order], norm(x[:, order]).detach(),
                               rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(poptorch.inferenceModel(norm)(x), norm(x).detach(), rtol=1e-5, atol=1e-5)


def test_synthetic_data_has_empty_times_for_each_tensor():
    class Sum(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    model = poptorch.inferenceModel(Sum(), poptorch.Options().enableSyntheticData(True))
    model(torch.ones(2), torch.ones(2))
    assert model.getPerfCounters() == {"input": [[], []], "input_complete": [[], []], "output": [[]], "output_complete": [[]]}
    assert model.getLatency() == (0.0, 0.0, 0.0)


def test_the_folder_of_an_exported_model_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_FILE", str(tmp_path / "a/b/model.onnx"))
    poptorch.inferenceModel(torch.nn.ReLU()).compile(torch.ones(2))
    assert "Relu" in (tmp_path / "a/b/model.onnx").read_text()


class Learns(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return poptorch.identity_loss(x * self.w, "sum")


def test_executables_of_the_cache_are_told_of(tmp_path, capfd):
    poptorch.setLogLevel("INFO")
    try:
        for training in (False, True):
            said = []
            for _ in range(2):
                options = poptorch.Options().enableExecutableCaching(str(tmp_path))
                model = (poptorch.trainingModel if training else poptorch.inferenceModel)(Learns(), options)
                model.compile(torch.ones(1, 2))
                said.append(f"The executable comes from the cache in {tmp_path}" in capfd.readouterr().err)
                model.destroy()
            assert said == [False, True]
    finally:
        poptorch.setLogLevel("WARN")


def test_locations_read_by_the_names_of_their_setters():
    settings = poptorch.TensorLocationSettings().useOnChipStorage(False).minElementsForOffChip(4).useIOTilesToLoad(True)
    assert settings["onChip"] is False and settings["minElementsForOffChip"] == 4 and settings["useIOTilesToLoad"] is True
    for name in ("useIOTilesToStore", "nonsense"):
        with pytest.raises(KeyError):
            settings[name]


def test_weights_print_as_those_of_torch():
    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2))
            self.register_buffer("b", torch.zeros(2))

        def forward(self, x):
            self.b.add_(1)
            return poptorch.identity_loss(x * self.w, "sum")

    module = Both()
    poptorch_model = poptorch.trainingModel(module, optimizer=torch.optim.SGD(module.parameters(), lr=0.5))
    poptorch_model(torch.ones(2))
    assert repr(module.w) == repr(torch.nn.Parameter(torch.full((2,), 0.5)))
    assert repr(module.b) == str(module.b) == repr(torch.ones(2))


def test_elements_of_the_last_axis_are_gathered():
    class Gathers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.gather = torch.nn.Parameter(torch.arange(6.).reshape(2, 3)), poptorch.custom_ops.FastGatherLastDim()

        def forward(self, index):
            out = self.gather(self.w, index)
            return out, poptorch.identity_loss(out, "sum")

    module, index = Gathers(), torch.tensor([[2, 0, 2, 1], [1, 1, 1, 0]], dtype=torch.int32)
    training = poptorch.trainingModel(module, optimizer=torch.optim.SGD(module.parameters(), lr=1.0))
    assert training(index)[0].tolist() == [[2, 0, 2, 1], [4, 4, 4, 3]]
    assert module.w.tolist() == [[-1, 0, 0], [2, 1, 5]]  # each less by how often it was taken


def test_modules_that_were_made_in_inference_mode():
    with torch.inference_mode():
        module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)).eval()
        expected = module(torch.ones(3, 2))
        inside = poptorch.inferenceModel(module)(torch.ones(3, 2))
    for ours in (inside, poptorch.inferenceModel(module)(torch.ones(3, 2))):
        torch.testing.assert_close(ours, expected.clone(), rtol=1e-5, atol=1e-6)


_TOO_LARGE = """
import poptorch, torch
class Large(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*(torch.nn.Linear(400, 400) for _ in range(4)))
    def forward(self, x):
        return poptorch.identity_loss(self.layers(x), "mean")
module = Large()
poptorch.trainingModel(module, optimizer=poptorch.optim.Adam(module.parameters(), lr=0.1))(torch.ones(2, 400))
"""


def test_advice_about_memory_names_options_of_poptorch(tmp_path):
    (tmp_path / "small.chip").write_text("base = ipu2\nname = small\ntiles = 4\n")
    said = subprocess.run([sys.executable, "-c", _TOO_LARGE], capture_output=True, text=True, timeout=300, env={
        **os.environ, "OPENIPU_CHIP": str(tmp_path / "small.chip"), "OPENIPU_NUM_IPUS": "2",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "POPLAR_ENGINE_OPTIONS": json.dumps({"debug.allowOutOfMemory": "false"})}).stderr
    for words in ("Options.setAvailableMemoryProportion of 0.15 for every IPU", "all of these",
                  'Options._Popart.set("autoRecomputation", int(popart.RecomputationType.Standard))',
                  "Options.TensorLocations.setOptimizerLocation(poptorch.TensorLocationSettings().useOnChipStorage(False))",
                  "the layers in blocks (poptorch.BeginBlock) on 2 IPUs"):
        assert re.search(r"[\d,]+ bytes with " + re.escape(words), said), said
    assert said.count("Compiled again") == 2  # in the log and in the trace, which has no second error
