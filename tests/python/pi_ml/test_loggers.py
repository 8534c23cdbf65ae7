# SPDX-License-Identifier: MIT
"""Loggers of one's own, and what TensorBoardLogger and CSVLogger take."""
import argparse
import csv
import os

import lit
import pytest

import pi_ml as pl
from pi_ml.loggers import CSVLogger, LightningLoggerBase, Logger, TensorBoardLogger, rank_zero_experiment
from pi_ml.utilities.exceptions import MisconfigurationException


class Keeps(LightningLoggerBase):
    """As Lightning's documents write one: names as properties, no folder."""

    def __init__(self):
        super().__init__()
        self.metrics, self.hyperparameters, self.status, self.saved = [], None, None, []

    @property
    def name(self):
        return "kept"

    @property
    def version(self):
        return 3

    @property
    @rank_zero_experiment
    def experiment(self):
        return self.metrics

    def log_hyperparams(self, params):
        self.hyperparameters = dict(params)

    def log_metrics(self, metrics, step):
        self.metrics.append((step, metrics))

    def after_save_checkpoint(self, checkpoint_callback):
        self.saved.append(checkpoint_callback.best_model_path)

    def finalize(self, status):
        self.status = status


def test_a_logger_without_a_folder(tmp_path):
    keeps = Keeps()
    made = lit.trainer(tmp_path, logger=keeps, log_every_n_steps=8, enable_checkpointing=True)
    made.fit(lit.Classifier(), lit.loader(8), lit.loader(8, 16))
    assert isinstance(keeps, Logger) and made.logger is keeps and made.log_dir == str(tmp_path)
    assert keeps.hyperparameters["hidden"] == 16 and keeps.status == "success"
    assert [step for step, metrics in keeps.experiment if "train_loss_step" in metrics] == [7, 15, 23, 31]
    assert any("val_acc" in metrics for _, metrics in keeps.metrics)
    assert made.checkpoint_callback.dirpath == str(tmp_path / "kept" / "version_3" / "checkpoints")
    assert keeps.saved == [made.checkpoint_callback.best_model_path] and os.path.isfile(keeps.saved[0])


def test_a_failed_training_ends_as_failed(tmp_path):
    class Fails(pl.Callback):
        def on_train_start(self, trainer, module):
            raise ZeroDivisionError

    keeps = Keeps()
    with pytest.raises(ZeroDivisionError):
        lit.trainer(tmp_path, logger=keeps, callbacks=Fails()).fit(lit.Classifier(), lit.loader(8))
    assert keeps.status == "failed"
    with pytest.raises(NotImplementedError, match="log_metrics"):
        Logger().log_metrics({})


def test_hyperparameters_with_metrics(tmp_path):
    logger = TensorBoardLogger(tmp_path, name="mine", version="one", default_hp_metric=False, sub_dir="events")
    logger.log_hyperparams(argparse.Namespace(rate=0.5), {"accuracy": 0.75})
    logger.finalize("success")
    folder = tmp_path / "mine" / "one" / "events"
    assert (folder / "hparams.yaml").read_text() == "rate: 0.5\n"
    events, = folder.glob("events*")
    assert b"accuracy" in events.read_bytes() and b"hp_metric" not in events.read_bytes()
    TensorBoardLogger(tmp_path, version=2, default_hp_metric=True).log_hyperparams({"rate": 1})
    with pytest.raises(MisconfigurationException, match="log_graph=True"):
        TensorBoardLogger(tmp_path, log_graph=True)


def test_the_csv_loggers_experiment_writes(tmp_path):
    logger = CSVLogger(tmp_path)
    logger.experiment.log_metrics({"own": 2.5}, 4)
    logger.experiment.save()
    with open(os.path.join(logger.log_dir, "metrics.csv"), newline="") as file:
        assert list(csv.DictReader(file)) == [{"own": "2.5", "step": "4"}]
