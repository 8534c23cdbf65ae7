# SPDX-License-Identifier: MIT
"""paddle.io: data sets, the order of samples, and batches of them."""
from .dataset import ChainDataset, ComposeDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .loader import DataLoader, default_collate_fn
from .sampler import BatchSampler, DistributedBatchSampler, RandomSampler, Sampler, SequenceSampler
from .workers import get_worker_info
from .._names import refuse_unknown

refuse_unknown(__name__)
