# SPDX-License-Identifier: MIT
"""Checkpoints: which are kept, what is in them, and that a broken-off training goes on with the same numbers."""
import os
import signal
import subprocess
import sys
import time
from collections import OrderedDict

import lit
import pytest
import torch

import pi_ml as pl
from pi_ml.callbacks import ModelCheckpoint
from pi_ml.utilities.exceptions import CheckpointError, MisconfigurationException

pytest.importorskip("poptorch")


class Shuffled(lit.Classifier):
    """Random in its data and in its layers."""

    def __init__(self, dropout=0.3):
        super().__init__(dropout=dropout)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        return [optimizer], [{"scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98), "interval": "step"}]


def run(tmp_path, where, epochs, callbacks=(), ckpt_path=None, **kwargs):
    pl.seed_everything(5)
    model, losses = Shuffled(), lit.Losses()
    made = lit.trainer(tmp_path, max_epochs=epochs, callbacks=[losses, *callbacks], enable_checkpointing=True, **where,
                       **kwargs)
    made.fit(model, lit.loader(16, shuffle=True), lit.loader(16, 64), ckpt_path=ckpt_path)
    return model, losses.numbers(), made


@pytest.mark.parametrize("where", [{}, {"ipus": 1}, {"ipus": 2}], ids=["cpu", "ipu", "replicas"])
@pytest.mark.parametrize("steps", [8, 11], ids=["in an epoch", "later in it"])
def test_a_resumed_training_gives_the_numbers_of_an_undisturbed_one(tmp_path, where, steps):
    keeps = ModelCheckpoint(tmp_path / "kept", filename="{step}", every_n_train_steps=steps, save_top_k=-1)
    whole, expected, made = run(tmp_path, where, 3, [keeps])
    path = tmp_path / "kept" / f"step={steps}.ckpt"
    resumed, losses, again = run(tmp_path, where, 3, [ModelCheckpoint(tmp_path / "other")], ckpt_path=path)
    assert losses == expected[steps:]
    assert again.global_step == made.global_step
    for (name, a), b in zip(whole.state_dict().items(), resumed.state_dict().values()):
        assert torch.equal(a, b), name
    assert {n: float(v) for n, v in again.callback_metrics.items()} == {n: float(v) for n, v in made.callback_metrics.items()}


@pytest.mark.parametrize("where", [{}, {"ipus": 1}], ids=["cpu", "ipu"])
def test_going_on_after_the_end_of_an_epoch(tmp_path, where):
    _, expected, _ = run(tmp_path, where, 4)
    _, first, made = run(tmp_path, where, 2, [ModelCheckpoint(tmp_path / "kept", save_last=True)])
    _, rest, _ = run(tmp_path, where, 4, ckpt_path=made.checkpoint_callback.last_model_path)
    assert first + rest == expected


_script = """
import sys
sys.path.insert(0, {tests!r})
import lit, pi_ml as pl, test_checkpoints as t
from pi_ml.callbacks import ModelCheckpoint
import os, time
path = {path!r}
last = os.path.join(path, "last.ckpt")
class Slow(pl.Callback):
    def on_train_batch_end(self, *args): time.sleep(0.01)
model, losses, made = t.run({root!r}, {where!r}, 6, [ModelCheckpoint(path, every_n_train_steps=1, save_top_k=0, save_last=True),
                            Slow()], ckpt_path=last if os.path.exists(last) else None)
import torch
torch.save(model.state_dict(), {out!r})
"""


def written(path):
    """When, or 0 if it is not there yet."""
    return path.stat().st_mtime_ns if path.exists() else 0


def test_a_killed_run_goes_on_with_the_same_numbers(tmp_path):
    """Killed at several times, resumed by the same script, until it ends."""
    where = {"ipus": 1}
    expected, _, _ = run(tmp_path, where, 6)
    out, kept = tmp_path / "weights.pt", tmp_path / "kept"
    text = _script.format(tests=os.path.dirname(__file__), path=str(kept), root=str(tmp_path), where=where, out=str(out))
    for attempt in range(20):
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if attempt < 2:
            begun = written(kept / "last.ckpt")
            while process.poll() is None and written(kept / "last.ckpt") == begun:
                time.sleep(0.02)
            time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
        error = process.communicate()[1].decode()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, error
    found = torch.load(out)
    assert all(torch.equal(found[name], value) for name, value in expected.state_dict().items())
    assert not [f for f in os.listdir(kept) if f.startswith(".new-")] or attempt >= 1


def _kinds(value):
    """Of a value and what it holds. Others than plain ones cannot be loaded with weights_only, torch's default since 2.6."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return {type(value)}.union(*map(_kinds, held))


def test_the_best_and_the_last_are_kept(tmp_path):
    keeps = ModelCheckpoint(tmp_path, filename="{epoch}-{val_loss:.3f}", monitor="val_loss", save_top_k=2, save_last=True)
    made, model, _ = lit.fit(tmp_path, val=lit.loader(16, 64), max_epochs=4, callbacks=[keeps], enable_checkpointing=True)
    files = sorted(f for f in os.listdir(tmp_path) if f.endswith(".ckpt"))
    assert len(files) == 3 and "last.ckpt" in files
    assert set(keeps.best_k_models) == {str(tmp_path / f) for f in files if f != "last.ckpt"}
    assert keeps.best_model_score == min(keeps.best_k_models.values())
    found = torch.load(keeps.best_model_path)
    assert _kinds(found) <= {dict, OrderedDict, list, tuple, str, int, float, bool, type(None), torch.Tensor}, _kinds(found)
    assert found["callbacks"] and found["hyper_parameters"] == {"hidden": 16, "rate": 0.01, "dropout": 0.0}
    assert made.test(ckpt_path="best", dataloaders=lit.loader(16), verbose=False)


def test_without_a_monitor_the_newest_stays(tmp_path):
    lit.fit(tmp_path, max_epochs=3, callbacks=[ModelCheckpoint(tmp_path / "kept")], enable_checkpointing=True)
    assert os.listdir(tmp_path / "kept") == ["epoch=2-step=96.ckpt"]


def test_files_lie_beside_the_log_by_default(tmp_path):
    pl.seed_everything(1)
    made = pl.Trainer(max_epochs=1, default_root_dir=tmp_path, enable_progress_bar=False, enable_model_summary=False)
    made.fit(lit.Classifier(), lit.loader(16))
    assert made.log_dir == str(tmp_path / "lightning_logs" / "version_0")
    assert os.listdir(tmp_path / "lightning_logs/version_0/checkpoints") == ["epoch=0-step=16.ckpt"]


def test_a_module_comes_back_from_its_checkpoint(tmp_path):
    made, model, _ = lit.fit(tmp_path, lit.Classifier(hidden=7), ipus=1)
    made.save_checkpoint(tmp_path / "model.ckpt")
    found = lit.Classifier.load_from_checkpoint(tmp_path / "model.ckpt")
    assert found.hparams.hidden == 7
    lit.same_weights(found, model, rtol=0, atol=0)
    assert lit.Classifier.load_from_checkpoint(tmp_path / "model.ckpt", rate=0.5).hparams.rate == 0.5


def test_weights_can_be_loaded_without_the_trainer(tmp_path):
    made, model, _ = lit.fit(tmp_path, ipus=1)
    made.save_checkpoint(tmp_path / "model.ckpt", weights_only=True)
    other = lit.Classifier()
    other.load_state_dict(torch.load(tmp_path / "model.ckpt")["state_dict"])
    lit.same_weights(other, model, rtol=0, atol=0)
    with pytest.raises(MisconfigurationException, match="weights_only"):
        made.fit(model, lit.loader(), ckpt_path=tmp_path / "model.ckpt")


def test_checkpoints_leave_links_and_are_whole(tmp_path):
    from pi_ml import checkpoints
    (tmp_path / "last.ckpt").symlink_to("real.ckpt")
    checkpoints.write(tmp_path / "last.ckpt", {"state_dict": {}, "epoch": 1, "global_step": 2})
    with pytest.raises(Exception, match="pickle"):
        checkpoints.write(tmp_path / "last.ckpt", {"state_dict": {}, "epoch": 3, "global_step": lambda: 4})
    assert checkpoints.read(tmp_path / "real.ckpt")["epoch"] == 1
    assert sorted(os.listdir(tmp_path)) == ["last.ckpt", "real.ckpt"]
    checkpoints.write(tmp_path / "made/too/last.ckpt", {})
    if os.geteuid() == 0:
        os.chown(tmp_path / "last.ckpt", 65534, 65534, follow_symlinks=False)
        with pytest.raises(PermissionError, match="user 65534 made"):
            checkpoints.write(tmp_path / "last.ckpt", {})


def test_files_that_are_no_checkpoints(tmp_path):
    made, model, _ = lit.fit(tmp_path)
    made.save_checkpoint(tmp_path / "good.ckpt")
    whole = (tmp_path / "good.ckpt").read_bytes()
    (tmp_path / "cut.ckpt").write_bytes(whole[:len(whole) // 2])
    (tmp_path / "text.ckpt").write_text("no checkpoint")
    (tmp_path / "empty.ckpt").write_bytes(b"")
    torch.save({"weight": torch.zeros(3)}, tmp_path / "foreign.ckpt")
    for name in ("cut", "text", "empty", "foreign"):
        with pytest.raises(CheckpointError, match=name):
            lit.trainer(tmp_path).fit(lit.Classifier(), lit.loader(), ckpt_path=tmp_path / f"{name}.ckpt")
    with pytest.raises(FileNotFoundError, match="missing.ckpt"):
        lit.trainer(tmp_path).fit(lit.Classifier(), lit.loader(), ckpt_path=tmp_path / "missing.ckpt")
    with pytest.raises(CheckpointError, match="another model"):
        lit.trainer(tmp_path).fit(lit.Classifier(hidden=5), lit.loader(), ckpt_path=tmp_path / "good.ckpt")
    with pytest.raises(MisconfigurationException, match="has no other"):
        class Needs(lit.Classifier):
            def __init__(self, hidden, other):
                super().__init__(hidden)
        Needs.load_from_checkpoint(tmp_path / "good.ckpt")


def test_a_training_on_ipus_goes_on_on_the_cpu_with_its_optimisers_state(tmp_path):
    done, _, _ = lit.fit(tmp_path, ipus=1, limit_train_batches=4)
    done.save_checkpoint(tmp_path / "a.ckpt")

    def resumed(**flags):
        model = lit.Classifier()
        lit.trainer(tmp_path, max_epochs=2, limit_train_batches=4, **flags).fit(model, lit.loader(),
                                                                                ckpt_path=str(tmp_path / "a.ckpt"))
        return model

    lit.same_weights(resumed(ipus=1), resumed(), rtol=1e-3, atol=1e-5)


def test_what_a_callback_returns_when_saving_it_gets_when_loading(tmp_path):
    class Counts(pl.Callback):
        def __init__(self):
            self.batches, self.loaded = 0, None

        def on_train_batch_end(self, *args):
            self.batches += 1

        def on_save_checkpoint(self, trainer, pl_module, checkpoint):
            assert "state_dict" in checkpoint
            return {"batches": self.batches}

        def on_load_checkpoint(self, trainer, pl_module, callback_state):
            self.loaded = callback_state

    made = lit.trainer(tmp_path, callbacks=[Counts()], limit_train_batches=3)
    made.fit(lit.Classifier(), lit.loader(8))
    made.save_checkpoint(tmp_path / "made.ckpt")
    again = Counts()
    lit.trainer(tmp_path, callbacks=[again], limit_train_batches=3, max_epochs=2).fit(
        lit.Classifier(), lit.loader(8), ckpt_path=tmp_path / "made.ckpt")
    assert again.loaded == {"batches": 3} and again.batches == 3
