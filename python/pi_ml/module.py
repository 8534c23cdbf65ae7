# SPDX-License-Identifier: MIT
"""LightningModule: a model, its steps and its optimiser."""
from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Mapping, Optional, Union

import torch
from popart import _nest

from pi_ml import world
from pi_ml.checkpoints import Loading
from pi_ml.hooks import DataHooks, ModuleHooks
from pi_ml.hyperparameters import HyperparametersMixin
from pi_ml.results import Entry
from pi_ml.utilities.exceptions import MisconfigurationException


class LightningModule(ModuleHooks, DataHooks, HyperparametersMixin, Loading, torch.nn.Module):
    """Give it training_step and configure_optimizers, and what else is wanted of the other steps, hooks and loaders."""

    precision = 32  # the trainer says which
    example_input_array = None  # type: Any  # for summaries and exports
    on_gpu, truncated_bptt_steps = False, 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.__dict__["trainer"] = None
        self.automatic_optimization = True

    # ---- steps; those that are not overridden are missing

    def training_step(self, *args: Any, **kwargs: Any) -> Any:
        """The loss of a batch; write it."""
        raise MisconfigurationException("No `training_step()` method defined: Trainer.fit needs one that returns the loss.")

    def validation_step(self, *args: Any, **kwargs: Any) -> Any:
        """What validation does with a batch."""

    def test_step(self, *args: Any, **kwargs: Any) -> Any:
        """What test does with a batch."""

    def predict_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        """What predict gives for a batch; forward(batch) unless written."""
        return self(batch)

    def training_step_end(self, outputs: Any) -> Any:
        """Called with what training_step gave."""
        return outputs

    def validation_step_end(self, outputs: Any) -> Any:
        """Called with what validation_step gave."""
        return outputs

    def test_step_end(self, outputs: Any) -> Any:
        """Called with what test_step gave."""
        return outputs

    def training_epoch_end(self, outputs: Any) -> None:
        """Called with what all training steps of an epoch gave."""

    def validation_epoch_end(self, outputs: Any) -> None:
        """Called with what all validation steps gave."""

    def test_epoch_end(self, outputs: Any) -> None:
        """Called with what all test steps gave."""

    def configure_optimizers(self) -> Any:
        """The optimizers, and schedulers of their rates; write it."""
        raise MisconfigurationException("No `configure_optimizers()` method defined: Trainer.fit needs one that returns an "
                                        "optimizer, or ([optimizer], [scheduler]), or {'optimizer': …, 'lr_scheduler': …}.")

    # ---- training by hand may change these, on the CPU; an IPU does them itself

    def backward(self, loss: torch.Tensor, optimizer: torch.optim.Optimizer, optimizer_idx: int, *args: Any,
                 **kwargs: Any) -> None:
        """Computes gradients, on the CPU. On IPUs the whole step is compiled, and this is not called."""
        loss.backward(*args, **kwargs)

    def optimizer_zero_grad(self, epoch: int, batch_idx: int, optimizer: torch.optim.Optimizer, optimizer_idx: int) -> None:
        """Clears gradients before a step, on the CPU."""
        optimizer.zero_grad()

    def optimizer_step(self, epoch: int, batch_idx: int, optimizer: torch.optim.Optimizer, optimizer_idx: int = 0,
                       optimizer_closure: Optional[Callable[[], Any]] = None, on_tpu: bool = False,
                       using_native_amp: bool = False, using_lbfgs: bool = False) -> None:
        """Calls the optimiser's step, on the CPU."""
        optimizer.step(closure=optimizer_closure)

    def configure_gradient_clipping(self, optimizer: torch.optim.Optimizer, optimizer_idx: int,
                                    gradient_clip_val: Union[int, float, None] = None,
                                    gradient_clip_algorithm: Optional[str] = None) -> None:
        """Clips gradients as the trainer was told, on the CPU. Override it to clip in another way."""
        self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)

    def clip_gradients(self, optimizer: torch.optim.Optimizer, gradient_clip_val: Union[int, float, None] = None,
                       gradient_clip_algorithm: Optional[str] = None) -> None:
        """Clips gradients now: each value if the algorithm is "value", else their common norm."""
        if not gradient_clip_val:
            return
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if gradient_clip_algorithm == "value":
            torch.nn.utils.clip_grad_value_(parameters, gradient_clip_val)
        else:
            torch.nn.utils.clip_grad_norm_(parameters, gradient_clip_val)

    def lr_scheduler_step(self, scheduler: Any, optimizer_idx: int, metric: Any) -> None:
        """Goes on to the next step of a scheduler."""
        scheduler.step() if metric is None else scheduler.step(metric)

    def manual_backward(self, loss: torch.Tensor, *args: Any, **kwargs: Any) -> None:
        """The backward pass, when optimization is not automatic."""
        loss.backward(*args, **kwargs)

    def optimizers(self, use_pl_optimizer: bool = True) -> Any:
        """The optimizers in use: one, or a list."""
        found = self._of_trainer("optimizers").optimizers
        return found[0] if len(found) == 1 else found

    def lr_schedulers(self) -> Any:
        """The schedulers in use: one, a list, or None."""
        found = [c["scheduler"] for c in self._of_trainer("lr_schedulers").lr_scheduler_configs]
        return found[0] if len(found) == 1 else found or None

    # ---- logging

    def log(self, name: str, value: Any, prog_bar: bool = False, logger: bool = True, on_step: Optional[bool] = None,
            on_epoch: Optional[bool] = None, reduce_fx: Union[str, Callable] = "mean", enable_graph: bool = False,
            sync_dist: bool = False, sync_dist_group: Any = None, add_dataloader_idx: bool = True,
            batch_size: Optional[int] = None, metric_attribute: Optional[str] = None, rank_zero_only: bool = False) -> None:
        """Logs a number. In a step it comes back from the IPU with the step's results."""
        trainer = self._of_trainer("log")
        step, epoch = trainer._when_logged(on_step, on_epoch, name)
        entry = Entry(name, prog_bar, logger, step, epoch, reduce_fx, batch_size)
        trainer._log(entry, value, add_dataloader_idx)

    def log_dict(self, dictionary: Mapping[str, Any], **settings: Any) -> None:
        """log() for each name and value."""
        for name, value in dictionary.items():
            self.log(name, value, **settings)

    def print(self, *args: Any, **kwargs: Any) -> None:
        """Prints in the first process only, beside the progress bar."""
        trainer = self.__dict__.get("trainer")
        bar = trainer.progress_bar_callback if trainer is not None else None
        bar.print(*args, **kwargs) if bar is not None else print(*args, **kwargs)

    def _of_trainer(self, what):
        trainer = self.__dict__.get("trainer")
        if trainer is None:
            raise MisconfigurationException(f"self.{what} was used, but the module is not attached to a Trainer: it works "
                                            "while a trainer fits, validates, tests or predicts.")
        return trainer

    # ---- parameters of one optimiser; files for other programs

    def toggle_optimizer(self, optimizer: torch.optim.Optimizer, optimizer_idx: int = 0) -> None:
        """Until untoggle_optimizer only this optimizer's parameters have gradients."""
        own = {p for group in optimizer.param_groups for p in group["params"]}
        others = [(p, p.requires_grad) for p in self.parameters() if p not in own]
        for parameter, _ in others:
            parameter.requires_grad = False
        self.__dict__["_toggled"] = others

    def untoggle_optimizer(self, optimizer_idx: int = 0) -> None:
        """The others have gradients as before."""
        for parameter, wanted in self.__dict__.pop("_toggled", ()):
            parameter.requires_grad = wanted

    def to_torchscript(self, file_path: Union[str, os.PathLike, None] = None, method: str = "script",
                       example_inputs: Any = None, **kwargs: Any) -> Any:
        """The module for torch alone, by "script" or (with example_inputs or example_input_array) by "trace"."""
        if method not in ("script", "trace"):
            raise ValueError(f"The 'method' parameter only supports 'script' or 'trace', but value given was: {method}")
        training, trainer = self.training, self.__dict__.get("trainer")
        self.eval()
        self.__dict__["trainer"] = None  # of no use there
        try:
            with torch.no_grad(), _scriptable(self):
                made = torch.jit.script(self, **kwargs) if method == "script" else \
                    torch.jit.trace(self, self._example("to_torchscript(method='trace')", example_inputs), **kwargs)
        finally:
            self.train(training)
            self.__dict__["trainer"] = trainer
        if file_path is not None:
            torch.jit.save(made, os.fspath(file_path))
        return made

    def to_onnx(self, file_path: Union[str, os.PathLike], input_sample: Any = None, **kwargs: Any) -> None:
        """Writes the module in ONNX, by what torch.onnx.export does with a sample (or example_input_array)."""
        training = self.training
        self.eval()
        try:
            sample = self._example("to_onnx", input_sample)
            with torch.no_grad():
                torch.onnx.export(self, sample if isinstance(sample, tuple) else (sample,), os.fspath(file_path), **kwargs)
        finally:
            self.train(training)

    def _example(self, what, given):
        sample = self.example_input_array if given is None else given
        if sample is None:
            raise ValueError(f"{what} needs inputs to run the module with: give them, or set `example_input_array`.")
        return sample

    # ---- what it can be asked

    def __setattr__(self, name, value):
        if name == "trainer":
            self.__dict__["trainer"] = value
        else:
            super().__setattr__(name, value)

    @property
    def current_epoch(self) -> int:
        """The number of the epoch, from 0."""
        return self.trainer.current_epoch if self.trainer else 0

    @property
    def global_step(self) -> int:
        """Weight updates done."""
        return self.trainer.global_step if self.trainer else 0

    @property
    def global_rank(self) -> int:
        """The number of this process among all."""
        return world.rank()

    @property
    def local_rank(self) -> int:
        """The number of this process on its host."""
        return world.local_rank()

    @property
    def logger(self) -> Any:
        """The first logger; None without one."""
        return self.trainer.logger if self.trainer else None

    @property
    def loggers(self) -> Any:
        """All loggers."""
        return self.trainer.loggers if self.trainer else []

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return torch.device("cpu")

    @property
    def dtype(self) -> torch.dtype:
        """The type of the parameters."""
        return next((p.dtype for p in self.parameters() if p.is_floating_point()), torch.get_default_dtype())

    def all_gather(self, data: Any, group: Any = None, sync_grads: bool = False) -> Any:
        """Every tensor as all processes have it, one after the other along a new first dimension; of one process as it is."""
        if world.size() == 1:
            return data
        return _nest.mapped(lambda one: torch.stack([torch.as_tensor(each) for each in world.gathered(one)]), data)

    def freeze(self) -> None:
        """Makes no parameter trainable, and calls eval()."""
        for parameter in self.parameters():
            parameter.requires_grad = False
        self.eval()

    def unfreeze(self) -> None:
        """Makes all parameters trainable, and calls train()."""
        for parameter in self.parameters():
            parameter.requires_grad = True
        self.train()

    def __getstate__(self):
        state = dict(self.__dict__)
        state["trainer"] = None
        return state


def overrides(module: torch.nn.Module, name: str) -> bool:
    """Whether a module has a member of its own in the place of LightningModule's."""
    return getattr(type(module), name) is not getattr(LightningModule, name)


def is_overridden(method_name: str, instance: Any = None, parent: Any = None) -> bool:
    """Whether a module, data module or callback has a method of its own instead of its parent's."""
    if instance is None:
        return False
    if parent is None:
        kinds = [k for k in type(instance).__mro__ if k.__module__.split(".")[0] == "pi_ml" and hasattr(k, method_name)]
        if not kinds:
            raise ValueError("Expected a parent")
        parent = kinds[0]
    return getattr(type(instance), method_name, None) is not getattr(parent, method_name)


@contextlib.contextmanager
def _scriptable(module):
    """torch.jit.script compiles properties of a class, unless it says which not; a trainer's are of Python."""
    kind: Any = type(module)
    name, before = "__jit_unused_properties__", vars(type(module)).get("__jit_unused_properties__")
    properties = {n for k in kind.__mro__ if k is not torch.nn.Module for n, v in vars(k).items() if isinstance(v, property)}
    setattr(kind, name, sorted({*properties, *getattr(kind, name, ())}))
    try:
        yield
    finally:
        delattr(kind, name) if before is None else setattr(kind, name, before)
