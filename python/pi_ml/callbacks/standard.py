# SPDX-License-Identifier: MIT
"""The callbacks that a trainer has unless it is told otherwise, and their order."""
from pi_ml.callbacks.accumulation import GradientAccumulationScheduler
from pi_ml.callbacks.base import Callback
from pi_ml.callbacks.checkpoint import ModelCheckpoint
from pi_ml.callbacks.early_stopping import EarlyStopping
from pi_ml.callbacks.model_summary import ModelSummary
from pi_ml.callbacks.progress import ProgressBar, TQDMProgressBar
from pi_ml.callbacks.timer import Timer
from pi_ml.utilities.exceptions import MisconfigurationException


def completed(trainer, given, checkpointing):
    callbacks = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise MisconfigurationException(f"Trainer(callbacks=...): {callback!r} is not a Callback.")

    def has(kind):
        return any(isinstance(c, kind) for c in callbacks)

    if has(ModelCheckpoint) and not checkpointing and not trainer._fast:
        raise MisconfigurationException("Trainer was configured with `enable_checkpointing=False` but found "
                                        "`ModelCheckpoint` in callbacks list.")
    if trainer._fast:
        callbacks = [c for c in callbacks if not isinstance(c, (ModelCheckpoint, EarlyStopping))]
    if trainer.max_time is not None:
        callbacks.append(Timer(duration=trainer.max_time))
    if has(ProgressBar) and not trainer.enable_progress_bar:
        raise MisconfigurationException("Trainer was configured with `enable_progress_bar=False` but found a progress bar in "
                                        "callbacks list.")
    if isinstance(trainer.accumulate_grad_batches, dict):
        callbacks.append(GradientAccumulationScheduler(trainer.accumulate_grad_batches))
        trainer.accumulate_grad_batches = 1
    if trainer.enable_progress_bar and not has(ProgressBar):
        callbacks.append(TQDMProgressBar())
    if trainer.enable_model_summary and not has(ModelSummary):
        callbacks.append(ModelSummary())
    if checkpointing and not has(ModelCheckpoint):
        callbacks.append(ModelCheckpoint())
    keys = [c.state_key for c in callbacks]
    for key in keys:
        if keys.count(key) > 1:
            raise RuntimeError(f"Found more than one stateful callback of type `{key.split('{')[0]}` with the same state: "
                               "their entries in a checkpoint would collide. Give them other arguments.")
    return ordered(callbacks)


def ordered(callbacks):
    """Checkpoints last: they keep what the others have changed."""
    return sorted(callbacks, key=lambda c: isinstance(c, ModelCheckpoint))
