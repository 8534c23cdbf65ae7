# SPDX-License-Identifier: MIT
"""Callbacks for predictions, accumulation by epochs, fine-tuning, and bars of one's own."""
import lit
import pytest
import torch

import pi_ml as pl
from pi_ml.callbacks import (BackboneFinetuning, BaseFinetuning, BasePredictionWriter, EarlyStopping,
                             GradientAccumulationScheduler, ModelCheckpoint, Timer)
from pi_ml.callbacks.progress import ProgressBarBase, TQDMProgressBar
from pi_ml.utilities.exceptions import MisconfigurationException


def test_predictions_are_written_by_batches_and_at_the_end(tmp_path):
    class Writes(BasePredictionWriter):
        def __init__(self):
            super().__init__("batch_and_epoch")
            self.batches, self.all = [], None

        def write_on_batch_end(self, trainer, pl_module, prediction, batch_indices, batch, batch_idx, dataloader_idx):
            self.batches.append((batch_idx, batch_indices, prediction))

        def write_on_epoch_end(self, trainer, pl_module, predictions, batch_indices):
            self.all = predictions, batch_indices

    writes, model = Writes(), lit.Classifier()
    rows = torch.utils.data.DataLoader(lit.ROWS[:12], batch_size=4)
    lit.trainer(tmp_path, callbacks=writes).predict(model, rows, return_predictions=False)
    assert [(i, rows) for i, rows, _ in writes.batches] == [(n, [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]) for n in range(3)]
    torch.testing.assert_close(torch.cat([p for _, _, p in writes.batches]), model(lit.ROWS[:12]).detach())
    assert len(writes.all[0][0]) == 3 and writes.all[1][0][2] == [8, 9, 10, 11]
    with pytest.raises(MisconfigurationException, match="batch_and_epoch"):
        BasePredictionWriter("step")


@pytest.mark.parametrize("flags", [{"accumulate_grad_batches": {1: 4}},
                                   {"callbacks": [GradientAccumulationScheduler({1: 4})]}])
def test_accumulation_changes_with_the_epoch(tmp_path, flags):
    made = lit.trainer(tmp_path, max_epochs=3, limit_train_batches=8, **flags)
    made.fit(lit.Classifier(), lit.loader(8))
    assert made.global_step == 8 + 2 + 2
    made.max_epochs = 1
    made.current_epoch = made.global_step = 0
    made.fit(lit.Classifier(), lit.loader(8))
    assert made.global_step == 8


def test_accumulation_is_said_once(tmp_path):
    for wrong in ({}, {0: 0}, {-1: 2}, {0: 1.5}):
        with pytest.raises(MisconfigurationException, match="by epochs"):
            GradientAccumulationScheduler(wrong)
    made = lit.trainer(tmp_path, accumulate_grad_batches=2, callbacks=[GradientAccumulationScheduler({0: 4})])
    with pytest.raises(MisconfigurationException, match="give one of them"):
        made.fit(lit.Classifier(), lit.loader(8))


class Tuned(lit.Classifier):
    def __init__(self):
        super().__init__()
        self.backbone = self.first

    def configure_optimizers(self):
        return torch.optim.SGD([p for p in self.parameters() if p.requires_grad], lr=0.5)


def test_a_backbone_is_trained_from_an_epoch_on(tmp_path):
    rates, weights = [], []

    class Looks(pl.Callback):
        def on_train_epoch_end(self, trainer, module):
            rates.append([group["lr"] for group in trainer.optimizers[0].param_groups])
            weights.append(module.backbone.weight.detach().clone())

    model = Tuned()
    first = model.backbone.weight.detach().clone()
    tuning = BackboneFinetuning(1, lambda epoch: 2, backbone_initial_ratio_lr=0.25)
    lit.trainer(tmp_path, max_epochs=4, callbacks=[tuning, Looks()], limit_train_batches=2).fit(model, lit.loader(8))
    assert rates == [[0.5], [0.5, 0.125], [0.5, 0.25], [0.5, 0.5]]
    assert torch.equal(weights[0], first) and not torch.equal(weights[1], first)
    with pytest.raises(MisconfigurationException, match="backbone"):
        lit.trainer(tmp_path, callbacks=BackboneFinetuning()).fit(lit.Classifier(), lit.loader(8))


def test_an_ipu_trains_what_it_was_compiled_with(tmp_path):
    pytest.importorskip("poptorch")
    model = Tuned()
    first = model.backbone.weight.detach().clone()
    made = lit.trainer(tmp_path, ipus=1, max_epochs=3, callbacks=[BackboneFinetuning(1)], limit_train_batches=2)
    with pytest.raises(MisconfigurationException, match="changes what is trained in epoch 1"):
        made.fit(model, lit.loader(8))
    assert made.global_step == 2 and torch.equal(model.backbone.weight, first)


def test_an_ipu_accumulates_what_a_scheduler_says(tmp_path):
    pytest.importorskip("poptorch")
    made = lit.trainer(tmp_path, ipus=1, limit_train_batches=3, callbacks=[GradientAccumulationScheduler({0: 4})])
    made.fit(lit.Classifier(), lit.loader(8))
    assert made.strategy.training_opts.Training.gradient_accumulation == 4 and made.global_step == 3


def test_batch_norms_may_be_trained_while_the_rest_rests():
    layers = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    BaseFinetuning.freeze(layers)
    assert [p.requires_grad for p in layers.parameters()] == [False, False, True, True]
    BaseFinetuning.freeze([layers], train_bn=False)
    assert list(BaseFinetuning.filter_params(layers)) == []
    BaseFinetuning.make_trainable(layers)
    assert len(list(BaseFinetuning.filter_params(layers, train_bn=False))) == 2
    optimizer = torch.optim.SGD([layers[0].weight], lr=1.0)
    BaseFinetuning.unfreeze_and_add_param_group(layers, optimizer)
    assert [(len(g["params"]), g["lr"]) for g in optimizer.param_groups] == [(1, 1.0), (3, 0.1)]


def test_a_bar_of_ones_own_counts(tmp_path):
    seen = []

    class Bar(ProgressBarBase):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            super().on_train_batch_end(trainer, pl_module, outputs, batch, batch_idx)
            shown = self.get_metrics(trainer, pl_module)
            seen.append((self.train_batch_idx, self.total_train_batches, float(shown["loss"]) > 0))

        def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
            seen.append((self.val_batch_idx, self.total_val_batches))

    bar = Bar()
    with pytest.raises(TypeError, match="not been set"):
        bar.total_train_batches
    made = lit.trainer(tmp_path, callbacks=bar, enable_progress_bar=True, limit_train_batches=3, num_sanity_val_steps=0)
    made.fit(lit.Classifier(), lit.loader(8), lit.loader(8, 16))
    assert seen == [(1, 3, True), (2, 3, True), (3, 3, True), (1, 2), (2, 2)]
    assert made.progress_bar_callback is bar


def test_a_bar_may_be_made_otherwise(tmp_path, capsys):
    class Bar(TQDMProgressBar):
        def init_test_tqdm(self):
            bar = super().init_test_tqdm()
            bar.set_description_str("checking")
            return bar

    lit.trainer(tmp_path, callbacks=Bar(), enable_progress_bar=True).test(lit.Classifier(), lit.loader(8, 32))
    assert "checking: 100% 4/4" in capsys.readouterr().err


def test_scores_are_tensors_and_times_are_known(tmp_path):
    keeps, stops, timer = ModelCheckpoint(tmp_path / "kept", monitor="val_acc", mode="max"), EarlyStopping("val_acc"), Timer()
    assert timer.start_time() is None
    made = lit.trainer(tmp_path, enable_checkpointing=True, callbacks=[keeps, stops, timer], limit_train_batches=2)
    made.fit(lit.Classifier(), lit.loader(8), lit.loader(8, 64))
    assert keeps.best_model_score.item() == stops.best_score.item() == made.callback_metrics["val_acc"].item()
    assert timer.end_time() - timer.start_time() == timer.time_elapsed()
    keeps.to_yaml()
    text = (tmp_path / "kept" / "best_k_models.yaml").read_text()
    assert text == f"{keeps.best_model_path}: {keeps.best_k_models[keeps.best_model_path]!r}\n"
    assert made.early_stopping_callbacks == [stops] and made.num_sanity_val_batches == [2] and made.is_last_batch
