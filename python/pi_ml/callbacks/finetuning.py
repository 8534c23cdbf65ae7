# SPDX-License-Identifier: MIT
"""BaseFinetuning: layers that rest at first and are trained later. Later is on the CPU: an IPU's program trains what it was
compiled with."""
from __future__ import annotations

from typing import Any, Generator, Iterable, List, Optional, Union

import torch

from pi_ml.callbacks.base import Callback
from pi_ml.compat import BatchNorm
from pi_ml.log import log
from pi_ml.utilities.exceptions import MisconfigurationException

Modules = Union[torch.nn.Module, Iterable[Any]]


class BaseFinetuning(Callback):
    """Override freeze_before_training (calls freeze) and finetune_function (calls unfreeze_and_add_param_group)."""

    def freeze_before_training(self, pl_module: torch.nn.Module) -> None:
        """Freezes what rests at first."""
        raise NotImplementedError(f"{type(self).__name__} has no freeze_before_training().")

    def finetune_function(self, pl_module: torch.nn.Module, epoch: int, optimizer: torch.optim.Optimizer, opt_idx: int) -> None:
        """Called at the start of every epoch; unfreezes what is trained from then on."""
        raise NotImplementedError(f"{type(self).__name__} has no finetune_function().")

    @staticmethod
    def flatten_modules(modules: Modules) -> List[torch.nn.Module]:
        """All modules without children, and those with parameters of their own, within some."""
        if not isinstance(modules, torch.nn.Module):
            return [found for module in modules for found in BaseFinetuning.flatten_modules(module)]
        return [m for m in modules.modules() if not list(m.children()) or m._parameters]

    @staticmethod
    def filter_params(modules: Modules, train_bn: bool = True, requires_grad: bool = True
                      ) -> Generator[torch.nn.Parameter, None, None]:
        """Parameters that are trained (or not); without those of batch norms unless train_bn."""
        for module in BaseFinetuning.flatten_modules(modules):
            if train_bn or not isinstance(module, BatchNorm):
                yield from (p for p in module.parameters(recurse=False) if p.requires_grad == requires_grad)

    @staticmethod
    def freeze(modules: Modules, train_bn: bool = True) -> None:
        """Makes parameters rest; those of batch norms are trained still unless train_bn is false."""
        for module in BaseFinetuning.flatten_modules(modules):
            trained = train_bn and isinstance(module, BatchNorm)
            for parameter in module.parameters(recurse=False):
                parameter.requires_grad = trained

    @staticmethod
    def make_trainable(modules: Modules) -> None:
        """Lets parameters be trained."""
        for module in BaseFinetuning.flatten_modules(modules):
            for parameter in module.parameters(recurse=False):
                parameter.requires_grad = True

    @staticmethod
    def unfreeze_and_add_param_group(modules: Modules, optimizer: torch.optim.Optimizer, lr: Optional[float] = None,
                                     initial_denom_lr: float = 10.0, train_bn: bool = True) -> None:
        """Lets parameters be trained, by a group of their own: with lr, or the first group's rate / initial_denom_lr."""
        BaseFinetuning.make_trainable(modules)
        known = {p for group in optimizer.param_groups for p in group["params"]}
        added = [p for p in BaseFinetuning.filter_params(modules, train_bn) if p not in known]
        if added:
            rate = optimizer.param_groups[0]["lr"] / initial_denom_lr if lr is None else lr
            optimizer.add_param_group({"params": added, "lr": rate})

    def setup(self, trainer: Any, pl_module: torch.nn.Module, stage: Optional[str] = None) -> None:
        if stage == "fit":
            self.freeze_before_training(pl_module)

    def on_train_epoch_start(self, trainer: Any, pl_module: torch.nn.Module) -> None:
        before = {p for p in pl_module.parameters() if p.requires_grad}
        for index, optimizer in enumerate(trainer.optimizers):
            self.finetune_function(pl_module, trainer.current_epoch, optimizer, index)
        after = {p for p in pl_module.parameters() if p.requires_grad}
        if before != after and trainer.accelerator.name == "ipu" and trainer.global_step:
            raise MisconfigurationException(f"{type(self).__name__} changes what is trained in epoch "
                                            f"{trainer.current_epoch}: an IPU's program trains what it was compiled with. Call "
                                            "fit once more, with another trainer, for the second part.")


class BackboneFinetuning(BaseFinetuning):
    """pl_module.backbone rests until an epoch. Then its rate is backbone_initial_lr, or a share
    (backbone_initial_ratio_lr) of the model's, and grows by lambda_func each epoch, up to the model's own (should_align)."""

    def __init__(self, unfreeze_backbone_at_epoch: int = 10, lambda_func: Any = lambda epoch: 2,
                 backbone_initial_ratio_lr: float = 10e-2, backbone_initial_lr: Optional[float] = None,
                 should_align: bool = True, initial_denom_lr: float = 10.0, train_bn: bool = True, verbose: bool = False,
                 rounding: int = 12) -> None:
        self.unfreeze_backbone_at_epoch, self.lambda_func = unfreeze_backbone_at_epoch, lambda_func
        self.backbone_initial_ratio_lr, self.backbone_initial_lr = backbone_initial_ratio_lr, backbone_initial_lr
        self.should_align, self.initial_denom_lr, self.train_bn = should_align, initial_denom_lr, train_bn
        self.verbose, self.rounding = verbose, rounding
        self.previous_backbone_lr: Optional[float] = None

    def freeze_before_training(self, pl_module: torch.nn.Module) -> None:
        if not isinstance(getattr(pl_module, "backbone", None), torch.nn.Module):
            raise MisconfigurationException("The LightningModule should have a nn.Module `backbone` attribute.")
        self.freeze(pl_module.backbone)

    def finetune_function(self, pl_module: torch.nn.Module, epoch: int, optimizer: torch.optim.Optimizer, opt_idx: int) -> None:
        whole = optimizer.param_groups[0]["lr"]
        if epoch == self.unfreeze_backbone_at_epoch:
            self.previous_backbone_lr = whole * self.backbone_initial_ratio_lr if self.backbone_initial_lr is None \
                else self.backbone_initial_lr
            self.unfreeze_and_add_param_group(pl_module.backbone, optimizer, self.previous_backbone_lr, self.initial_denom_lr,
                                              self.train_bn)
        elif epoch > self.unfreeze_backbone_at_epoch and self.previous_backbone_lr is not None:
            grown = self.lambda_func(epoch + 1) * self.previous_backbone_lr
            self.previous_backbone_lr = whole if self.should_align and grown > whole else grown
            optimizer.param_groups[-1]["lr"] = self.previous_backbone_lr
        if self.verbose:
            log.info("Current lr: %s, Backbone lr: %s", round(whole, self.rounding), self.previous_backbone_lr)
