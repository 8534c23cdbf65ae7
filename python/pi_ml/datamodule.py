# SPDX-License-Identifier: MIT
"""LightningDataModule: where the data of all stages comes from."""
from __future__ import annotations

from typing import Any, Dict

from torch.utils.data import DataLoader, IterableDataset

from pi_ml.arguments import FromArguments
from pi_ml.hooks import DataHooks
from pi_ml.hyperparameters import HyperparametersMixin


class LightningDataModule(DataHooks, HyperparametersMixin, FromArguments):
    """prepare_data and setup, then a loader for each stage that is wanted."""

    name = None

    def __init__(self) -> None:
        super().__init__()
        self.trainer = None

    def state_dict(self) -> Dict[str, Any]:
        """What checkpoints keep of it."""
        return {}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Takes what state_dict gave, from a checkpoint."""
        pass

    @classmethod
    def from_datasets(cls, train_dataset: Any = None, val_dataset: Any = None, test_dataset: Any = None,
                      predict_dataset: Any = None, batch_size: int = 1, num_workers: int = 0) -> Any:
        """A data module of loaders over these data sets; only training shuffles."""
        def loader(dataset, shuffle=False):
            if isinstance(dataset, (list, tuple)):
                return [loader(one, shuffle) for one in dataset]
            return DataLoader(dataset, batch_size=batch_size, num_workers=num_workers,
                              shuffle=shuffle and not isinstance(dataset, IterableDataset))

        made = cls()
        for stage, dataset in (("train", train_dataset), ("val", val_dataset), ("test", test_dataset),
                               ("predict", predict_dataset)):
            if dataset is not None:
                setattr(made, stage + "_dataloader", lambda d=dataset, s=stage == "train": loader(d, s))
        return made
