# SPDX-License-Identifier: MIT
"""DataLoader: PyTorch's, with batches of the size that one call of a model takes."""
from __future__ import annotations

from typing import Any, Dict, Iterable, Optional

import torch
from torch.utils.data import IterableDataset

from poptorch import profiling
from poptorch._logging import logger
from poptorch.data.accessor import AsynchronousDataAccessor
from poptorch.data.samplers import Groups, Partition
from poptorch.enums import DataLoaderMode
from poptorch.errors import createPoptorchError, require
from poptorch.options import Options
from poptorch.options.batching import microBatches


class DataLoader(torch.utils.data.DataLoader):
    """Batches of batch_size x deviceIterations x gradientAccumulation x replicas rows.

    mode: Sync, or Async: in a process of its own (async_options go to AsynchronousDataAccessor). AsyncRebatched: workers
    load batches of rebatched_worker_size, which are put together. With drop_last=False what is left at the very end comes as
    one smaller batch. batch_sampler: says which rows make one batch, collate_fn collates that, and a call's are joined.
    auto_distributed_partitioning: each of several processes loads its own part of the dataset.
    """

    def __init__(self, options: Options, dataset: torch.utils.data.Dataset, batch_size: Optional[int] = 1,
                 shuffle: Optional[bool] = None, num_workers: int = 0, drop_last: bool = True,
                 persistent_workers: Optional[bool] = None, auto_distributed_partitioning: bool = True,
                 mode: DataLoaderMode = DataLoaderMode.Sync, async_options: Optional[Dict[str, Any]] = None,
                 rebatched_worker_size: Optional[int] = None, batch_sampler: Optional[Iterable] = None, **kwargs: Any):
        self._accessor = self._groups = None
        if not isinstance(options, Options):
            raise createPoptorchError(f"Invalid type of options: DataLoader takes poptorch.Options first, not "
                                      f"{type(options).__name__}.")
        options.freeze()
        self._options, self._mode = options, DataLoaderMode(mode)
        self._micro_batches = microBatches(options)
        self._check(batch_size, shuffle, batch_sampler, async_options, rebatched_worker_size)
        sampling = self._sampling(dataset, batch_size, shuffle, drop_last, batch_sampler, kwargs,
                                  auto_distributed_partitioning, num_workers)
        rebatched = self._rebatched(batch_sampler, drop_last)
        if rebatched:
            sampling.update(batch_size=rebatched_worker_size or self._combined, drop_last=False)
        persistent = num_workers > 0 if persistent_workers is None else persistent_workers
        arguments = {**sampling, "num_workers": num_workers, "persistent_workers": persistent, **kwargs}
        super().__init__(dataset, **arguments)
        grouped = batch_sampler is not None and self._micro_batches > 1
        if self._mode != DataLoaderMode.Sync:
            inner = torch.utils.data.DataLoader(dataset, **arguments)
            if grouped:
                inner = Groups(inner, self._micro_batches, drop_last)
            more = dict(async_options or {})
            if rebatched:
                more.setdefault("rebatched_size", self._combined)
            self._accessor = AsynchronousDataAccessor(inner, drop_last=drop_last, **more)
        elif grouped:
            self._groups = Groups(batch_sampler, self._micro_batches, drop_last)

    def _check(self, batch_size, shuffle, batch_sampler, async_options, rebatched_worker_size):
        if batch_sampler is not None and (batch_size != 1 or shuffle):
            raise ValueError("DataLoader: batch_sampler is mutually exclusive with batch_size and shuffle.")
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
            raise ValueError(f"DataLoader: batch_size must be greater than 0 or None, not {batch_size!r}.")
        if self._mode == DataLoaderMode.Sync and async_options:
            raise ValueError("DataLoader: async_options need DataLoaderMode.Async or AsyncRebatched.")
        if self._mode != DataLoaderMode.AsyncRebatched and rebatched_worker_size is not None:
            raise ValueError("DataLoader: rebatched_worker_size needs DataLoaderMode.AsyncRebatched.")
        if self._mode == DataLoaderMode.AsyncRebatched and (batch_size is None or batch_sampler is not None):
            raise ValueError("DataLoader: DataLoaderMode.AsyncRebatched needs a batch_size.")

    def _sampling(self, dataset, batch_size, shuffle, drop_last, batch_sampler, kwargs, partition, workers):
        """Arguments of PyTorch's DataLoader that say which rows make a batch."""
        processes = self._options.Distributed.numProcesses
        iterable = isinstance(dataset, IterableDataset)
        self._combined = None if batch_size is None else batch_size * self._micro_batches
        if iterable:
            if processes > 1 and partition:
                raise ValueError("DataLoader: auto_distributed_partitioning does not work with an IterableDataset. Give each "
                                 "process its own data, and pass auto_distributed_partitioning=False.")
            if workers > 1 and kwargs.get("worker_init_fn") is None:
                logger.warning("DataLoader: an IterableDataset with several workers gives every element once per worker, "
                               "unless worker_init_fn makes them differ.")
        if batch_sampler is not None:
            self._combined = getattr(batch_sampler, "batch_size", 1) * self._micro_batches
            return {"batch_sampler": batch_sampler}
        if batch_size is None:
            return {"batch_size": None, "shuffle": shuffle}
        out = {"batch_size": self._combined, "drop_last": drop_last, "shuffle": shuffle}
        rows = None if iterable else len(kwargs["sampler"] if kwargs.get("sampler") is not None else dataset)
        if processes > 1 and partition and not iterable and kwargs.get("sampler") is None:
            require(not shuffle or self._options.random_seed is not None,
                    "DataLoader: shuffle=True in several processes needs Options.randomSeed, the same in all of them.")
            out["sampler"] = Partition(len(dataset), self._options.Distributed.processId, processes,
                                       self._options.random_seed if shuffle else None, self._combined if drop_last else 1)
            out["shuffle"], rows = None, len(out["sampler"])
            if not drop_last and rows * processes < len(dataset):
                logger.warning("DataLoader: %d of %d elements come in no process of %d: all have equally many.",
                               len(dataset) - rows * processes, len(dataset), processes)
        if rows is not None and not drop_last and rows % self._combined:
            logger.warning("DataLoader: %d elements are not a multiple of the combined batch size %d. The last batch is too "
                           "small for a call; with drop_last=True it is left out.", rows, self._combined)
        if drop_last and rows is not None and 0 < rows < self._combined:
            logger.warning("DataLoader: %d elements do not fill one combined batch of %d (batch size %d x %d batches of a "
                           "call), so that there is nothing to iterate over. Take a smaller batch size or fewer device "
                           "iterations, or pass drop_last=False.", rows, self._combined, batch_size, self._micro_batches)
        return out

    def _rebatched(self, batch_sampler, drop_last):
        if self._mode == DataLoaderMode.AsyncRebatched:
            return self._combined > 1
        return self._mode == DataLoaderMode.Async and not drop_last and batch_sampler is None and (self._combined or 1) > 1

    @property
    def combinedBatchSize(self) -> "int | None":
        """Rows of a batch: what one call of a model takes. None without batching."""
        return self._combined

    @property
    def options(self) -> Options:
        """The options that say how large a batch of the host is."""
        return self._options

    @property
    def isAsynchronous(self) -> bool:
        """Whether another process loads."""
        return self._accessor is not None

    def __len__(self):
        if self._accessor is not None:
            return len(self._accessor)
        return super().__len__() if self._groups is None else len(self._groups)

    def __iter__(self):
        batches = super().__iter__() if self._accessor is None else iter(self._accessor)
        if self._groups is not None:
            batches = self._groups.of(batches)
        return profiling.Channel("poptorch.DataLoader").each("next batch", batches)

    def terminate(self) -> None:
        """Ends the processes that load."""
        if self._accessor is not None:
            self._accessor.terminate()
        iterator, self._iterator = getattr(self, "_iterator", None), None
        if hasattr(iterator, "_shutdown_workers"):
            iterator._shutdown_workers()
