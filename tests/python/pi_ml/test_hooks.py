# SPDX-License-Identifier: MIT
"""Hooks in their documented order, on the CPU and on an IPU."""
import functools

import lit
import pytest
import torch

import pi_ml as pl

pytest.importorskip("poptorch")
_device_only = {"on_before_zero_grad", "on_before_backward", "on_after_backward", "on_before_optimizer_step"}
BATCH = ["on_train_batch_start", "training_step", "on_before_zero_grad", "on_before_backward", "on_after_backward",
         "on_before_optimizer_step", "on_train_batch_end"]
VALIDATION = ["on_validation_model_eval", "on_validation_start", "on_epoch_start", "on_validation_epoch_start",
              "on_validation_batch_start", "validation_step", "on_validation_batch_end", "validation_epoch_end",
              "on_validation_epoch_end", "on_epoch_end", "on_validation_end", "on_validation_model_train"]
FIT = ["configure_callbacks", "prepare_data", "setup", "configure_optimizers", "on_fit_start", "on_sanity_check_start",
       *VALIDATION, "on_sanity_check_end", "on_train_start", "on_epoch_start", "on_train_epoch_start", *BATCH, *BATCH,
       *VALIDATION, "training_epoch_end", "on_train_epoch_end", "on_epoch_end", "on_train_end", "on_fit_end", "teardown"]


def watched(names, calls):
    """A module that tells which of its methods are called."""
    def method(name):
        @functools.wraps(getattr(lit.Classifier, name))
        def called(self, *args, **kwargs):
            calls.append(name)
            return getattr(lit.Classifier, name)(self, *args, **kwargs)
        return called

    return type("Watched", (lit.Classifier,), {name: method(name) for name in names})


def fit(tmp_path, names, **kwargs):
    calls = []
    made = lit.trainer(tmp_path, limit_train_batches=2, limit_val_batches=1, num_sanity_val_steps=1, **kwargs)
    made.fit(watched(names, calls)(), lit.loader(8), lit.loader(8, 16))
    return made, calls


def test_the_order_on_the_cpu(tmp_path):
    _, calls = fit(tmp_path, dict.fromkeys(FIT))
    assert calls == FIT


def test_the_order_on_an_ipu(tmp_path):
    """The steps are captured once; what is within a step of the device is not called, and that is said."""
    steps = {"training_step", "validation_step"}
    with pytest.warns(UserWarning, match="on_after_backward"):
        _, calls = fit(tmp_path, dict.fromkeys(FIT), ipus=1)
    assert [c for c in calls if c not in steps] == [c for c in FIT if c not in steps | _device_only]
    assert calls.count("training_step") == calls.count("validation_step") == 1


def test_callbacks_come_before_the_module_and_in_their_order(tmp_path):
    calls = []

    class Tells(pl.Callback):
        def __init__(self, name):
            self.name = name

        state_key = property(lambda self: self.name)

        def on_train_epoch_start(self, trainer, pl_module):
            assert trainer.lightning_module is pl_module and pl_module.trainer is trainer
            calls.append(self.name)

    class Module(lit.Classifier):
        def on_train_epoch_start(self):
            calls.append("module")

    lit.trainer(tmp_path, callbacks=[Tells("a"), Tells("b")], limit_train_batches=1).fit(Module(), lit.loader())
    assert calls == ["a", "b", "module"]


def test_minus_one_skips_the_rest_of_the_epoch(tmp_path):
    class Skips(lit.Classifier):
        def on_train_batch_start(self, batch, batch_idx, unused=0):
            return -1 if batch_idx == 3 else None

    made = lit.trainer(tmp_path, max_epochs=2, ipus=1)
    made.fit(Skips(), lit.loader())
    assert made.global_step == 6 and made.current_epoch == 2


def test_a_data_module_gives_the_data(tmp_path):
    calls = []

    class Data(pl.LightningDataModule):
        def prepare_data(self):
            calls.append("prepare")

        def setup(self, stage=None):
            calls.append("setup " + stage)
            self.rows = lit.ROWS

        def train_dataloader(self):
            return lit.loader(8, 64)

        def val_dataloader(self):
            return lit.loader(8, 32)

        def test_dataloader(self):
            return lit.loader(8, 32)

        def predict_dataloader(self):
            return torch.utils.data.DataLoader(self.rows[:16], batch_size=8)

        def teardown(self, stage=None):
            calls.append("teardown " + stage)

    made, model, data = lit.trainer(tmp_path, ipus=1), lit.Classifier(), Data()
    made.fit(model, data)
    assert made.global_step == 8 and made.num_val_batches == [4]
    assert made.test(model, datamodule=data, verbose=False)[0].keys() == {"test_acc"}
    assert torch.cat(made.predict(model, datamodule=data)).shape == (16, 4)
    assert calls == [f"{what}{stage}" for s in ("fit", "test", "predict")
                     for what, stage in (("prepare", ""), ("setup ", s), ("teardown ", s))]


def test_batches_go_through_the_transfer_hooks(tmp_path):
    class Halves(lit.Classifier):
        def on_before_batch_transfer(self, batch, dataloader_idx):
            return batch[0] * 0, batch[1]

    made, model, losses = lit.fit(tmp_path, Halves, ipus=1, limit_train_batches=1)
    expected = torch.nn.functional.cross_entropy
    pl.seed_everything(3)
    fresh = Halves()
    x, y = next(iter(lit.loader(shuffle=True)))
    assert losses[0] == pytest.approx(expected(fresh(x * 0), y).item(), rel=0.3)


@pytest.mark.parametrize("place", [{}, {"ipus": 1}])
def test_hooks_get_the_arguments_that_their_signature_has(tmp_path, place):
    got = []

    class Six(pl.Callback):
        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
            got.append(("start", batch_idx))

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            got.append(("six", batch_idx))

        def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            got.append(("validation", batch_idx))

    class Seven(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
            got.append(("seven", batch_idx, dataloader_idx))

        def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx):
            got.append(("loader", dataloader_idx))

    class Own(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, mine="kept"):
            got.append((mine, batch_idx))

    class Any(pl.Callback):
        def on_train_batch_end(self, *args):
            got.append(("any", len(args)))

    class Module(lit.Classifier):
        def on_train_batch_end(self, outputs, batch, batch_idx):
            got.append(("module", batch_idx))

    by_lambda = pl.callbacks.LambdaCallback(
        on_train_batch_end=lambda trainer, module, outputs, batch, index: got.append(("lambda", index)))
    made = lit.trainer(tmp_path, limit_train_batches=2, limit_val_batches=1, num_sanity_val_steps=1,
                       callbacks=[Six(), Seven(), Own(), Any(), by_lambda], **place)
    made.fit(Module(), lit.loader(8), lit.loader(8, 16))
    for batch in (0, 1):
        for call in (("start", batch), ("six", batch), ("seven", batch, 0), ("kept", batch), ("lambda", batch),
                     ("module", batch)):
            assert got.count(call) == 1, call
    assert got.count(("any", 5)) == 2 and got.count(("validation", 0)) == got.count(("loader", 0)) == 2


@pytest.mark.parametrize("place", [{}, {"ipus": 1}])
@pytest.mark.parametrize("as_dictionary", [False, True])
def test_outputs_of_training_steps_have_the_loss_by_name(tmp_path, place, as_dictionary):
    class Module(lit.Classifier):
        def training_step(self, batch, batch_idx):
            loss = super().training_step(batch, batch_idx)
            return {"loss": loss, "twice": 2 * loss} if as_dictionary else loss

        def training_epoch_end(self, outputs):
            seen.append([sorted(o) for o in outputs])

    class Looks(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            assert outputs["loss"].numel() == 1 and (not as_dictionary or outputs["twice"] == 2 * outputs["loss"])

    seen = []
    made = lit.trainer(tmp_path, limit_train_batches=2, callbacks=[Looks()], **place)
    made.fit(Module(), lit.loader(8))
    assert seen == [[["loss", "twice"] if as_dictionary else ["loss"]] * 2]
