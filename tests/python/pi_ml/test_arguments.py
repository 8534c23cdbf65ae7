# SPDX-License-Identifier: MIT
"""Arguments of a trainer and of a data module from a command line, and older flags."""
import argparse

import lit
import pytest

import pi_ml as pl
from pi_ml.accelerators import CPUAccelerator
from pi_ml.callbacks import ModelSummary, TQDMProgressBar
from pi_ml.utilities.exceptions import MisconfigurationException


def parsed(words, *kinds):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=3)
    for kind in kinds:
        parser = kind.add_argparse_args(parser)
    return parser.parse_args(words.split())


def test_flags_of_a_trainer(tmp_path):
    args = parsed(f"--max_epochs 2 --limit_train_batches 0.5 --limit_val_batches 3 --enable_progress_bar false "
                  f"--enable_model_summary False --deterministic --default_root_dir {tmp_path} --accelerator cpu --logger off",
                  pl.Trainer)
    made = pl.Trainer.from_argparse_args(args, min_epochs=1, enable_checkpointing=False)
    assert (made.max_epochs, made.min_epochs, made.limit_train_batches, made.limit_val_batches) == (2, 1, 0.5, 3)
    assert made.default_root_dir == str(tmp_path) and not made.enable_progress_bar and made.loggers == []
    assert isinstance(made.limit_val_batches, int) and args.deterministic is True and args.batch_size == 3
    with pytest.raises(SystemExit):
        parsed("--enable_progress_bar perhaps", pl.Trainer)
    assert pl.Trainer.default_attributes()["num_sanity_val_steps"] == 2


def test_arguments_of_a_data_module(tmp_path):
    class Data(pl.LightningDataModule):
        def __init__(self, rows: int = 64, folder: str = ".", batch_size: int = 8):
            super().__init__()
            self.rows, self.folder, self.batch_size = rows, folder, batch_size

        def train_dataloader(self):
            return lit.loader(self.batch_size, self.rows)

    data = Data.from_argparse_args(parsed("--rows 32 --folder 7", Data), batch_size=4)
    assert (data.rows, data.folder, data.batch_size) == (32, "7", 4)
    made = lit.trainer(tmp_path)
    made.fit(lit.Classifier(), data)
    assert made.global_step == 8


def test_flags_by_their_older_names(tmp_path):
    made = pl.Trainer(default_root_dir=tmp_path, max_epochs=1, checkpoint_callback=False, weights_summary="full",
                      progress_bar_refresh_rate=7, logger=False, terminate_on_nan=False)
    assert made.checkpoint_callback is None and made.progress_bar_callback.refresh_rate == 7
    assert sum(isinstance(c, ModelSummary) for c in made.callbacks) == 1
    made = pl.Trainer(default_root_dir=tmp_path, max_epochs=1, weights_summary=None, progress_bar_refresh_rate=0)
    assert made.checkpoint_callback is not None
    assert not any(isinstance(c, (ModelSummary, TQDMProgressBar)) for c in made.callbacks)
    with pytest.raises(MisconfigurationException, match="weights_summary='all'"):
        pl.Trainer(weights_summary="all")
    with pytest.raises(MisconfigurationException, match="stochastic_weight_avg=True"):
        pl.Trainer(stochastic_weight_avg=True)


def test_the_accelerator_says_where_to_run():
    with pytest.warns(UserWarning, match="`ipus=2` will be ignored"):
        assert isinstance(pl.Trainer(accelerator="cpu", ipus=2, max_epochs=1).accelerator, CPUAccelerator)


def test_tuners_are_refused():
    made = pl.Trainer(max_epochs=1)
    for call in (lambda: made.tune(lit.Classifier()), lambda: made.tuner.lr_find(lit.Classifier())):
        with pytest.raises(MisconfigurationException, match="no tuners"):
            call()
