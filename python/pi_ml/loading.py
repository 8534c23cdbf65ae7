# SPDX-License-Identifier: MIT
"""Data loaders: where they come from, how long they are, and how an IPU wants them."""
import os

import torch
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, SequentialSampler

from pi_ml.log import rank_zero_warn
from pi_ml.seeding import seed_worker
from pi_ml.utilities.exceptions import MisconfigurationException

_methods = {"train": "train_dataloader", "validate": "val_dataloader", "test": "test_dataloader",
            "predict": "predict_dataloader"}


def source(stage, given, datamodule, module):
    """Loaders of a stage: those given to the trainer's call, else the data module's, else the module's."""
    if given is not None:
        return given
    for owner in (datamodule, module):
        found = getattr(owner, _methods[stage], None) if owner is not None else None
        loaders = found() if found is not None else None
        if loaders is not None:
            return loaders
    return None


def listed(loaders):
    if loaders is None:
        return []
    return list(loaders) if isinstance(loaders, (list, tuple)) else [loaders]


def check_train(loader):
    if isinstance(loader, (list, tuple, dict)):
        raise MisconfigurationException("Several training loaders at once are not supported: combine the data sets, for "
                                        "example with torch.utils.data.ConcatDataset.")
    if loader is None:
        raise MisconfigurationException("No `train_dataloader()` method defined, and no loader given: pass one to "
                                        "trainer.fit(model, train_dataloaders=...), or define it in the module or data "
                                        "module.")
    check(loader, "train")


def check(loader, stage):
    if not hasattr(loader, "__iter__"):
        raise TypeError(f"The {_methods[stage]} must be an iterable such as a torch DataLoader, not {type(loader).__name__}.")


def length(loader):
    """Batches of a loader; inf if it does not know."""
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return float("inf")


def limited(batches, limit, flag):
    """Batches that a limit leaves: a whole number of them, or a share."""
    if isinstance(limit, int) or limit == float("inf"):
        return min(batches, limit)
    if batches == float("inf"):
        if limit == 1.0:
            return batches
        if limit == 0.0:
            return 0
        raise MisconfigurationException(f"{flag}={limit} is a share of the data, but the loader has no length. Give a "
                                        "whole number of batches.")
    count = int(batches * limit)
    if count == 0 and limit > 0.0 and batches > 0:
        raise MisconfigurationException(f"You requested to check {limit} of the data ({flag}), but {limit} * {batches} "
                                        f"batches < 1. Please increase the flag: {flag}={1 / batches:.5f} is one batch.")
    return count


def for_ipu(loader, options, stage):
    """A poptorch.DataLoader as it is; one of torch as one that gives as many rows as a call of the model takes."""
    import poptorch  # a trainer on the CPU does without
    from poptorch.options.batching import microBatches  # likewise
    if isinstance(loader, poptorch.DataLoader):
        return loader
    if not isinstance(loader, DataLoader):
        return loader  # an iterable of the user's, who gives whole batches
    if options.Training.gradient_accumulation > 1 and stage != "train":
        raise MisconfigurationException("inference_opts: gradientAccumulation must be 1 outside of training.")
    arguments = _arguments(loader)
    times = microBatches(options, stage == "train")
    if arguments.get("batch_size"):
        _check_rows(loader, arguments["batch_size"] * times, options, stage)
    try:
        return poptorch.DataLoader(options, loader.dataset, **arguments)
    except ValueError as problem:
        raise MisconfigurationException(f"The {_methods[stage]} cannot be made for IPUs: {problem}") from problem


def _arguments(loader):
    """What made a loader of torch."""
    out = {"num_workers": loader.num_workers, "collate_fn": loader.collate_fn, "timeout": loader.timeout,
           "worker_init_fn": _worker_init(loader), "generator": loader.generator, "drop_last": True,
           "multiprocessing_context": loader.multiprocessing_context}
    if loader.num_workers:
        out.update(prefetch_factor=loader.prefetch_factor, persistent_workers=loader.persistent_workers)
    if isinstance(loader.dataset, IterableDataset):
        return {**out, "batch_size": loader.batch_size}
    if loader.batch_size is None and loader.batch_sampler is None:
        return {**out, "batch_size": None, "sampler": loader.sampler}
    if type(loader.batch_sampler) is not torch.utils.data.BatchSampler:
        return {**out, "batch_sampler": loader.batch_sampler}
    out["batch_size"] = loader.batch_size
    plain = type(loader.sampler)
    if plain is SequentialSampler:
        return out
    if plain is RandomSampler and not loader.sampler.replacement and loader.sampler.num_samples == len(loader.dataset):
        return {**out, "shuffle": True}
    return {**out, "sampler": loader.sampler}


def _worker_init(loader):
    if loader.worker_init_fn is None and os.environ.get("PL_SEED_WORKERS") == "1":
        return seed_worker
    return loader.worker_init_fn


def _check_rows(loader, combined, options, stage):
    if isinstance(loader.dataset, IterableDataset):
        return
    rows = len(loader.sampler) // options.Distributed.numProcesses
    accumulation = options.Training.gradient_accumulation if stage == "train" else 1
    product = (f"batch size {loader.batch_size} x device iterations {options.device_iterations} x "
               f"accumulation {accumulation} x replicas {options.replication_factor} = {combined} rows")
    if rows < combined:
        raise MisconfigurationException(f"The {_methods[stage]} has {rows} rows, but one step takes {product}. Use a smaller "
                                        "batch, fewer device iterations or fewer IPUs.")
    if rows % combined and not loader.drop_last:
        rank_zero_warn(f"The {_methods[stage]} has {rows} rows; one step takes {product}. The last {rows % combined} are left "
                       "out: compiled programs take whole batches only.")


def rows_of(batch):
    """Rows of a batch, to weigh its mean with; 1 if it has no tensor."""
    while isinstance(batch, (tuple, list)) and batch:
        batch = batch[0]
    if isinstance(batch, dict):
        return rows_of(list(batch.values()))
    return batch.shape[0] if isinstance(batch, torch.Tensor) and batch.dim() else 1


def overfitted(loader):
    """The same batches in every epoch: without shuffling."""
    if not isinstance(loader, DataLoader) or not isinstance(getattr(loader, "sampler", None), RandomSampler):
        return loader
    rank_zero_warn("You requested to overfit but enabled training dataloader shuffling. We are turning off the training "
                   "dataloader shuffling for you.")
    arguments = _arguments(loader)
    arguments.pop("shuffle", None)
    arguments["drop_last"] = loader.drop_last
    return DataLoader(loader.dataset, **{n: v for n, v in arguments.items() if v is not None})
