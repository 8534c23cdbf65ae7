# SPDX-License-Identifier: MIT
"""IPUs for Lightning 2.x: the same Trainer on accelerator="ipu" and "cpu"."""
import importlib
import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

poptorch = pytest.importorskip("poptorch")

NAMES = ("lightning.pytorch", "pytorch_lightning")
_generator = torch.Generator().manual_seed(0)
ROWS = torch.randn(96, 12, generator=_generator)
LABELS = (ROWS @ torch.randn(12, 4, generator=_generator)).argmax(-1)


def plugged(name):
    """(package, its IPUStrategy)."""
    try:
        pl = importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed")
    if "+openipu" in pl.__version__:
        pytest.skip(f"{name} is pi_ml by another name")
    from pi_ml import lightning
    return pl, lightning.register(name)[1]


@pytest.fixture(params=NAMES)
def each(request):
    return plugged(request.param)


@pytest.fixture
def both():
    for name in NAMES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return plugged(name)
    pytest.skip("neither " + " nor ".join(NAMES) + " is installed")


def loader(rows=96, batch_size=8, **settings):
    return DataLoader(TensorDataset(ROWS[:rows], LABELS[:rows]), batch_size=batch_size, **settings)


def classifier(pl, optimizer="sgd", **members):
    """A new one, with the same weights every time."""

    class Classifier(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(12, 16)
            self.second = torch.nn.Linear(16, 4)

        def forward(self, x):
            return self.second(torch.relu(self.first(x)))

        def training_step(self, batch, batch_idx):
            x, y = batch
            loss = F.cross_entropy(self(x).float(), y)
            self.log("train_loss", loss, on_step=True, on_epoch=True)
            return {"loss": loss, "scale": loss * 2}

        def validation_step(self, batch, batch_idx):
            x, y = batch
            scores = self(x).float()
            self.log_dict({"val_loss": F.cross_entropy(scores, y), "val_acc": (scores.argmax(-1) == y).float().mean()})

        def test_step(self, batch):
            x, y = batch
            self.log("test_loss", F.cross_entropy(self(x).float(), y))

        def predict_step(self, batch, batch_idx):
            return self(batch[0])

        def configure_optimizers(self):
            made = {"sgd": lambda: torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9),
                    "adam": lambda: torch.optim.Adam(self.parameters(), lr=0.01)}[optimizer]()
            return {"optimizer": made, "lr_scheduler": torch.optim.lr_scheduler.StepLR(made, 1, 0.5)}

    torch.manual_seed(3)
    return type("Classifier", (Classifier,), members)()


def losses(pl):
    class Losses(pl.Callback):
        """What callbacks see of the steps."""

        def __init__(self):
            self.values, self.ended = [], []

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            self.values.append(float(outputs["loss"]))

        def on_train_epoch_end(self, trainer, pl_module):
            self.ended.append(pl_module.first.weight.detach().clone())

    return Losses()


def trainer(pl, folder, accelerator, callbacks=(), **flags):
    settings = dict(max_epochs=3, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, default_root_dir=str(folder), num_sanity_val_steps=0, devices=1)
    return pl.Trainer(accelerator=accelerator, callbacks=list(callbacks), **{**settings, **flags})


def fit(pl, folder, accelerator, model=None, train=None, ckpt_path=None, callbacks=(), **flags):
    model = classifier(pl) if model is None else model
    seen = losses(pl)
    made = trainer(pl, folder, accelerator, [seen, *callbacks], **flags)
    made.fit(model, loader() if train is None else train, loader(32), ckpt_path=ckpt_path)
    return made, model, seen


def same(one, other, within=1e-5):
    (_, a, seen), (_, b, others) = one, other
    assert len(seen.values) == len(others.values)
    torch.testing.assert_close(torch.tensor(seen.values), torch.tensor(others.values), atol=within, rtol=within)
    for (name, x), (_, y) in zip(a.state_dict().items(), b.state_dict().items()):
        torch.testing.assert_close(x, y, atol=within, rtol=within, msg=lambda text, n=name: f"{n}: {text}")


def same_metrics(one, other):
    a, b = (dict(run[0].callback_metrics) for run in (one, other))
    assert a.keys() == b.keys() and "val_acc" in a and "train_loss_epoch" in a
    for name in a:
        torch.testing.assert_close(a[name].cpu(), b[name].cpu(), atol=1e-5, rtol=1e-5, msg=lambda t, n=name: f"{n}: {t}")


@pytest.mark.parametrize("optimizer", ("sgd", "adam"))
def test_a_training_is_that_of_the_cpu(each, tmp_path, optimizer):
    pl, strategy = each
    ipu, cpu = (fit(pl, tmp_path, kind, classifier(pl, optimizer), num_sanity_val_steps=2) for kind in ("ipu", "cpu"))
    assert type(ipu[0].strategy) is strategy and ipu[0].accelerator.name() == "ipu"
    assert not ipu[0].strategy.poptorch_models["train"].isAttachedToDevice()  # all IPUs are free again
    same(ipu, cpu)
    same_metrics(ipu, cpu)
    assert ipu[0].global_step == cpu[0].global_step == 36
    for a, b in zip(ipu[2].ended, cpu[2].ended):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_rows_come_in_the_same_order(both, tmp_path):
    pl, _ = both
    ipu, cpu = (fit(pl, tmp_path, kind, train=loader(shuffle=True, generator=torch.Generator().manual_seed(5)))
                for kind in ("ipu", "cpu"))
    same(ipu, cpu)


def test_the_other_calls(both, tmp_path):
    pl, _ = both
    found = {}
    for kind in ("ipu", "cpu"):
        made, model, _ = fit(pl, tmp_path, kind, max_epochs=1)
        test = made.test(model, loader(32), verbose=False)[0]["test_loss"]
        val = made.validate(model, loader(32), verbose=False)[0]["val_loss"]
        found[kind] = test, val, torch.cat(made.predict(model, loader(32)))
    for ipu, cpu in zip(found["ipu"], found["cpu"]):
        torch.testing.assert_close(torch.as_tensor(ipu), torch.as_tensor(cpu), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("optimizer", ("sgd", "adam"))
def test_a_checkpoint_goes_on(both, tmp_path, optimizer):
    pl, _ = both
    callbacks = importlib.import_module(pl.__name__ + ".callbacks")
    keeps = callbacks.ModelCheckpoint(dirpath=str(tmp_path), filename="{epoch}", save_top_k=-1,
                                      save_on_train_epoch_end=True)
    whole = fit(pl, tmp_path, "ipu", classifier(pl, optimizer), callbacks=[keeps], enable_checkpointing=True)
    found = torch.load(tmp_path / "epoch=0.ckpt", map_location="cpu")
    assert found["optimizer_states"] and found["openipu"]["optimizer"]
    for kind in ("ipu", "cpu"):
        made, model, seen = fit(pl, tmp_path, kind, classifier(pl, optimizer), ckpt_path=str(tmp_path / "epoch=0.ckpt"))
        assert made.global_step == 36 and len(seen.values) == 24
        seen.values[:0] = whole[2].values[:12]
        same((made, model, seen), whole)
    whole[0].save_checkpoint(str(tmp_path / "after.ckpt"))
    weights = torch.load(tmp_path / "after.ckpt", map_location="cpu")["state_dict"]
    assert all(torch.equal(weights[name], value) for name, value in whole[1].state_dict().items())


def test_accumulation_and_iterations(both, tmp_path):
    pl, strategy = both
    clipped = {"accumulate_grad_batches": 2, "gradient_clip_val": 0.5}
    ipu, cpu = (fit(pl, tmp_path, kind, **clipped) for kind in ("ipu", "cpu"))
    assert ipu[0].global_step == cpu[0].global_step == 18 and ipu[0].accumulate_grad_batches == 2
    assert len(ipu[2].values) == 18  # a batch is both
    ipu[2].values = cpu[2].values = []
    same(ipu, cpu)
    assert fit(pl, tmp_path, "ipu", strategy=strategy(device_iterations=4), max_epochs=1)[0].global_step == 3
    options = poptorch.Options()
    options.deviceIterations(2)
    made = fit(pl, tmp_path, "ipu", strategy=strategy(training_opts=options), max_epochs=1)[0]
    assert made.strategy.training_opts is options and made.global_step == 6


def test_replicas(both, tmp_path):
    pl, _ = both
    ipu = fit(pl, tmp_path, "ipu", devices=2, max_epochs=2)
    cpu = fit(pl, tmp_path, "cpu", train=loader(batch_size=16), max_epochs=2)
    same(ipu, cpu)


@pytest.mark.parametrize("precision", ("16-mixed", "16-true"))
def test_half(both, tmp_path, precision):
    pl, _ = both
    half, full = fit(pl, tmp_path, "ipu", precision=precision), fit(pl, tmp_path, "cpu")
    assert half[0].precision == precision
    assert half[1].first.weight.dtype is (torch.float16 if precision == "16-true" else torch.float32)
    half[1].float()
    same(half, full, within=0.05)


def test_what_is_refused_says_so(both, tmp_path):
    pl, strategy = both
    from pi_ml.utilities.exceptions import MisconfigurationException

    def by_hand(self, batch, batch_idx):
        self.optimizers().step()

    def make(self):
        type(self).__base__.__init__(self)
        self.automatic_optimization = False

    callbacks = importlib.import_module(pl.__name__ + ".callbacks")
    for text, call in (
            ("Manual optimization", lambda: fit(pl, tmp_path, "ipu", classifier(pl, __init__=make, training_step=by_hand))),
            ("clipping gradients by value", lambda: fit(pl, tmp_path, "ipu", gradient_clip_val=1.0,
                                                        gradient_clip_algorithm="value")),
            ("GradientAccumulationScheduler", lambda: fit(pl, tmp_path, "ipu",
                                                          callbacks=[callbacks.GradientAccumulationScheduler({0: 2})])),
            ("'32-true', '16-true', '16-mixed'", lambda: fit(pl, tmp_path, "ipu", precision="bf16-true")),
            ("3 is not a power of two", lambda: fit(pl, tmp_path, "ipu", devices=3)),
            ("accelerator=\"ipu\"", lambda: fit(pl, tmp_path, "cpu", strategy=strategy())),
            ("strategy=\"ipu_strategy\"", lambda: fit(pl, tmp_path, "ipu", strategy=single_device(pl))),
            ("parallel_devices", lambda: strategy(parallel_devices=[1])),
            ("single number", lambda: trainer(pl, tmp_path, "ipu", devices=[0]))):
        with pytest.raises(MisconfigurationException, match=text):
            call()


def single_device(pl):
    return importlib.import_module(pl.__name__ + ".strategies").SingleDeviceStrategy("cpu")


def test_one_import_is_enough(both, tmp_path):
    pl, _ = both
    code = (f"import pi_ml.lightning, {pl.__name__} as pl\n"
            "print(type(pl.Trainer(accelerator='ipu', logger=False).strategy).__name__)")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip().endswith("IPUStrategy"), done.stderr


def test_without_lightning_the_import_says_so(tmp_path):
    for name in ("lightning", "pytorch_lightning"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError('none', name='{name}')\n")
    found = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", "import pi_ml.lightning"], cwd=tmp_path, env=found, capture_output=True,
                          text=True, check=False)
    assert done.returncode and "pip install lightning" in done.stderr.splitlines()[-1]
