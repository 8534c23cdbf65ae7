# SPDX-License-Identifier: MIT
"""What a user makes of batches between loader and step."""
from pi_ml.datamodule import LightningDataModule
from pi_ml.module import overrides


def of(trainer):
    """What the module and the data module make of a batch before the step, or None."""
    module, data = trainer.lightning_module, trainer.datamodule
    steps = []
    for name in ("on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer"):
        if name == "transfer_batch_to_device":
            if trainer.accelerator.name == "cpu" and overrides(module, name):
                steps.append(lambda batch, index: module.transfer_batch_to_device(batch, module.device, index))
        elif data is not None and getattr(type(data), name, None) is not getattr(LightningDataModule, name):
            steps.append(getattr(data, name))
        elif overrides(module, name):
            steps.append(getattr(module, name))
    if not steps:
        return None

    def prepared(batch, index):
        for step in steps:
            batch = step(batch, index)
        return batch

    return prepared
