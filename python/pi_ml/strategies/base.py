# SPDX-License-Identifier: MIT
"""Strategy: what the loops ask of the place where a model runs."""
from __future__ import annotations

from typing import Any, List, Optional

import torch

from pi_ml import precision, world


class Strategy:
    """The loops call these; see cpu.py and ipu.py for the two answers."""

    strategy_name = ""
    is_global_zero = property(lambda self: self.global_rank == 0)
    global_rank = property(lambda self: world.rank())
    local_rank = property(lambda self: world.local_rank())
    world_size = property(lambda self: world.size())
    root_device = None
    model = accelerator = None  # model: what runs the steps, once a call has begun

    def connect(self, trainer: Any) -> None:
        """Once, when the trainer is made: the flags are known."""
        self.trainer, self.accelerator = trainer, trainer.accelerator

    @property
    def precision_plugin(self) -> Any:
        """Which types the model computes in."""
        return precision.PrecisionPlugin()

    def setup(self, module: torch.nn.Module, stages: List[str]) -> None:
        """Before the loops of a call: `stages` are those that will run."""
        self.module = self.model = module

    def loader(self, stage: str, loader: Any) -> Any:
        """The user's loader as the stage needs it."""
        return loader

    def start(self, stage: str) -> None:
        """The stage begins, or goes on after another."""

    def stop(self, stage: str) -> None:
        """Another stage begins, or none."""

    def train_batch(self, batch: Any, batch_idx: int) -> Any:
        """Everything of one batch, weight update included: (what training_step returned, number of updates)."""
        raise NotImplementedError

    def evaluate_batch(self, stage: str, batch: Any, batch_idx: int, dataloader_idx: int) -> Any:
        """What the model's step for a stage gives for a batch."""
        raise NotImplementedError

    def before_reading_weights(self) -> None:
        """The host's weights must be the newest."""

    def after_writing_weights(self) -> None:
        """The host's weights are others than the device's."""

    def random_state(self) -> None:
        """Of the device's generators, for a checkpoint; None if it has none of its own."""

    def set_random_state(self, state: Any) -> None:
        """Puts the random numbers where a checkpoint had them."""
        pass

    def teardown(self) -> None:
        """Lets devices go."""
        pass

    # ---- of several processes (poprun); all of them call these

    def reduce(self, tensor: Any, group: Any = None, reduce_op: Optional[str] = "mean") -> Any:
        """One value of those of all processes."""
        if world.size() == 1:
            return tensor
        if reduce_op not in ("mean", "avg", "sum"):
            raise ValueError(f"reduce_op is \"mean\" or \"sum\", not {reduce_op!r}.")
        total = sum(world.gathered(tensor))
        return total if reduce_op == "sum" else total / world.size()

    def barrier(self, *args: Any, **kwargs: Any) -> None:
        """Waits for all processes."""
        world.barrier()

    def broadcast(self, value: Any, src: int = 0) -> Any:
        """The value that one process has."""
        return world.gathered(value if world.rank() == src else None)[src]

    def all_gather(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of all processes."""
        return tensor if world.size() == 1 else torch.stack(world.gathered(tensor))

    def optimizer_state(self) -> None:
        """What of an optimiser lies on a device, for a checkpoint; None where its state_dict has everything."""

    def set_optimizer_state(self, state: Any) -> None:
        """Takes an optimizer's state from a checkpoint."""
        pass
