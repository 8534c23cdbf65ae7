# SPDX-License-Identifier: MIT
"""Names and signatures that programs written for Lightning rely on."""
import lit
import pytest
import torch

import pi_ml as pl
from pi_ml.accelerators import CPUAccelerator, IPUAccelerator
from pi_ml.plugins import IPUPrecisionPlugin
from pi_ml.strategies import IPUStrategy
from pi_ml.trainer.states import RunningStage, TrainerFn, TrainerStatus
from pi_ml.utilities.exceptions import MisconfigurationException

pytest.importorskip("poptorch")
PLACES = [pytest.param({}, id="cpu"), pytest.param({"ipus": 1}, id="ipu")]


def fit(tmp_path, *callbacks, model=lit.Classifier, **flags):
    made = lit.trainer(tmp_path, limit_train_batches=2, limit_val_batches=1, num_sanity_val_steps=1, callbacks=list(callbacks),
                       **flags)
    made.fit(model(), lit.loader(8), lit.loader(8, 16))
    return made


@pytest.mark.parametrize("place,kind", [({}, CPUAccelerator), ({"ipus": 2}, IPUAccelerator),
                                        ({"accelerator": IPUAccelerator(), "devices": 2}, IPUAccelerator)])
def test_the_accelerator_is_an_object(tmp_path, place, kind):
    made = lit.trainer(tmp_path, **place)
    assert isinstance(made.accelerator, kind) and made.strategy.accelerator is made.accelerator
    assert made.num_devices == (2 if kind is IPUAccelerator else 1)


@pytest.mark.parametrize("place", PLACES)
def test_the_state_says_what_runs_and_how_it_ended(tmp_path, place):
    seen = []

    class Watches(pl.Callback):
        def _see(self, trainer, module):
            seen.append((trainer.state.stage, trainer.state.fn, trainer.state.status))
            assert trainer.sanity_checking + trainer.training + trainer.validating == 1

        on_train_epoch_start = on_validation_start = _see

    before = lit.trainer(tmp_path)
    assert before.state.status is TrainerStatus.INITIALIZING and before.state.fn is None and not before.state.finished
    made = fit(tmp_path, Watches(), **place)
    stages = [RunningStage.SANITY_CHECKING, RunningStage.TRAINING, RunningStage.VALIDATING]
    assert seen == [(stage, TrainerFn.FITTING, TrainerStatus.RUNNING) for stage in stages]
    assert made.state.finished and made.state.fn == "fit" and made.state.stage is None
    made.test(dataloaders=lit.loader(8, 16))
    assert made.state.finished and made.state.fn is TrainerFn.TESTING


def test_a_failed_training_is_not_finished(tmp_path):
    class Fails(pl.Callback):
        def on_train_start(self, trainer, module):
            raise ZeroDivisionError

    made = lit.trainer(tmp_path, callbacks=[Fails()])
    with pytest.raises(ZeroDivisionError):
        made.fit(lit.Classifier(), lit.loader(8))
    assert made.state.status is TrainerStatus.INTERRUPTED and made.state.stopped and not made.state.finished


def test_models_of_stages_go_by_the_enum_and_by_its_text(tmp_path):
    seen = {}

    class Looks(pl.Callback):
        def setup(self, trainer, module, stage):
            assert trainer.strategy.model is module and module.precision == trainer.precision == 16 and trainer.ipus == 1

        def on_fit_start(self, trainer, module):
            seen.update(trainer.strategy.poptorch_models)
            assert trainer.strategy.model.module is module
            seen["precision"] = trainer.strategy.model.precision
            seen["types"] = {p.dtype for p in trainer.strategy.model.parameters()}

    made = fit(tmp_path, Looks(), ipus=1, precision=16, strategy=IPUStrategy(), model=lambda: lit.Classifier().half())
    assert seen[RunningStage.TRAINING] is seen["train"] and seen[RunningStage.VALIDATING] is seen["validate"]
    assert seen["precision"] == 16 and seen["types"] == {torch.float16}
    assert isinstance(made.strategy.precision_plugin, IPUPrecisionPlugin) and made.precision_plugin.precision == 16


def test_an_ipu_refuses_accumulation_by_epochs_when_it_fits(tmp_path):
    made = lit.trainer(tmp_path, accumulate_grad_batches={1: 2}, ipus=1)
    with pytest.raises(MisconfigurationException,
                       match="does not support different `accumulate_grad_batches` at different epochs"):
        made.fit(lit.Classifier(), lit.loader(8))
    assert lit.trainer(tmp_path, accumulate_grad_batches={0: 2}, ipus=1).accumulate_grad_batches == 2


def test_what_all_processes_have(monkeypatch):
    """As the second of three would see it, which have 1, 2 and 3 times its values."""
    module, data = pl.LightningModule(), {"loss": torch.tensor([1.0, 2.0]), "more": [torch.tensor(3), 4.0]}
    assert module.all_gather(data)["more"][1] == 4.0 and module.all_gather(data)["loss"] is data["loss"]
    monkeypatch.setattr("pi_ml.world.size", lambda: 3)
    monkeypatch.setattr("pi_ml.world.gathered", lambda value: [n * value for n in (1, 2, 3)])
    found = module.all_gather(data)
    assert found["loss"].tolist() == [[1, 2], [2, 4], [3, 6]] and [v.tolist() for v in found["more"]] == [[3, 6, 9], [4, 8, 12]]
