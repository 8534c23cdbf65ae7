# SPDX-License-Identifier: MIT
"""Hooks: what a module and a callback may override, and who is called. Callbacks come before the module, in their order."""
import inspect


class ModuleHooks:
    """Hooks of a LightningModule, in the order in which they are called."""

    def configure_callbacks(self):
        return []

    def on_fit_start(self): pass
    def on_sanity_check_start(self): pass
    def on_sanity_check_end(self): pass
    def on_train_start(self): pass
    def on_epoch_start(self): pass
    def on_train_epoch_start(self): pass
    def on_train_batch_start(self, batch, batch_idx, unused=0): pass

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        return batch

    def on_before_zero_grad(self, optimizer): pass
    def on_before_backward(self, loss): pass
    def on_after_backward(self): pass
    def on_before_optimizer_step(self, optimizer, optimizer_idx): pass
    def on_train_batch_end(self, outputs, batch, batch_idx, unused=0): pass
    def on_train_epoch_end(self): pass
    def on_epoch_end(self): pass
    def on_train_end(self): pass
    def on_fit_end(self): pass

    def on_validation_model_eval(self):
        self.trainer.model.eval()

    def on_validation_model_train(self):
        self.trainer.model.train()

    def on_test_model_eval(self):
        self.trainer.model.eval()

    def on_test_model_train(self):
        self.trainer.model.train()

    def on_predict_model_eval(self):
        self.trainer.model.eval()

    def on_validation_start(self): pass
    def on_validation_epoch_start(self): pass
    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_validation_epoch_end(self): pass
    def on_validation_end(self): pass
    def on_test_start(self): pass
    def on_test_epoch_start(self): pass
    def on_test_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_test_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_test_epoch_end(self): pass
    def on_test_end(self): pass
    def on_predict_start(self): pass
    def on_predict_epoch_start(self): pass
    def on_predict_batch_start(self, batch, batch_idx, dataloader_idx): pass
    def on_predict_batch_end(self, outputs, batch, batch_idx, dataloader_idx): pass
    def on_predict_epoch_end(self, results): pass
    def on_predict_end(self): pass
    def on_save_checkpoint(self, checkpoint): pass
    def on_load_checkpoint(self, checkpoint): pass


class DataHooks:
    """Where data comes from; of a LightningModule and of a LightningDataModule."""

    def prepare_data(self): pass
    def setup(self, stage=None): pass
    def teardown(self, stage=None): pass

    def train_dataloader(self):
        return None

    def val_dataloader(self):
        return None

    def test_dataloader(self):
        return None

    def predict_dataloader(self):
        return None

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class Calls:
    """Calls hooks that somebody overrode; the others cost a look into a dictionary."""

    def __init__(self, trainer, module, callbacks):
        from pi_ml.callbacks.base import Callback
        from pi_ml.module import LightningModule
        self._trainer, self._module, self._callbacks = trainer, module, list(callbacks)
        self._plain = (Callback, LightningModule)
        self._found, self._fitted = {}, {}

    def _receivers(self, name):
        callback, module = self._plain
        found = [(getattr(c, name), True) for c in self._callbacks
                 if getattr(type(c), name, None) is not getattr(callback, name, None)]
        own = getattr(self._module, name, None)
        if own is not None and getattr(own, "__func__", own) is not getattr(module, name, None):
            found.append((own, False))
        self._found[name] = found
        return found

    def __call__(self, name, *args):
        """True unless a receiver answered -1 (which skips, where the hook says so)."""
        receivers = self._fitted.get(name)
        if receivers is None:
            receivers = self._fitted[name] = [(_fitting(call, len(args) + 2 * of_callback), of_callback)
                                              for call, of_callback in self._receivers(name)]
        going_on = True
        for call, of_callback in receivers:
            with self._trainer._logging_from(name):
                answer = call(self._trainer, self._module, *args) if of_callback else call(*args)
            going_on = going_on and answer != -1
        return going_on

    def of_callbacks(self, name, *args):
        for callback in self._callbacks:
            with self._trainer._logging_from(name):
                getattr(callback, name)(self._trainer, self._module, *args)

    def overridden(self, name):
        """Whether anybody would be called."""
        return bool(self._found.get(name) or self._receivers(name))


def _fitting(hook, count):
    """A hook that may be called with `count` arguments: it gets those that its signature has, from the first on. One that wants
    more has the number of a loader at its end (of earlier versions), which is 0."""
    parameters = inspect.signature(hook).parameters.values()
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in placed)
    if needed > count:
        return lambda *args: hook(*args, *[0] * (needed - count))
    if len(placed) < count and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return lambda *args: hook(*args[:len(placed)])
    return hook
