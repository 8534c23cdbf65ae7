# SPDX-License-Identifier: MIT
"""Strategy: what the loops ask of the place where a model runs."""
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

    def connect(self, trainer):
        """Once, when the trainer is made: the flags are known."""
        self.trainer, self.accelerator = trainer, trainer.accelerator

    @property
    def precision_plugin(self):
        return precision.PrecisionPlugin()

    def setup(self, module, stages):
        """Before the loops of a call: `stages` are those that will run."""
        self.module = self.model = module

    def loader(self, stage, loader):
        """The user's loader as the stage needs it."""
        return loader

    def start(self, stage):
        """The stage begins, or goes on after another."""

    def stop(self, stage):
        """Another stage begins, or none."""

    def train_batch(self, batch, batch_idx):
        """Everything of one batch, weight update included: (what training_step returned, number of updates)."""
        raise NotImplementedError

    def evaluate_batch(self, stage, batch, batch_idx, dataloader_idx):
        raise NotImplementedError

    def before_reading_weights(self):
        """The host's weights must be the newest."""

    def after_writing_weights(self):
        """The host's weights are others than the device's."""

    def random_state(self):
        """Of the device's generators, for a checkpoint; None if it has none of its own."""

    def set_random_state(self, state):
        pass

    def teardown(self):
        pass

    # ---- of several processes (poprun); all of them call these

    def reduce(self, tensor, group=None, reduce_op="mean"):
        if world.size() == 1:
            return tensor
        if reduce_op not in ("mean", "avg", "sum"):
            raise ValueError(f"reduce_op is \"mean\" or \"sum\", not {reduce_op!r}.")
        total = sum(world.gathered(tensor))
        return total if reduce_op == "sum" else total / world.size()

    def barrier(self, *args, **kwargs):
        world.barrier()

    def broadcast(self, value, src=0):
        return world.gathered(value if world.rank() == src else None)[src]

    def all_gather(self, tensor, *args, **kwargs):
        return tensor if world.size() == 1 else torch.stack(world.gathered(tensor))

    def optimizer_state(self):
        """What of an optimiser lies on a device, for a checkpoint; None where its state_dict has everything."""

    def set_optimizer_state(self, state):
        pass
