# SPDX-License-Identifier: MIT
"""What is wrong is said with Lightning's exceptions, the values, and what to do."""
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import warnings

import lit
import pytest
import torch

import pi_ml as pl
from pi_ml import flags
from pi_ml.plugins import IPUPlugin, IPUPrecisionPlugin
from pi_ml.strategies import IPUStrategy
from pi_ml.utilities.exceptions import MisconfigurationException

poptorch = pytest.importorskip("poptorch")


@pytest.mark.parametrize("flags,kind,text", [
    ({"ipus": 3}, MisconfigurationException, "3 is not a power of two.*Use 2 or 4"),
    ({"ipus": [0, 1]}, MisconfigurationException, "single number"),
    ({"ipus": 0}, MisconfigurationException, "at least 1"),
    ({"ipus": "four"}, MisconfigurationException, "four"),
    ({"max_epoch": 3}, TypeError, "'max_epoch'. Did you mean 'max_epochs'"),
    ({"max_epoch": 3}, MisconfigurationException, "max_epoch"),
    ({"gpus": 1}, MisconfigurationException, "gpus=1"),
    ({"accelerator": "ipus"}, MisconfigurationException, "Did you mean 'ipu'"),
    ({"ipus": 1, "precision": 64}, ValueError, "`precision` must be one of"),
    ({"accumulate_grad_batches": {0: 0}}, MisconfigurationException, "accumulate_grad_batches=0"),
    ({"accumulate_grad_batches": 0}, MisconfigurationException, "accumulate_grad_batches=0"),
    ({"max_epochs": -2}, MisconfigurationException, "-2"),
    ({"max_steps": -5}, MisconfigurationException, "-5"),
    ({"limit_train_batches": 1.5}, MisconfigurationException, "1.5"),
    ({"limit_val_batches": -1}, MisconfigurationException, "limit_val_batches"),
    ({"val_check_interval": 0}, MisconfigurationException, "val_check_interval"),
    ({"gradient_clip_val": "1"}, TypeError, "gradient_clip_val"),
    ({"gradient_clip_algorithm": "both"}, MisconfigurationException, "both"),
    ({"callbacks": [3]}, MisconfigurationException, "3 is not a Callback"),
    ({"logger": "csv"}, MisconfigurationException, "csv"),
    ({"strategy": "ddp"}, MisconfigurationException, "ddp"),
    ({"profiler": "simple"}, MisconfigurationException, "autoreport"),
    ({"max_time": "soon"}, MisconfigurationException, "DD:HH:MM:SS"),
    ({"weights_save_path": "/tmp/other"}, MisconfigurationException,
     "weights_save_path='/tmp/other'.*give default_root_dir only"),
    ({"strategy": "single_device", "plugins": "ipu_strategy"}, MisconfigurationException, "give strategy only"),
    ({"ckpt_path": "a", "resume_from_checkpoint": "b"}, MisconfigurationException, "give ckpt_path only"),
])
def test_flags(tmp_path, flags, kind, text):
    with pytest.raises(kind, match=text):
        pl.Trainer(default_root_dir=tmp_path, **{"max_epochs": 1, **flags})


def test_no_ipus(tmp_path, monkeypatch):
    monkeypatch.setattr(poptorch, "ipuHardwareIsAvailable", lambda *_: False)
    with pytest.raises(MisconfigurationException, match="The IPU Accelerator requires IPU devices to run."):
        pl.Trainer(ipus=8)


def test_strategies():
    with pytest.raises(MisconfigurationException, match="device_iterations=0"):
        IPUStrategy(device_iterations=0)
    with pytest.raises(MisconfigurationException, match="training_opts"):
        IPUStrategy(training_opts={"deviceIterations": 4})
    with pytest.raises(MisconfigurationException, match="precision_plugin"):
        IPUStrategy(precision_plugin=IPUPrecisionPlugin(16))
    with pytest.warns(DeprecationWarning, match="deprecated"):
        assert isinstance(IPUPlugin(device_iterations=2), IPUStrategy)
    with pytest.raises(ValueError, match="must be one of"):
        IPUPrecisionPlugin(8)
    with pytest.warns(UserWarning, match="will be ignored"):
        assert pl.Trainer(ipus=2, devices=4, max_epochs=1).num_devices == 2


class Bare(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(12, 4)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def refused(tmp_path, text, members, kind=MisconfigurationException, data=None, **flags):
    module = type("Wrong", (Bare,), members)()
    with pytest.raises(kind, match=text):
        lit.trainer(tmp_path, **flags).fit(module, lit.loader() if data is None else data)
    # The devices are free, and the next training works.
    lit.trainer(tmp_path, ipus=16, limit_train_batches=1).fit(Bare(), lit.loader())


def test_missing_parts(tmp_path):
    refused(tmp_path, "training_step", {"training_step": pl.LightningModule.training_step})
    refused(tmp_path, "configure_optimizers", {"configure_optimizers": pl.LightningModule.configure_optimizers})
    with pytest.raises(MisconfigurationException, match="train_dataloader"):
        lit.trainer(tmp_path).fit(Bare())
    with pytest.raises(MisconfigurationException, match="test_step"):
        lit.trainer(tmp_path).test(Bare(), lit.loader())
    with pytest.raises(MisconfigurationException, match="No `test_dataloader"):
        lit.trainer(tmp_path).test(lit.Classifier())
    with pytest.raises(TypeError, match="LightningModule"):
        lit.trainer(tmp_path).fit(torch.nn.Linear(1, 1), lit.loader())
    with pytest.raises(MisconfigurationException, match="needs a module"):
        lit.trainer(tmp_path).validate()


@pytest.mark.parametrize("where", [{}, {"ipus": 1}], ids=["cpu", "ipu"])
def test_what_steps_return(tmp_path, where):
    refused(tmp_path, "'loss' key", {"training_step": lambda self, batch, i: {"los": self.layer(batch[0]).sum()}}, **where)
    refused(tmp_path, "Found float", {"training_step": lambda self, batch, i: 1.0}, **where)


def test_a_step_that_returns_nothing_skips_on_the_cpu_and_is_refused_on_an_ipu(tmp_path):
    nothing = {"training_step": lambda self, batch, i: None}
    refused(tmp_path, "Skipping backward by returning `None`", nothing, ipus=1)
    lit.trainer(tmp_path).fit(type("Skips", (Bare,), nothing)(), lit.loader())


def test_what_stays_impossible(tmp_path):
    def two(self):
        return [torch.optim.SGD(self.parameters(), lr=0.1), torch.optim.Adam(self.parameters())]

    def branches(self, batch, i):
        out = self.layer(batch[0]).sum()
        return out if out > 0 else -out

    refused(tmp_path, "only support one optimizer", {"configure_optimizers": two}, ipus=1)
    refused(tmp_path, "LBFGS", {"configure_optimizers": lambda self: torch.optim.LBFGS(self.parameters())}, ipus=1)
    refused(tmp_path, "do not support clipping gradients", {}, ipus=1, gradient_clip_val=1,
            gradient_clip_algorithm="value")
    refused(tmp_path, "(?i)bool|value", {"training_step": branches}, kind=Exception, ipus=1)


def test_manual_optimisation(tmp_path):
    class Manual(Bare):
        def __init__(self):
            super().__init__()
            self.automatic_optimization = False

        def training_step(self, batch, batch_idx):
            optimizer = self.optimizers()
            optimizer.zero_grad()
            loss = (self.layer(batch[0]) - 1).pow(2).mean()
            self.manual_backward(loss)
            optimizer.step()
            self.log("loss", loss)

    made = lit.trainer(tmp_path)
    made.fit(Manual(), lit.loader())
    assert float(made.callback_metrics["loss"]) < 2
    with pytest.raises(MisconfigurationException, match="Manual optimization"):
        lit.trainer(tmp_path, ipus=1).fit(Manual(), lit.loader())


def test_overridden_hooks_that_an_ipu_ignores(tmp_path):
    class Own(Bare):
        def optimizer_zero_grad(self, *args):
            pass

        def backward(self, *args):
            pass

    with pytest.warns(UserWarning) as said:
        lit.trainer(tmp_path, ipus=1, limit_train_batches=1).fit(Own(), lit.loader())
    texts = [str(w.message) for w in said]
    assert any("optimizer_zero_grad` hook but it will be ignored since IPUs handle the zeroing" in t for t in texts)
    assert any("backward` hook but it will be ignored" in t for t in texts)


def test_loaders(tmp_path):
    refused(tmp_path, "256 rows, but one step takes batch size 8 x device iterations 64", {},
            strategy=IPUStrategy(device_iterations=64))
    refused(tmp_path, "Several training loaders", {}, data=[lit.loader(), lit.loader()])
    refused(tmp_path, "must be an iterable", {}, kind=TypeError, data=3)
    refused(tmp_path, "batches < 1", {}, limit_train_batches=0.001)
    texts = torch.utils.data.DataLoader([{"x": torch.zeros(12), "name": "a"}] * 16, batch_size=8)
    refused(tmp_path, "has a str", {"training_step": lambda self, b, i: self.layer(b["x"]).sum()}, data=texts, ipus=1)
    with pytest.warns(UserWarning, match="The last 6 are left out"):
        lit.trainer(tmp_path, ipus=1).fit(Bare(), lit.loader(10))


def test_a_pipeline_with_too_few_iterations(tmp_path):
    class Piped(lit.Classifier):
        def forward(self, x):
            with poptorch.Block(ipu_id=0):
                x = torch.relu(self.first(x))
            with poptorch.Block(ipu_id=1):
                return self.second(x)

    with pytest.raises(poptorch.Error, match="2"):
        lit.trainer(tmp_path, ipus=1).predict(Piped(), torch.utils.data.DataLoader(lit.ROWS, batch_size=8))
    found = lit.trainer(tmp_path, ipus=1, strategy=IPUStrategy(device_iterations=2)).predict(
        Piped(), torch.utils.data.DataLoader(lit.ROWS, batch_size=8))
    assert len(found) == 16


def test_logging_where_it_means_nothing(tmp_path):
    with pytest.raises(MisconfigurationException, match="on_fit_start"):
        lit.trainer(tmp_path).fit(type("W", (Bare,), {"on_fit_start": lambda self: self.log("a", 1)})(), lit.loader())
    with pytest.raises(MisconfigurationException, match="on_step=True"):
        lit.trainer(tmp_path).fit(type("W", (Bare,), {"on_train_epoch_end": lambda self: self.log("a", 1, on_step=True)})(),
                                  lit.loader())
    with pytest.raises(MisconfigurationException, match="not attached"):
        Bare().log("a", 1)
    with pytest.raises(MisconfigurationException, match="median"):
        lit.trainer(tmp_path).fit(type("W", (Bare,),
                                       {"on_train_epoch_end": lambda self: self.log("a", 1, reduce_fx="median")})(),
                                  lit.loader())


_script = """
import sys
sys.path.insert(0, {tests!r})
import lit, time, pi_ml as pl
class Slow(pl.Callback):
    def on_train_batch_end(self, *args):
        print("step", flush=True); time.sleep(0.05)
made = lit.trainer({root!r}, ipus=1, max_epochs=-1, callbacks=[Slow()], enable_checkpointing=True)
made.fit(lit.Classifier(), lit.loader())
print("interrupted", made.interrupted, made.strategy._models, flush=True)
"""


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_training_ends_in_order(tmp_path, which):
    text = _script.format(tests=os.path.dirname(__file__), root=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(3):
        assert process.stdout.readline() == "step\n"
    time.sleep(0.02)
    process.send_signal(which)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert out.splitlines()[-1] == "interrupted True {}"
    assert "graceful shutdown" in error


def test_the_page_names_every_flag():
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs/pi_ml.md").read_text()
    named = re.search(r"flags: `([\w ]+)`", page).group(1).split()
    taken = set(inspect.signature(pl.Trainer.__init__).parameters) - {"self", "others"}
    assert named == sorted(taken - {"profiler"})  # which is refused
    assert not taken & set(flags._elsewhere)


@pytest.mark.parametrize("name", flags._elsewhere)
def test_flags_of_other_hardware_are_refused_unless_they_ask_for_nothing(name):
    flags.refuse_unknown(dict.fromkeys([name], flags._elsewhere[name][0]), ())
    with pytest.raises(MisconfigurationException, match=f"Trainer\\({name}='x'\\)"):
        flags.refuse_unknown({name: "x"}, ())


def test_flags_that_options_of_ones_own_overrule_are_told(tmp_path):
    def warnings_of(flags, **arguments):
        options = poptorch.Options().deviceIterations(2)
        options.Training.gradientAccumulation(4)
        strategy = IPUStrategy(training_opts=options, **arguments)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lit.fit(tmp_path, limit_train_batches=1, strategy=strategy, **flags)
        return [str(w.message) for w in caught if "is ignored" in str(w.message)]

    assert warnings_of({}) == warnings_of({"accumulate_grad_batches": 4}, device_iterations=2) == []
    text, = warnings_of({"accumulate_grad_batches": 8})
    assert "Trainer(accumulate_grad_batches=8) is ignored" in text and "say 4" in text
    assert "device_iterations=3" in warnings_of({}, device_iterations=3)[0]
    assert "automatic_loss_scaling=True" in warnings_of({}, automatic_loss_scaling=True)[0]
