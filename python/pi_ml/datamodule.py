# SPDX-License-Identifier: MIT
"""LightningDataModule: where the data of all stages comes from."""
from torch.utils.data import DataLoader, IterableDataset

from pi_ml.hooks import DataHooks
from pi_ml.hyperparameters import HyperparametersMixin


class LightningDataModule(DataHooks, HyperparametersMixin):
    """prepare_data and setup, then a loader for each stage that is wanted."""

    name = None

    def __init__(self):
        super().__init__()
        self.trainer = None

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass

    @classmethod
    def from_datasets(cls, train_dataset=None, val_dataset=None, test_dataset=None, predict_dataset=None, batch_size=1,
                      num_workers=0):
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
