# SPDX-License-Identifier: MIT
"""How a Keras model of a strategy's scope is run: replicas, accumulation, stages; and what its user is told."""
from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import popart

from tensorflow.framework import nest
from tensorflow.framework.logs import info, warning
from tensorflow.keras.engine.feeding import Arrays
from tensorflow.keras.engine.plan import Plan
from tensorflow.ops.placement import Placement
from tensorflow.python.ipu import stages, system


def _power_of_two(n):
    return 1 << (max(n, 1) - 1).bit_length()


def plan_of(strategy: Any, model: Any, training: bool) -> Plan:
    """How a model runs on a strategy's IPUs. Raises ValueError if they are too few for its stages."""
    device, steps = strategy.device, max(1, model._steps_per_execution)
    pipeline = stages.of(model)
    shards = _power_of_two(pipeline.ipus if pipeline else 1)
    if device.ipus % shards:
        raise ValueError(f"Current device has {device.ipus} IPUs attached, however the current model requires a multiple of "
                         f"{shards} IPUs.")
    accumulation = _accumulation(model, pipeline, steps) if training else 1
    method = _method(model._accumulation_method)
    placement = pipeline.placement if pipeline is not None else Placement(model._accumulation_arguments)

    def adapt(options, program):
        if pipeline is not None:
            pipeline.adapt(options, training)
        if training:
            placement.adapt(options, program.fused, system.value("optimizations.minimum_remote_tensor_size"))
        if method == "running_mean":
            options.meanAccumulationAndReplicationReductionStrategy = popart.MeanReductionStrategy.Running
        if "prefetch_depth" in model._queue_options["infeed"]:
            options.defaultBufferingDepth = int(model._queue_options["infeed"]["prefetch_depth"])

    return Plan(device, steps, device.ipus // shards, accumulation, adapt, strategy, method == "sum",
                pipeline.mapping if pipeline else None, pipeline is None or pipeline.overlaps, placement,
                pipeline is not None and bool(model._pipelining.get("accumulate_outfeed")),
                device.norm_replicas(device.ipus // shards) if training else 1)


def _method(value):
    return str(getattr(value, "value", value)).lower()


def _accumulation(model, pipeline, steps):
    count = model._accumulation
    if pipeline is not None:
        count = model._pipelining.get("gradient_accumulation_steps_per_replica")
        if count is None:
            raise RuntimeError(f"The model `{model.name}` has been configured to be pipelined, however "
                               "`gradient_accumulation_steps_per_replica` has not been set. Use "
                               "`set_pipelining_options(gradient_accumulation_steps_per_replica=...)`.")
        pipeline.check(count)
    if count is None or count == 1:
        return 1
    if steps % count:
        raise RuntimeError(f"The model `{model.name}` has been configured to use gradient accumulation for training, however "
                           f"the current `steps_per_execution` value (set to {steps}) is not divisible by "
                           f"`gradient_accumulation_steps_per_replica` (set to {count}).")
    return count


def steps_of(model: Any, feed: Any, plan: Any, wanted: int | None, training: bool) -> int | None:
    """Steps of an epoch, after everything that a static program needs was checked."""
    _tell_type(feed)
    _check_shapes(feed)
    if feed.size is None and wanted is None:
        info("The provided set of data has an unknown size. This can result in runtime errors if not enough data is "
             "provided during execution.")
    if wanted is not None:
        steps = _of_one_replica(int(wanted), feed, plan)
    elif feed.size is None:
        steps = None
    else:
        if feed.rest:
            raise ValueError(f"The provided set of data contains {feed.samples} samples, which has a partial batch: the "
                             f"number of samples must be divisible by the batch size ({feed.batch}). Use "
                             "`drop_remainder=True`, or leave the last samples out.")
        steps = feed.size // plan.replicas
    steps = _fit_steps(model, plan, steps)
    if training:
        _tell_training(model, plan, feed.batch)
    return steps


def _of_one_replica(wanted, feed, plan):
    """Steps are of each replica; a number that the data has for all of them together, not for each, is of all."""
    enough = feed.size is None or wanted * plan.replicas <= feed.size
    return wanted if enough or wanted > feed.size or wanted % plan.replicas else wanted // plan.replicas


def refuse_left_over(model: Any, plan: Any, feed: Any, batches: int, rows: int) -> NoReturn:
    """Of data whose size was not known beforehand."""
    if rows != feed.batch:
        raise ValueError(f"The provided set of data has a partial batch of {rows} samples after batches of {feed.batch}: "
                         "programs for IPUs have fixed shapes. Use `drop_remainder=True`, or leave the last samples out.")
    raise ValueError(f"The model `{model.name}` has been configured with `steps_per_execution` ({plan.steps}) that must be a "
                     f"divisor of the number of batches: each execution on {plan.replicas} replicas takes {plan.batches} "
                     "batches, and fewer were left. Say how many there are with `steps_per_epoch`, or use `repeat()`.")


def _fit_steps(model, plan, steps):
    k = plan.steps
    if steps is None:
        return None
    if steps < 1:
        raise ValueError("Your input does not have enough data. Make sure that your dataset or generator can generate at "
                         f"least {plan.batches} batches, one for each of the {plan.replicas} replicas and "
                         "`steps_per_execution`.")
    if k > steps:
        if plan.accumulation > 1 and steps < plan.accumulation:
            raise ValueError(f"Your input does not have enough data: {steps} batches, but the model accumulates "
                             f"{plan.accumulation}.")
        shorter = steps - steps % plan.accumulation
        warning(f"The number of steps per execution ({k}) of the model `{model.name}` is larger than the number of batches "
                f"({steps}); it is truncated to {shorter}.")
        plan.steps = shorter
        return shorter
    if steps % k:
        raise ValueError(f"The model `{model.name}` has been configured with `steps_per_execution` ({k}) that must be a "
                         f"divisor of the number of batches ({steps}). Consider adjusting the number of samples, the batch "
                         "size or `steps_per_execution`.")
    return steps


def _tell_type(feed):
    if isinstance(feed, Arrays) and any(isinstance(a, np.ndarray) and a.dtype == object for a in feed._flat):
        raise TypeError("Data of Python objects cannot be sent to an IPU.")


def _check_shapes(feed):
    dataset = getattr(feed, "_source", None)
    spec = getattr(dataset, "element_spec", None)
    if spec is None:
        return
    for s in nest.flatten(spec):
        if s.shape.is_fully_defined():
            continue
        if s.shape.rank and s.shape[0] is None and s.shape[1:].is_fully_defined():
            if feed.size is None or not _all_whole(feed, dataset):
                raise ValueError(f"The provided dataset has a partial batch, or one whose size is not known: its shape "
                                 f"{s.shape} is not fully defined. Use `batch(..., drop_remainder=True)`.")
            continue
        raise ValueError(f"The shape {s.shape} of the provided dataset is not fully defined, which programs for IPUs need. "
                         "Set it with `output_signature`, or use `batch(..., drop_remainder=True)`.")


def _all_whole(feed, dataset):
    whole = getattr(dataset, "whole_batches", None)
    return whole if whole is not None else False


def _tell_training(model, plan, batch):
    k, r, a = plan.steps, plan.all_replicas, plan.accumulation
    told = (k, r, a, batch)
    if model.__dict__.get("_told") == told:
        return
    model.__dict__["_told"] = told
    if k == 1 and not model.__dict__.get("_warned_of_one_step"):
        model.__dict__["_warned_of_one_step"] = True
        warning(f"The model `{model.name}` has been configured with only 1 steps per execution. Consider increasing the value "
                "for the `steps_per_execution` argument passed to the `compile()` method to improve performance.")
    if batch is None:
        return
    if r > 1 and a > 1:
        info(f"Training is distributed across {r} replicas and accumulating {a} batches per optimizer step, your effective "
             f"batch size is {batch * r * a}.")
    elif r > 1:
        info(f"Training is distributed across {r} replicas, your effective batch size is {batch * r}.")
    elif a > 1:
        info(f"Training is not distributed and accumulating {a} batches per optimizer step, your effective batch size is "
             f"{batch * a}.")
    if a > 1:
        info(f"Doing {k // a} weight updates per execution per replica, each accumulating {a} batches.")
