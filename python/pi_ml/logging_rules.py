# SPDX-License-Identifier: MIT
"""When a value is logged: at the step, at the epoch's end, or both, by the hook that logs it."""
from pi_ml.utilities.exceptions import MisconfigurationException

_by_step = {"training_step", "on_train_batch_start", "on_train_batch_end", "on_before_zero_grad", "on_before_backward",
            "on_after_backward", "on_before_optimizer_step"}
_either = {"validation_step", "test_step", "on_validation_batch_start", "on_validation_batch_end", "on_test_batch_start",
           "on_test_batch_end"}
_by_epoch = {"on_train_start", "on_train_epoch_start", "on_train_epoch_end", "training_epoch_end", "on_epoch_start",
             "on_epoch_end", "on_validation_start", "on_validation_epoch_start", "on_validation_epoch_end",
             "validation_epoch_end", "on_test_start", "on_test_epoch_start", "on_test_epoch_end", "test_epoch_end"}


def when(hook, on_step, on_epoch, name):
    """(on_step, on_epoch) with defaults filled in."""
    if hook in _by_step:
        out = (True if on_step is None else on_step, bool(on_epoch))
    elif hook in _either:
        out = (bool(on_step), True if on_epoch is None else on_epoch)
    elif hook in _by_epoch:
        if on_step:
            raise MisconfigurationException(f"You can't `self.log({name!r}, on_step=True)` inside `{hook}`: there is no step.")
        out = (False, True)
    else:
        where = f"You can't `self.log({name!r})` inside `{hook}`" if hook else \
            f"You are trying to `self.log({name!r})` outside of the hooks of a running trainer"
        raise MisconfigurationException(where + ". Log in a step, or at the start or end of a batch or an epoch of training, "
                                        "validation or test.")
    if not any(out):
        raise MisconfigurationException(f"`self.log({name!r}, on_step=False, on_epoch=False)` is not useful.")
    return out
