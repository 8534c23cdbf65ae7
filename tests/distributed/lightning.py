# SPDX-License-Identifier: MIT
"""lightning.py FOLDER: pi_ml's trainer on the instances that poprun started. Rank 0 writes FOLDER/weights; every rank checks
that metrics, files and decisions are those of all."""
import os
import sys

import pi_ml as pl
import popdist
import torch
from pi_ml.callbacks import EarlyStopping, ModelCheckpoint

ROWS, BATCH = 64, 4


class Data(torch.utils.data.Dataset):
    def __init__(self):
        generator = torch.Generator().manual_seed(3)
        self.x = torch.randn(ROWS, 6, generator=generator)
        self.y = self.x.sum(1, keepdim=True)

    def __len__(self):
        return ROWS

    def __getitem__(self, i):
        """An instance loads neighbouring rows: in this order all steps have the same rows on any number of instances."""
        part, rows = ROWS // popdist.getNumInstances(), BATCH * popdist.getNumLocalReplicas()
        step, row = divmod(i % part, rows)
        i = step * BATCH * popdist.getNumTotalReplicas() + i // part * rows + row
        return self.x[i], self.y[i]


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 1)

    def training_step(self, batch, _):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        self.log("val", torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(Data(), BATCH)

    val_dataloader = train_dataloader


def main(folder):
    pl.seed_everything(5 + popdist.getInstanceIndex())  # weights of the first are everybody's
    best = ModelCheckpoint(dirpath=None, monitor="val", save_last=True)
    model = Model()
    trainer = pl.Trainer(accelerator="ipu", max_epochs=6, default_root_dir=folder, callbacks=[best, EarlyStopping("val")],
                         enable_progress_bar=False, log_every_n_steps=1, num_sanity_val_steps=0)
    trainer.fit(model)
    assert trainer.world_size == popdist.getNumInstances() and trainer.global_rank == popdist.getInstanceIndex()
    assert trainer.num_training_batches == ROWS // BATCH // popdist.getNumTotalReplicas()
    assert model.global_rank == popdist.getInstanceIndex()
    # Metrics are of all data: what one process computes of the weights that all have.
    data = Data()
    with torch.no_grad():
        whole = torch.nn.functional.mse_loss(model.layer(data.x), data.y)
    found, whole = float(trainer.callback_metrics["val"]), float(whole)
    assert abs(found - whole) < 1e-4 * max(1.0, whole), (trainer.callback_metrics, whole)
    seen = trainer.strategy.all_gather(trainer.callback_metrics["val"])
    assert seen.numel() == 1 or bool((seen == seen[0]).all()), seen
    assert len(set(pl.world.gathered(best.best_model_path))) == 1 and os.path.exists(best.best_model_path)
    assert sorted(os.listdir(os.path.join(folder, "lightning_logs"))) == ["version_0"]
    again = Model()
    pl.Trainer(accelerator="ipu", max_epochs=8, default_root_dir=folder, logger=False, enable_checkpointing=False,
               enable_progress_bar=False, num_sanity_val_steps=0).fit(again, ckpt_path=best.last_model_path)
    try:
        pl.Trainer(ipus=8)
        raise AssertionError("Trainer(ipus=8) was accepted")
    except pl.utilities.exceptions.MisconfigurationException as error:
        assert "poprun gives this process" in str(error), error
    if trainer.is_global_zero:
        with open(os.path.join(folder, "weights"), "wb") as file:
            for module in (model, again):
                file.write(module.layer.weight.detach().numpy().tobytes())


main(sys.argv[1])
