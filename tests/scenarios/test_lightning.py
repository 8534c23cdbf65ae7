# SPDX-License-Identifier: MIT
"""The Lightning document, step by step, as its reader types it."""
import os
import re
import subprocess
import sys

import pytest
import torch

pytest.importorskip("poptorch")
import pi_ml as pl
import poptorch
from pi_ml.strategies import IPUStrategy
from pi_ml.utilities.exceptions import MisconfigurationException


class MyLightningModule(pl.LightningModule):
    """The document's layers, with what its dots leave out."""

    def __init__(self):
        super().__init__()
        self.layer1 = torch.nn.Linear(5, 10)
        self.layer2 = torch.nn.Linear(10, 5)

    def forward(self, x):
        return self.layer2(torch.relu(self.layer1(x)))

    def training_step(self, batch, batch_idx):
        return torch.nn.functional.mse_loss(self(batch[0]), batch[1])

    def predict_step(self, batch, batch_idx):
        return self(batch[0])

    def train_dataloader(self):
        generator = torch.Generator().manual_seed(0)
        rows = torch.utils.data.TensorDataset(torch.randn(1280, 5, generator=generator), torch.zeros(1280, 5))
        return torch.utils.data.DataLoader(rows, batch_size=2)

    predict_dataloader = train_dataloader

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "32")
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", "{}")


def short(**kwargs):
    return {"max_epochs": 1, "enable_progress_bar": False, **kwargs}


def test_trains_data_parallel_on_eight_ipus():
    """S-63"""
    trainer = pl.Trainer(ipus=8, **short())
    trainer.fit(MyLightningModule())
    assert trainer.num_devices == 8 and trainer.strategy.replication_factor == 8 and trainer.global_step == 80
    for wrong in (3, 6):
        with pytest.raises(MisconfigurationException, match="not a power of two"):
            pl.Trainer(ipus=wrong)
    with pytest.raises(MisconfigurationException, match="single number"):
        pl.Trainer(ipus=[0, 1])


def test_trains_in_mixed_precision():
    """S-64"""
    model = MyLightningModule()
    pl.Trainer(ipus=8, precision=16, **short()).fit(model)
    assert {p.dtype for p in model.parameters()} == {torch.float32}


def test_trains_with_weights_in_half():
    """S-65"""
    model = MyLightningModule()
    model = model.half()
    pl.Trainer(ipus=8, precision=16, **short()).fit(model)
    assert {p.dtype for p in model.parameters()} == {torch.float16}


def test_runs_several_iterations_on_the_device():
    """S-66"""
    trainer = pl.Trainer(ipus=8, strategy=IPUStrategy(device_iterations=32), **short())
    trainer.fit(MyLightningModule())
    assert trainer.train_dataloader.combinedBatchSize == 2 * 32 * 8 and trainer.global_step == 2


def test_gives_options_of_its_own_with_the_older_name_of_output_modes():
    """S-67"""
    from pi_ml import Trainer
    seen = []

    class Shapes(pl.Callback):
        def on_train_batch_end(self, trainer, pl_module, outputs, *args):
            seen.append(tuple(outputs["loss"].shape))

    inference_opts = poptorch.Options()
    inference_opts.deviceIterations(32)
    training_opts = poptorch.Options()
    training_opts.anchorMode(poptorch.AnchorMode.All)
    training_opts.deviceIterations(32)
    trainer = Trainer(ipus=8, strategy=IPUStrategy(inference_opts=inference_opts, training_opts=training_opts),
                      callbacks=[Shapes()], **short())
    trainer.fit(MyLightningModule())
    assert seen == [(32,)] * 20


class Begun(MyLightningModule):
    def __init__(self):
        super().__init__()
        self.layer1 = poptorch.BeginBlock(torch.nn.Linear(5, 10), ipu_id=0)
        self.layer2 = poptorch.BeginBlock(torch.nn.Linear(10, 5), ipu_id=1)
        self.layer3 = torch.nn.Linear(5, 5)
        self.layer4 = poptorch.BeginBlock(torch.nn.Linear(5, 5), ipu_id=2)
        self.softmax = poptorch.BeginBlock(torch.nn.Softmax(dim=1), ipu_id=3)

    def forward(self, x):
        return self.softmax(self.layer4(self.layer3(self.layer2(self.layer1(x)))))


class Within(MyLightningModule):
    def __init__(self):
        super().__init__()
        self.layer3, self.layer4 = torch.nn.Linear(5, 5), torch.nn.Linear(5, 5)
        self.act, self.softmax = torch.nn.ReLU(), torch.nn.Softmax(dim=1)

    def forward(self, x):
        with poptorch.Block(ipu_id=0):
            x = self.act(self.layer1(x))
        with poptorch.Block(ipu_id=1):
            x = self.act(self.layer2(x))
        with poptorch.Block(ipu_id=2):
            x = self.act(self.layer3(x))
            x = self.act(self.layer4(x))
        with poptorch.Block(ipu_id=3):
            x = self.softmax(x)
        return x


def trains_on(model, ipus):
    """Runs the document's call and returns how many IPUs it took."""
    taken = []

    class Asks(pl.Callback):
        def on_train_batch_end(self, trainer, *args):
            taken.append(trainer.strategy.poptorch_models["train"]._device.numIpus)

    with pytest.warns(UserWarning, match="one after the other"):
        pl.Trainer(ipus=ipus, strategy=IPUStrategy(device_iterations=20), callbacks=[Asks()], **short()).fit(model)
    assert taken
    return taken[0]


def test_spreads_layers_over_four_ipus_with_begin_block():
    """S-68"""
    assert trains_on(Begun(), 8) == 32


def test_spreads_layers_over_four_ipus_within_forward():
    """S-69"""
    assert trains_on(Within(), 8) == 32


def test_two_ipus_times_four_replicas_are_eight():
    """S-70"""
    class Two(MyLightningModule):
        def forward(self, x):
            with poptorch.Block(ipu_id=0):
                x = torch.relu(self.layer1(x))
            with poptorch.Block(ipu_id=1):
                return self.layer2(x)

    assert trains_on(Two(), 4) == 8


def test_a_pipeline_wants_as_many_iterations_as_stages():
    """S-71"""
    with pytest.raises(poptorch.Error, match="4"):
        pl.Trainer(ipus=1, strategy=IPUStrategy(device_iterations=2), **short()).predict(Within())
    pl.Trainer(ipus=1, strategy=IPUStrategy(device_iterations=4), **short()).predict(Within())


def test_dumps_reports_for_the_graph_analyser():
    """S-72"""
    pl.Trainer(ipus=1, strategy=IPUStrategy(autoreport_dir="report_dir/"),
               **short(limit_train_batches=2)).fit(MyLightningModule())
    assert os.path.getsize("report_dir/training/profile.pop") > 0


def test_the_document_s_limitations():
    """S-73: what it lists, and what became of it."""
    class Logs(MyLightningModule):
        def training_step(self, batch, batch_idx):
            loss = super().training_step(batch, batch_idx)
            self.log("loss", loss)
            return loss

    trainer = pl.Trainer(ipus=1, gradient_clip_val=1, **short())
    trainer.fit(Logs())
    assert float(trainer.callback_metrics["loss"]) < 1

    class Two(MyLightningModule):
        def configure_optimizers(self):
            return [torch.optim.SGD(self.parameters(), lr=0.1) for _ in range(2)]

    with pytest.raises(MisconfigurationException, match="only support one optimizer"):
        pl.Trainer(ipus=1, **short()).fit(Two())

    class Branches(MyLightningModule):
        def training_step(self, batch, batch_idx):
            loss = super().training_step(batch, batch_idx)
            return loss if loss > 1 else 2 * loss

    with pytest.raises(Exception, match="value"):
        pl.Trainer(ipus=1, **short()).fit(Branches())


def test_runs_the_mnist_example():
    """S-74"""
    example = os.path.join(os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../..")),
                           "examples/pi_ml/mnist.py")
    found = subprocess.run([sys.executable, example, "--samples", "2000", "--ipus", "2"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert re.search(r"test_acc +0\.\d+", found.stdout)
    assert "IPU available: True, using: 2 IPUs" in found.stderr
    assert "l1   | Linear | 100 K" in found.stderr and "101 K     Trainable params" in found.stderr
    assert "Epoch 1: 100%" in found.stderr and "val_acc=" in found.stderr and "v_num=0" in found.stderr


def test_says_when_there_are_no_ipus(monkeypatch):
    """S-75"""
    monkeypatch.setattr(poptorch, "ipuHardwareIsAvailable", lambda *_: False)
    with pytest.raises(MisconfigurationException, match="requires IPU devices"):
        pl.Trainer(ipus=8)


def test_every_option_of_its_own_is_honoured():
    """S-76"""
    options = poptorch.Options().deviceIterations(4).replicationFactor(2)
    options.Training.gradientAccumulation(2)
    options.outputMode(poptorch.OutputMode.Sum)
    options.randomSeed(7)
    trainer = pl.Trainer(ipus=1, strategy=IPUStrategy(training_opts=options), **short())
    trainer.fit(MyLightningModule())
    assert trainer.strategy.training_opts is options
    assert trainer.strategy.replication_factor == 2 and trainer.train_dataloader.combinedBatchSize == 2 * 4 * 2 * 2
