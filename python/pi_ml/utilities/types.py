# SPDX-License-Identifier: MIT
"""Names for what hooks and loaders hand over, for annotations."""
from typing import Any, Dict, List, Sequence, Union

import torch
from torch.utils.data import DataLoader

STEP_OUTPUT = Union[torch.Tensor, Dict[str, Any]]
EPOCH_OUTPUT = List[STEP_OUTPUT]
TRAIN_DATALOADERS = Union[DataLoader, Sequence[DataLoader], Dict[str, DataLoader]]
EVAL_DATALOADERS = Union[DataLoader, Sequence[DataLoader]]
