# SPDX-License-Identifier: MIT
"""Early stopping, timer, learning rates, loggers, bars and tables."""
import csv
import datetime
import io
import logging
import struct
import sys

import lit
import pytest
import torch
from popart._events import crc32c, masked_crc

import pi_ml as pl
from pi_ml.callbacks import EarlyStopping, LambdaCallback, LearningRateMonitor, ModelCheckpoint, Timer
from pi_ml.loggers import CSVLogger, TensorBoardLogger
from pi_ml.summary import ModelSummary, readable
from pi_ml.utilities.exceptions import MisconfigurationException


class Given(lit.Classifier):
    """Whose val_loss is what a list says."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def validation_epoch_end(self, outputs):
        if not self.trainer.sanity_checking:
            self.log("score", self.values[self.current_epoch])


def stopped(tmp_path, values, **kwargs):
    made = lit.trainer(tmp_path, max_epochs=len(values), callbacks=[EarlyStopping("score", **kwargs)], limit_train_batches=1,
                       limit_val_batches=1)
    made.fit(Given(values), lit.loader(), lit.loader())
    return made.current_epoch


@pytest.mark.parametrize("values,kwargs,epochs", [
    ([5.0, 4.0, 3.0, 3.0, 3.0, 3.0, 1.0], {"patience": 2}, 5),
    ([5.0, 4.0, 3.9, 3.8, 3.7, 3.6], {"patience": 2, "min_delta": 0.5}, 4),
    ([1.0, 2.0, 1.5, 1.6, 1.7], {"patience": 2, "mode": "max"}, 4),
    ([3.0, 2.0, 0.5, 0.4], {"stopping_threshold": 1.0}, 3),
    ([3.0, 9.0, 8.0, 7.0], {"divergence_threshold": 8.5}, 2),
    ([3.0, float("nan"), 1.0], {}, 2),
])
def test_early_stopping(tmp_path, values, kwargs, epochs):
    assert stopped(tmp_path, values, **kwargs) == epochs


def test_early_stopping_of_an_unknown_metric_names_those_there_are(tmp_path):
    with pytest.raises(RuntimeError, match="val_los.*`val_loss`"):
        lit.fit(tmp_path, val=lit.loader(), callbacks=[EarlyStopping("val_los")])


def test_minimum_epochs_come_first(tmp_path):
    made = lit.trainer(tmp_path, max_epochs=6, min_epochs=4, callbacks=[EarlyStopping("score", patience=1)],
                       limit_train_batches=1, limit_val_batches=1)
    made.fit(Given([1.0] * 6), lit.loader(), lit.loader())
    assert made.current_epoch == 4


def test_the_timer_ends_a_training(tmp_path):
    made, _, losses = lit.fit(tmp_path, max_epochs=-1, max_time=datetime.timedelta(seconds=0))
    assert len(losses) == 1
    timer = Timer("00:00:00:01")
    assert timer.time_remaining() == 1
    with pytest.raises(MisconfigurationException, match="DD:HH:MM:SS"):
        Timer("1 minute")


def test_steps_and_epochs_end_a_training(tmp_path):
    made, _, _ = lit.fit(tmp_path, max_steps=40, max_epochs=None)
    assert made.global_step == 40
    made, _, _ = lit.fit(tmp_path, max_epochs=3, limit_train_batches=5)
    assert made.global_step == 15 and made.current_epoch == 3


def test_validation_intervals(tmp_path):
    class Counts(pl.Callback):
        at = []

        def on_validation_end(self, trainer, pl_module):
            if not trainer.sanity_checking:
                self.at.append(trainer.global_step)

    for interval, expected in ((0.25, [8, 16, 24, 32]), (10, [10, 20, 30]), (1.0, [32])):
        Counts.at = []
        lit.fit(tmp_path, val=lit.loader(), callbacks=[Counts()], val_check_interval=interval)
        assert Counts.at == expected
    Counts.at = []
    lit.fit(tmp_path, val=lit.loader(), callbacks=[Counts()], check_val_every_n_epoch=2, max_epochs=4)
    assert Counts.at == [64, 128]


def test_fast_dev_run_and_overfit(tmp_path):
    made, _, losses = lit.fit(tmp_path, val=lit.loader(), fast_dev_run=True, logger=True, enable_checkpointing=True)
    assert len(losses) == 1 and not list(tmp_path.iterdir())
    seen = []
    watch = LambdaCallback(on_train_batch_end=lambda t, m, out, batch, index, *_: seen.append(batch[0].sum().item()))
    with pytest.warns(UserWarning, match="overfit"):
        lit.fit(tmp_path, overfit_batches=2, max_epochs=3, callbacks=[watch])
    assert seen == seen[:2] * 3


def test_learning_rates_are_logged(tmp_path):
    class Falls(lit.Classifier):
        def configure_optimizers(self):
            optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]

    monitor = LearningRateMonitor()
    lit.fit(tmp_path, Falls, max_epochs=3, callbacks=[monitor], logger=CSVLogger(tmp_path))
    assert monitor.lrs == {"lr-SGD": [0.1, 0.05, 0.025]}


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def test_the_csv_file_has_steps_and_epochs(tmp_path):
    logger = CSVLogger(tmp_path, name="runs")
    made, _, losses = lit.fit(tmp_path, val=lit.loader(), logger=logger, log_every_n_steps=8, max_epochs=2, ipus=1)
    rows = rows_of(tmp_path / "runs/version_0/metrics.csv")
    steps = {int(r["step"]): float(r["train_loss_step"]) for r in rows if r["train_loss_step"]}
    assert sorted(steps) == [7, 15, 23, 31, 39, 47, 55, 63]
    assert steps[15] == pytest.approx(losses[15], rel=1e-6)
    epochs = [float(r["train_loss_epoch"]) for r in rows if r["train_loss_epoch"]]
    assert epochs == pytest.approx([sum(losses[:32]) / 32, sum(losses[32:]) / 32], rel=1e-5)
    assert len([r for r in rows if r["val_acc"]]) == 2
    assert (tmp_path / "runs/version_0/hparams.yaml").read_text() == "hidden: 16\nrate: 0.01\ndropout: 0.0\n"
    assert CSVLogger(tmp_path, name="runs").version == 1


def events_of(path):
    """Tags, steps and values of an event file, by its format alone; checks the checksums."""
    data, found = path.read_bytes(), []
    while data:
        length = struct.unpack("<Q", data[:8])[0]
        assert struct.unpack("<I", data[8:12])[0] == masked_crc(data[:8])
        body = data[12:12 + length]
        assert struct.unpack("<I", data[12 + length:16 + length])[0] == masked_crc(body)
        found.append(body)
        data = data[16 + length:]
    return found


def test_the_tensorboard_file_is_well_formed(tmp_path):
    assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C
    logger = TensorBoardLogger(tmp_path)
    logger.log_metrics({"loss": 0.5}, 7)
    logger.finalize("success")
    (path,) = (tmp_path / "lightning_logs/version_0").iterdir()
    first, second = events_of(path)
    assert b"brain.Event:2" in first
    assert second[9:] == b"\x10\x07" + b"\x2a\x0d\x0a\x0b\x0a\x04loss" + b"\x15" + struct.pack("<f", 0.5)


def test_the_summary(tmp_path):
    class Two(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = torch.nn.Linear(784, 128), torch.nn.Linear(128, 10)

    assert str(ModelSummary(Two())) == "\n".join([
        "  | Name | Type   | Params", "-" * 32, "0 | l1   | Linear | 100 K ", "1 | l2   | Linear | 1.3 K ", "-" * 32,
        "101 K     Trainable params", "0         Non-trainable params", "101 K     Total params",
        "0.407     Total estimated model params size (MB)"])
    shown = [readable(n) for n in (0, 123, 1234, 123456, 2 * 10**6, 3 * 10**9)]
    assert shown == ["0", "123", "1.2 K", "123 K", "2.0 M", "3.0 B"]


def test_the_table_of_a_test(tmp_path, capsys):
    lit.trainer(tmp_path).test(lit.Classifier(), lit.loader())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[2] == lines[4] == "─" * 50
    assert lines[1].split() == ["Test", "metric", "DataLoader", "0"] and lines[3].split()[0] == "test_acc"


def test_bars_in_a_log_and_in_a_terminal(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for kind, mark in ((io.StringIO, "\n"), (Terminal, "\r")):
        out = kind()
        monkeypatch.setattr(sys, "stderr", out)
        lit.fit(tmp_path, val=lit.loader(), enable_progress_bar=True, max_epochs=2)
        text = out.getvalue()
        assert "Epoch 1: 100%" in text and "64/64" in text and "loss=" in text and "val_acc=" in text
        assert mark in text
    monkeypatch.undo()


def test_the_device_lines(tmp_path, caplog):
    pytest.importorskip("poptorch")
    logger = logging.getLogger("pi_ml")
    monkey = logger.propagate
    logger.propagate = True
    try:
        with caplog.at_level(logging.INFO, "pi_ml"):
            lit.trainer(tmp_path, ipus=8)
    finally:
        logger.propagate = monkey
    assert list(dict.fromkeys(r.getMessage() for r in caplog.records)) == [  # pytest 9 may catch a record twice
        "GPU available: False, used: False", "TPU available: False, using: 0 TPU cores",
        "IPU available: True, using: 8 IPUs", "HPU available: False, using: 0 HPUs"]


def test_checkpoints_of_two_kinds_side_by_side(tmp_path):
    lit.fit(tmp_path, enable_checkpointing=True, callbacks=[ModelCheckpoint(tmp_path / "a"),
                                                            ModelCheckpoint(tmp_path / "b", every_n_train_steps=16)])
    assert list((tmp_path / "a").iterdir()) and list((tmp_path / "b").iterdir())
