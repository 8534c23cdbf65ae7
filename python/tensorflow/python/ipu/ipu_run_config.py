# SPDX-License-Identifier: MIT
"""How an IPUEstimator runs."""
import collections

from tensorflow import _names
from tensorflow.framework.logs import without_effect

_FIELDS = ("iterations_per_loop ipu_options num_replicas num_shards ordinal prefetch_depth")


class IPURunConfig(collections.namedtuple("IPURunConfig", _FIELDS)):
    """iterations_per_loop: batches of one run of the program. ipu_options: an IPUConfig, applied when the estimator runs."""

    def __new__(cls, iterations_per_loop=1, ipu_options=None, num_replicas=1, num_shards=1, ordinal=0, prefetch_depth=None):
        for name, value in (("iterations_per_loop", iterations_per_loop), ("num_replicas", num_replicas),
                            ("num_shards", num_shards)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}.")
        if ordinal != int(ordinal) or ordinal < 0:
            raise ValueError(f"ordinal must be the number of an IPU device from 0 on, not {ordinal!r}.")
        return super().__new__(cls, iterations_per_loop, ipu_options, num_replicas, num_shards, ordinal, prefetch_depth)


class RunConfig:
    """save_checkpoints_steps: a checkpoint after this many steps, and always after the last one. log_step_count_steps: the loss
    is logged after this many steps."""

    def __init__(self, ipu_run_config=None, master=None, model_dir=None, tf_random_seed=None, save_summary_steps=None,
                 save_checkpoints_steps=None, save_checkpoints_secs=None, keep_checkpoint_max=5, log_step_count_steps=100,
                 session_config=None):
        if save_summary_steps or save_checkpoints_secs:
            without_effect(save_summary_steps=save_summary_steps, save_checkpoints_secs=save_checkpoints_secs)
        self.ipu_run_config = ipu_run_config or IPURunConfig()
        self.master, self.model_dir, self.tf_random_seed = master, model_dir, tf_random_seed
        self.save_checkpoints_steps, self.keep_checkpoint_max = save_checkpoints_steps, keep_checkpoint_max
        self.log_step_count_steps, self.session_config = log_step_count_steps, session_config


_names.explain_missing(globals())
