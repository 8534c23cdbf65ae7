# SPDX-License-Identifier: MIT
"""What all models share: training, on simulated IPUs or in plain torch, inference, estimates and checkpoints.

A model.py has TITLE, UNIT (what is counted in a second), QUALITY (its name), and the functions network(half=, **model),
data(folder, training, **data) and quality(outputs, targets), a number from 0 to 1. Rows of data are tuples. forward() takes
them: it returns the loss. Without the last TARGETS of a row, it returns the outputs.
"""
import os
import time

import poptorch
import torch
from tqdm import tqdm

from .catalogue import CHIPS
from .data import Repeated


def network(recipe):
    """The network with the weights that the seed draws."""
    torch.manual_seed(recipe.training["seed"])
    several = {"ipus": recipe.system["ipus"]} if recipe.system["ipus"] > 1 else {}
    try:
        model = recipe.module.network(half=recipe.training["half"], **several, **recipe.model)
    except TypeError as error:
        raise SystemExit(f"{recipe.name}, {recipe.config}: {error}") from None
    return model.half() if recipe.training["half"] else model


def data(recipe, folder, training, **other):
    return recipe.module.data(folder, training, **{**recipe.data, **other})


def options(recipe, training, report=None):
    """Those of PopTorch that the configuration asks for."""
    out = poptorch.Options().randomSeed(recipe.training["seed"]).modelName(recipe.name)
    out.showCompilationProgressBar(False)
    if training:
        out.replicationFactor(recipe.system["replicas"]).outputMode(poptorch.OutputMode.All)
        out.Training.gradientAccumulation(recipe.training["accumulate"])
        if recipe.training["recompute"]:
            out._Popart.set("autoRecomputation", "RecomputeAll")
    else:
        out.deviceIterations(recipe.system["ipus"])
    if recipe.system["ipus"] > 1:  # a model may come back to an IPU
        out.setExecutionStrategy(poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement))
    if recipe.training["half"]:
        out.Precision.setPartialsType(torch.half)
    if recipe.training["memory_proportion"]:
        out.setAvailableMemoryProportion({f"IPU{i}": recipe.training["memory_proportion"]
                                          for i in range(recipe.system["ipus"])})
    if recipe.training["offload"]:  # the optimiser's state waits beside the chip
        out.TensorLocations.setOptimizerLocation(poptorch.TensorLocationSettings().useOnChipStorage(False))
    if recipe.training["read_ahead"]:
        out._Popart.setEngineOptions({"exchange.streamBufferOverlap": "hostRearrangeOnly"})
    if report:
        out.enableProfiling(report)
    return out


def optimizer(recipe, package, parameters):
    """The same one of poptorch.optim or of torch.optim."""
    how, extra = recipe.training, {}
    if package is poptorch.optim:
        extra["loss_scaling"] = how["loss_scaling"]
        if how["state"] == "combined":
            extra.update(use_combined_accum=True, velocity_accum_type=torch.half)
        elif how["optimizer"] == "SGD":
            extra["use_combined_accum"] = False
        if how["state"] == "half":
            extra["accum_type"] = torch.half
            extra["first_order_momentum_accum_type" if how["optimizer"] == "AdamW" else "velocity_accum_type"] = torch.half
    if how["optimizer"] == "SGD":
        return package.SGD(parameters, lr=how["lr"], momentum=how["momentum"], weight_decay=how["weight_decay"], **extra)
    return package.AdamW(parameters, lr=how["lr"], weight_decay=how["weight_decay"], **extra)


def _loader(recipe, out, rows, training):
    """Batches in the order that the seed gives; IPUs and plain torch see the same."""
    per_call = recipe.rows if training else recipe.training["micro_batch"] * recipe.system["ipus"]
    if len(rows) < per_call:
        rows = Repeated(rows, per_call)
    torch.manual_seed(recipe.training["seed"])
    return poptorch.DataLoader(out, rows, batch_size=recipe.training["micro_batch"], shuffle=training, num_workers=0)


class Progress:
    """A bar, the losses, and rows per second after the first call, which compiles."""

    def __init__(self, recipe, loader):
        self.losses, self._rows, self._start = [], 0, None
        self._bar = tqdm(total=recipe.training["epochs"] * len(loader), desc="training", leave=False, disable=None)

    def count(self, rows, loss):
        now = time.perf_counter()
        if self._start is not None:
            self._rows += rows
        self._start, self._now = self._start or now, now
        self.losses.append(loss)
        self._bar.set_postfix(loss=f"{loss:.4f}")
        self._bar.update()

    def end(self):
        self._bar.close()
        return self._rows / (self._now - self._start) if self._rows else None


def train(recipe, model, folder=None, report=None):
    """On IPUs: the losses of all updates, rows per second here, and what the machine model says of a call."""
    out = options(recipe, True, report)
    rows = data(recipe, folder, True)
    loader = _loader(recipe, out, rows, True)
    executor = poptorch.trainingModel(model.train(), out, optimizer(recipe, poptorch.optim, model.parameters()))
    progress = Progress(recipe, loader)
    for _ in range(recipe.training["epochs"]):
        for batch in loader:
            progress.count(len(batch[0]), float(executor(*batch).float().mean()))
    rate, step = progress.end(), executor.modelledStep()
    executor.detachFromDevice()
    return progress.losses, rate, step


def train_plain(recipe, model, folder=None):
    """The same training in plain torch: the losses of all updates, and rows per second."""
    loader = _loader(recipe, options(recipe, True), data(recipe, folder, True), True)
    updates, size = optimizer(recipe, torch.optim, model.train().parameters()), recipe.training["micro_batch"]
    progress = Progress(recipe, loader)
    for _ in range(recipe.training["epochs"]):
        for batch in loader:
            updates.zero_grad()
            total, parts = 0.0, len(batch[0]) // size
            for part in zip(*(b.split(size) for b in batch)):
                loss = model(*part)
                (loss / parts).backward()
                total += float(loss)
            updates.step()
            progress.count(len(batch[0]), total / parts)
    return progress.losses, progress.end()


def infer(recipe, model, folder=None, report=None):
    """The quality over the test data, rows per second here, and what the machine model says of a call."""
    out = options(recipe, False, report)
    loader = _loader(recipe, out, data(recipe, folder, False), False)
    executor = poptorch.inferenceModel(model.eval(), out)
    found, seen, start, timed = 0.0, 0, None, 0
    for batch in tqdm(loader, desc="inference", leave=False, disable=None):
        targets = recipe.module.TARGETS
        results = executor(*batch[:-targets] if targets else batch)
        now = time.perf_counter()
        if start is not None:
            timed += len(batch[0])
        start, end = start or now, now
        found += recipe.module.quality(results, batch) * len(batch[0])
        seen += len(batch[0])
    step = executor.modelledStep()
    executor.detachFromDevice()
    return found / seen, timed / (end - start) if timed else None, step


class Estimate:
    """What a training step would take on the named system. Nothing runs."""

    def __init__(self, recipe, report=None):
        model = network(recipe).train()
        self.parameters = sum(p.numel() for p in model.parameters())
        out = options(recipe, True, report).useOfflineIpuTarget(CHIPS[recipe.system["chip"]])
        executor = poptorch.trainingModel(model, out, optimizer(recipe, poptorch.optim, model.parameters()))
        # Values do not matter. Memory that nobody touches takes no place: the batch of a large system is no burden.
        row = torch.utils.data.default_collate([data(recipe, None, True, samples=1)[0]])
        batch = [torch.empty(recipe.rows, *part.shape[1:], dtype=part.dtype) for part in row]
        start = time.perf_counter()
        executor.compile(*batch)
        self.seconds_to_compile = time.perf_counter() - start
        self.step = executor.modelledStep()
        self.rate = recipe.rows / self.step.seconds
        self.input_bytes = sum(part.numel() * part.element_size() for part in batch) / self.step.seconds
        self.fits = self.step.fullest_tile <= self.step.bytes_per_tile


def save(recipe, model, file):
    torch.save({"garden": recipe.name, "config": recipe.config, "weights": model.state_dict()}, file)


def restore(recipe, model, file):
    """Weights of a file that save() wrote of the same model and configuration."""
    if not os.path.exists(file):
        raise SystemExit(f"There is no file {file}.")
    try:
        read = torch.load(file, map_location="cpu")
    except Exception as error:
        raise SystemExit(f"{file} is not a checkpoint: {str(error).splitlines()[0]}") from None
    if not isinstance(read, dict) or "garden" not in read:
        raise SystemExit(f"{file} is not a checkpoint of the garden: run.py MODEL --train --save FILE writes one.")
    if (read["garden"], read["config"]) != (recipe.name, recipe.config):
        raise SystemExit(f"{file} is a checkpoint of {read['garden']}, {read['config']}, "
                         f"not of {recipe.name}, {recipe.config}.")
    model.load_state_dict(read["weights"])
