# SPDX-License-Identifier: MIT
"""Strategy: what the loops ask of the place where a model runs."""


class Strategy:
    """The loops call these; see cpu.py and ipu.py for the two answers."""

    strategy_name = None
    is_global_zero = True
    global_rank = local_rank = 0
    world_size = 1
    root_device = None

    def connect(self, trainer):
        """Once, when the trainer is made: the flags are known."""
        self.trainer = trainer

    def setup(self, module, stages):
        """Before the loops of a call: `stages` are those that will run."""
        self.module = module

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

    def optimizer_changed(self, optimizer):
        """A scheduler or a callback gave the optimiser other values."""

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

    # ---- of several processes; there is one

    def reduce(self, tensor, *args, **kwargs):
        return tensor

    def barrier(self, *args, **kwargs):
        pass

    def broadcast(self, value, src=0):
        return value

    def all_gather(self, tensor, *args, **kwargs):
        return tensor

    def optimizer_state(self):
        """What of an optimiser lies on a device, for a checkpoint; None where its state_dict has everything."""

    def set_optimizer_state(self, state):
        pass
