# SPDX-License-Identifier: MIT
"""Callback: what happens beside the training, at the places that hooks name."""


def _hook(self, trainer, pl_module, *args):
    pass


class Callback:
    """Override what you need. Every hook gets the trainer and the module first."""

    state_key = property(lambda self: type(self).__qualname__)

    def setup(self, trainer, pl_module, stage=None): pass
    def teardown(self, trainer, pl_module, stage=None): pass
    def on_exception(self, trainer, pl_module, exception): pass
    def on_save_checkpoint(self, trainer, pl_module, checkpoint): pass
    def on_load_checkpoint(self, trainer, pl_module, callback_state): pass

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


for _name in ("fit_start", "fit_end", "sanity_check_start", "sanity_check_end", "train_start", "train_end", "epoch_start",
              "epoch_end", "train_epoch_start", "train_epoch_end", "train_batch_start", "train_batch_end",
              "before_zero_grad", "before_backward", "after_backward", "before_optimizer_step",
              *(f"{stage}_{place}" for stage in ("validation", "test", "predict")
                for place in ("start", "end", "epoch_start", "epoch_end", "batch_start", "batch_end"))):
    setattr(Callback, "on_" + _name, _hook)
