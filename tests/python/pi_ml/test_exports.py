# SPDX-License-Identifier: MIT
"""Modules as files for other programs, shapes in a summary, parameters of one optimiser, hooks by Lightning's paths."""
import argparse
import importlib

import lit
import pytest
import torch

import pi_ml as pl
from pi_ml.utilities.apply_func import apply_to_collection, move_data_to_device
from pi_ml.utilities.model_summary import ModelSummary, summarize


class Plain(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(12, 8), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(8, 4))

    def forward(self, x):
        return self.second(self.first(x))


def test_a_module_for_torch_alone(tmp_path):
    model = Plain().train()
    expected = model(lit.ROWS)
    torch.testing.assert_close(model.to_torchscript()(lit.ROWS), expected)
    model.to_torchscript(tmp_path / "traced.pt", method="trace", example_inputs=lit.ROWS[:2])
    torch.testing.assert_close(torch.jit.load(str(tmp_path / "traced.pt"))(lit.ROWS), expected)
    assert model.training and "__jit_unused_properties__" not in vars(Plain)
    with pytest.raises(ValueError, match="example_input_array"):
        model.to_torchscript(method="trace")
    with pytest.raises(ValueError, match="'script' or 'trace'"):
        model.to_torchscript(method="copy")


def test_a_module_in_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    model = Plain()
    with pytest.raises(ValueError, match="to_onnx needs inputs"):
        model.to_onnx(tmp_path / "model.onnx")
    model.example_input_array = lit.ROWS[:2]
    model.to_onnx(tmp_path / "model.onnx", input_names=["rows"])
    graph = onnx.load(str(tmp_path / "model.onnx")).graph
    assert graph.input[0].name == "rows" and [d.dim_value for d in graph.output[0].type.tensor_type.shape.dim] == [2, 4]


def test_a_summary_with_shapes():
    model = Plain()
    assert ModelSummary(model).in_sizes == [] and "sizes" not in str(summarize(model))
    model.example_input_array = torch.zeros(2, 12)
    summary = summarize(model, max_depth=-1)
    assert summary.layer_names == ["first", "second", "second.0", "second.1"] and model.training
    assert summary.in_sizes == [[2, 12], [2, 8], [2, 8], [2, 8]] and summary.out_sizes == [[2, 8], [2, 4], [2, 8], [2, 4]]
    assert "In sizes | Out sizes" in str(summary) and "[2, 12]" in str(summary)


def test_one_optimizers_parameters_have_gradients():
    model = Plain()
    model.first.bias.requires_grad = False
    model.toggle_optimizer(torch.optim.SGD(model.second.parameters(), lr=1))
    assert [n for n, p in model.named_parameters() if p.requires_grad] == ["second.1.weight", "second.1.bias"]
    model.untoggle_optimizer()
    assert [n for n, p in model.named_parameters() if not p.requires_grad] == ["first.bias"]


def test_hyperparameters_of_a_parser():
    class Takes(pl.LightningModule):
        def __init__(self, hparams):
            super().__init__()
            self.save_hyperparameters(hparams)

    assert Takes(argparse.Namespace(rate=2)).hparams.rate == Takes({"rate": 2}).hparams.rate == 2


def test_batches_without_a_result_are_left_out(tmp_path):
    class Skips(lit.Classifier):
        def training_step(self, batch, batch_idx):
            return None if batch_idx == 1 else super().training_step(batch, batch_idx)

        def training_epoch_end(self, outputs):
            self.count = len(outputs)

    model = Skips()
    lit.trainer(tmp_path, limit_train_batches=3).fit(model, lit.loader(8))
    assert model.count == 2


def test_functions_of_structures():
    given = {"a": [torch.ones(2), 3], "b": (None, 4.0)}
    found = apply_to_collection(given, (torch.Tensor, float), lambda leaf, more: leaf + more, 1)
    assert found["a"][0].tolist() == [2, 2] and found["a"][1] == 3 and found["b"] == (None, 5.0)
    assert apply_to_collection([1, 2.0], (int, float), lambda v: None if v == 1 else v, wrong_dtype=float,
                               include_none=False) == [2.0]
    assert move_data_to_device(given, torch.device("cpu"))["a"][0].device.type == "cpu"


def test_what_is_drawn_within_changes_no_generator():
    pl.seed_everything(4)
    with pl.utilities.isolate_rng():
        first = torch.rand(3)
    assert torch.equal(first, torch.rand(3))


@pytest.mark.parametrize("path,name,ours", [
    ("accelerators.ipu", "IPUAccelerator", "accelerators"), ("callbacks.model_checkpoint", "ModelCheckpoint", "callbacks"),
    ("callbacks.progress.tqdm_progress", "TQDMProgressBar", "callbacks"), ("core.hooks", "ModelHooks", "hooks"),
    ("core.lightning", "LightningModule", "module"), ("plugins.precision.ipu", "IPUPrecisionPlugin", "plugins"),
    ("strategies.single_device", "SingleDeviceStrategy", "strategies"), ("utilities.seed", "isolate_rng", "seeding"),
    ("utilities.distributed", "rank_zero_only", "log"), ("utilities.rank_zero", "rank_zero_deprecation", "log"),
    ("utilities.parsing", "AttributeDict", "utilities"), ("utilities.model_helpers", "is_overridden", "module"),
])
def test_lightnings_paths(path, name, ours):
    found = getattr(importlib.import_module(f"pi_ml.{path}"), name)
    assert found is getattr(importlib.import_module(f"pi_ml.{ours}"), name)


def test_whether_a_hook_is_overridden():
    from pi_ml.utilities.model_helpers import is_overridden
    assert is_overridden("training_step", lit.Classifier()) and not is_overridden("test_step", Plain())
    assert is_overridden("on_train_batch_end", lit.Losses()) and not is_overridden("on_fit_end", lit.Losses())
    with pytest.raises(ValueError, match="parent"):
        is_overridden("forward", object())


@pytest.mark.parametrize("code,advice", [
    ("from pi_ml.callbacks import RichProgressBar", "TQDMProgressBar"), ("import pi_ml.profiler", "autoreport=True"),
    ("from pi_ml.loggers import WandbLogger", "Logger for one of your own"), ("import pi_ml; pi_ml.lite", "LightningModule"),
    ("from pi_ml.utilities.cli import LightningCLI", "add_argparse_args"),
])
def test_names_that_are_not_there_say_what_is(code, advice):
    with pytest.raises(ImportError, match=advice):
        exec(code, {})
