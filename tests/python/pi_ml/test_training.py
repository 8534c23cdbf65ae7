# SPDX-License-Identifier: MIT
"""Training on IPUs against the same module on the CPU with plain torch."""
import copy

import lit
import pytest
import torch
import torch.nn.functional as F

import pi_ml as pl
from pi_ml.strategies import IPUStrategy

poptorch = pytest.importorskip("poptorch")


def test_an_ipu_gives_the_numbers_of_the_cpu(tmp_path):
    _, cpu, expected = lit.fit(tmp_path, max_epochs=2)
    _, ipu, losses = lit.fit(tmp_path, max_epochs=2, ipus=1)
    assert losses == pytest.approx(expected, rel=1e-4)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)


def test_accumulation_gives_the_numbers_of_the_cpu(tmp_path):
    train = lit.loader(8)
    _, cpu, _ = lit.fit(tmp_path, train=train, accumulate_grad_batches=4)
    done, ipu, losses = lit.fit(tmp_path, train=train, accumulate_grad_batches=4, ipus=1)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    assert len(losses) == done.global_step == 8
    assert done.num_training_batches == 8


def test_replicas_give_the_numbers_of_the_larger_batch(tmp_path):
    _, cpu, expected = lit.fit(tmp_path, train=lit.loader(32))
    done, ipu, losses = lit.fit(tmp_path, train=lit.loader(8), ipus=4)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    assert losses == pytest.approx(expected, rel=1e-4)
    assert done.num_devices == 4 and done.strategy.replication_factor == 4


def test_device_iterations_train_on_every_batch(tmp_path):
    _, cpu, expected = lit.fit(tmp_path, train=lit.loader(8))
    done, ipu, losses = lit.fit(tmp_path, train=lit.loader(8), strategy=IPUStrategy(device_iterations=8))
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    assert losses == pytest.approx(expected[7::8], rel=1e-4)  # the last iteration's


def test_validation_during_training_and_the_metrics_of_steps(tmp_path):
    cpu, _, _ = lit.fit(tmp_path, max_epochs=2, val=lit.loader(8, 64))
    ipu, _, _ = lit.fit(tmp_path, max_epochs=2, val=lit.loader(8, 64), ipus=1)
    assert set(ipu.callback_metrics) == {"train_loss_step", "train_loss_epoch", "val_loss", "val_acc"}
    for name, value in cpu.callback_metrics.items():
        assert float(ipu.callback_metrics[name]) == pytest.approx(float(value), rel=1e-4), name


def test_test_and_predict_use_the_trained_weights(tmp_path):
    done, model, _ = lit.fit(tmp_path, max_epochs=5, ipus=2)
    found = done.test(model, lit.loader(16), verbose=False)
    with torch.no_grad():
        scores = model(lit.ROWS)
    assert found == [{"test_acc": pytest.approx((scores.argmax(-1) == lit.LABELS).float().mean().item(), abs=1e-6)}]
    rows = torch.utils.data.DataLoader(lit.ROWS, batch_size=16)
    torch.testing.assert_close(torch.cat(done.predict(model, rows)), scores, rtol=1e-4, atol=1e-4)


def test_two_loaders_are_validated_one_by_one(tmp_path):
    class Both(lit.Classifier):
        def validation_step(self, batch, batch_idx, dataloader_idx):
            x, y = batch
            self.log("val_loss", F.cross_entropy(self(x), y))

        validation_epoch_end = pl.LightningModule.validation_epoch_end

    model = Both()
    made = lit.trainer(tmp_path, ipus=1)
    found = made.validate(model, [lit.loader(8, 64), lit.loader(8, 128)], verbose=False)
    for rows, metrics in zip((64, 128), found):
        expected = F.cross_entropy(model(lit.ROWS[:rows]), lit.LABELS[:rows]).item()
        assert list(metrics.values()) == [pytest.approx(expected, rel=1e-4)]
    assert [list(m)[0] for m in found] == ["val_loss/dataloader_idx_0", "val_loss/dataloader_idx_1"]


def test_a_loss_that_is_no_loss_function_and_a_dict(tmp_path):
    class Squares(lit.Classifier):
        def training_step(self, batch, batch_idx):
            x, y = batch
            error = (self(x) - F.one_hot(y, 4)).pow(2)
            return {"loss": error.mean(), "largest": error.detach().max(), "text": "kept"}

    _, cpu, expected = lit.fit(tmp_path, Squares)
    _, ipu, losses = lit.fit(tmp_path, Squares, ipus=1)
    assert losses == pytest.approx(expected, rel=1e-4)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)


def test_gradients_are_clipped_by_their_norm(tmp_path):
    class Plain(lit.Classifier):
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.5)

    _, free, _ = lit.fit(tmp_path, Plain)
    _, cpu, _ = lit.fit(tmp_path, Plain, gradient_clip_val=0.1)
    _, ipu, _ = lit.fit(tmp_path, Plain, gradient_clip_val=0.1, ipus=1)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    assert (free.first.weight - cpu.first.weight).abs().max() > 1e-2


def test_schedulers_reach_the_device(tmp_path):
    class Falling(lit.Classifier):
        def configure_optimizers(self):
            optimizer = torch.optim.SGD(self.parameters(), lr=0.5)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    cpu_trainer, cpu, _ = lit.fit(tmp_path, Falling, max_epochs=2)
    ipu_trainer, ipu, _ = lit.fit(tmp_path, Falling, max_epochs=2, ipus=1)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    rates = [t.optimizers[0].param_groups[0]["lr"] for t in (cpu_trainer, ipu_trainer)]
    assert rates[0] == rates[1] < 0.5


def test_precision_16_computes_in_half_and_keeps_weights_in_float(tmp_path):
    class Seen(lit.Classifier):
        types = set()

        def training_step(self, batch, batch_idx):
            self.types.add((batch[0].dtype, self(batch[0]).dtype))
            return super().training_step(batch, batch_idx)

    _, model, losses = lit.fit(tmp_path, Seen, ipus=1, precision=16, max_epochs=3)
    assert Seen.types == {(torch.float16, torch.float16)}
    assert model.first.weight.dtype is torch.float32
    _, _, expected = lit.fit(tmp_path, max_epochs=3)
    assert losses == pytest.approx(expected, rel=0.05, abs=0.02)


def test_a_half_module_trains_in_half(tmp_path):
    class Plain(lit.Classifier):
        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    _, model, losses = lit.fit(tmp_path, Plain().half(), ipus=1, precision=16, max_epochs=3)
    assert model.first.weight.dtype is torch.float16
    assert sum(losses[-8:]) < sum(losses[:8])


def test_loss_scaling_follows_the_gradients(tmp_path):
    _, _, losses = lit.fit(tmp_path, ipus=1, precision=16, max_epochs=2,
                           strategy=IPUStrategy(automatic_loss_scaling=True))
    assert sum(losses[-8:]) < sum(losses[:8])


def test_options_of_ones_own_are_used_as_they_are(tmp_path):
    training = poptorch.Options().deviceIterations(4)
    training.anchorMode(poptorch.AnchorMode.All)
    inference = poptorch.Options().deviceIterations(2)
    strategy = IPUStrategy(inference_opts=inference, training_opts=training)
    losses = lit.Losses()
    made = lit.trainer(tmp_path, ipus=1, strategy=strategy, callbacks=[losses])
    made.fit(lit.Classifier(), lit.loader(8), lit.loader(8, 64))
    assert strategy.training_opts is training and strategy.inference_opts is inference
    assert [v.shape for v in losses.values] == [(4,)] * 8
    assert made.train_dataloader.options is training and made.val_dataloaders[0].options is inference


def test_a_poptorch_loader_stays_what_it_is(tmp_path):
    options = poptorch.Options().deviceIterations(2)
    own = poptorch.DataLoader(options, lit.loader().dataset, batch_size=8)
    made = lit.trainer(tmp_path, strategy=IPUStrategy(training_opts=options))
    made.fit(lit.Classifier(), own)
    assert made.train_dataloader is own and made.global_step == 16


class Blocks(lit.Classifier):
    """Four parts, one an IPU."""

    def __init__(self):
        super().__init__()
        self.first = poptorch.BeginBlock(torch.nn.Linear(12, 16), ipu_id=0)
        self.third = poptorch.BeginBlock(torch.nn.Linear(16, 16), ipu_id=1)
        self.fourth = poptorch.BeginBlock(torch.nn.Linear(16, 16), ipu_id=2)
        self.second = poptorch.BeginBlock(torch.nn.Linear(16, 4), ipu_id=3)

    def forward(self, x):
        return self.second(torch.relu(self.fourth(torch.relu(self.third(torch.relu(self.first(x)))))))


class Within(lit.Classifier):
    """The same by contexts; the loss stands outside of all of them."""

    def __init__(self):
        super().__init__()
        self.third, self.fourth = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)

    def forward(self, x):
        for ipu, layer in enumerate((self.first, self.third, self.fourth, self.second)):
            with poptorch.Block(ipu_id=ipu):
                x = layer(x)
                x = torch.relu(x) if ipu < 3 else x
        return x


@pytest.mark.parametrize("kind", [Blocks, Within])
def test_models_over_four_ipus_times_replicas(tmp_path, kind, monkeypatch):
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "8")
    _, cpu, expected = lit.fit(tmp_path, kind, train=lit.loader(16))
    with pytest.warns(UserWarning, match="spread over 4 IPUs"):
        made, ipu, losses = lit.fit(tmp_path, kind, train=lit.loader(2), ipus=2, strategy=IPUStrategy(device_iterations=4))
    assert len(losses) == 16
    with pytest.warns(UserWarning) as said:
        _, ipu, _ = lit.fit(tmp_path, kind, train=lit.loader(8), ipus=2)
    assert any("outside of every poptorch.Block" in str(w.message) for w in said) == (kind is Within)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)


def test_a_model_over_three_ipus_reserves_four(tmp_path):
    class Three(lit.Classifier):
        def forward(self, x):
            for ipu, layer in enumerate((self.first, torch.relu, self.second)):
                with poptorch.Block(ipu_id=ipu):
                    x = layer(x)
            return x

    _, cpu, expected = lit.fit(tmp_path, Three)
    _, ipu, losses = lit.fit(tmp_path, Three, ipus=1)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)
    assert losses == pytest.approx(expected, rel=1e-4)


def test_a_pipeline_gives_the_numbers_of_the_plain_run(tmp_path):
    _, cpu, _ = lit.fit(tmp_path, Blocks, train=lit.loader(64))
    _, ipu, _ = lit.fit(tmp_path, Blocks, train=lit.loader(8), ipus=1, accumulate_grad_batches=8)
    lit.same_weights(ipu, cpu, rtol=1e-3, atol=1e-5)


def test_reports_are_written_where_the_strategy_says(tmp_path, monkeypatch):
    monkeypatch.delenv("POPLAR_ENGINE_OPTIONS", raising=False)
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", "{}")
    folder = tmp_path / "report_dir"
    lit.fit(tmp_path, ipus=1, strategy=IPUStrategy(autoreport_dir=str(folder)), limit_train_batches=2)
    assert (folder / "training" / "profile.pop").stat().st_size > 0


class Clipped(lit.Classifier):
    """eps is large: the size of the gradients matters to RMSprop and Adam too."""

    def configure_optimizers(self):
        kind, arguments = self.kind
        return getattr(torch.optim, kind)(self.parameters(), lr=0.05, **arguments)


@pytest.mark.parametrize("kind", [("SGD", {}), ("AdamW", {"eps": 0.1}), ("RMSprop", {"eps": 0.1})], ids=str)
def test_gradients_are_clipped_on_ipus_as_on_the_cpu(tmp_path, kind, capfd):
    moved = []
    for flags in ({}, {"ipus": 1}):
        pl.seed_everything(3)
        model = Clipped()
        model.kind = kind
        start = copy.deepcopy(model.state_dict())
        lit.trainer(tmp_path, gradient_clip_val=0.01, limit_train_batches=8, **flags).fit(model, lit.loader())
        moved.append({name: value - start[name] for name, value in model.state_dict().items()})
    for name, on_cpu in moved[0].items():
        torch.testing.assert_close(moved[1][name], on_cpu, rtol=1e-3, atol=1e-6)
    assert "unexpected" not in capfd.readouterr().err


def test_rates_that_a_hook_sets_act_on_ipus(tmp_path, capfd):
    class Warm(pl.Callback):
        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx, unused=0):
            trainer.optimizers[0].param_groups[0]["lr"] = 0.001 * (batch_idx + 1)

    _, on_cpu, _ = lit.fit(tmp_path, callbacks=[Warm()], limit_train_batches=6)
    _, on_ipu, _ = lit.fit(tmp_path, callbacks=[Warm()], limit_train_batches=6, ipus=1)
    lit.same_weights(on_ipu, on_cpu, rtol=1e-4, atol=1e-5)
    assert "setOptimizer" not in capfd.readouterr().err


@pytest.mark.parametrize("ipus", [None, 1])
def test_norms_that_a_hook_freezes_stay_frozen(tmp_path, ipus):
    class Frozen(lit.Classifier):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(12)

        def forward(self, x):
            return super().forward(self.norm(x))

        def on_train_epoch_start(self):
            self.norm.eval()

    _, model, _ = lit.fit(tmp_path, Frozen, ipus=ipus, limit_train_batches=4)
    assert torch.equal(model.norm.running_mean, torch.zeros(12)) and not torch.equal(model.norm.weight, torch.ones(12))
