# SPDX-License-Identifier: MIT
"""Training on the CPU with plain torch: the same module, to compare with."""
from __future__ import annotations

from typing import Any, List

import torch

from pi_ml.strategies.base import Strategy
from pi_ml.strategies.steps import bind_step, loss_of
from pi_ml.utilities.exceptions import MisconfigurationException

_steps = {"train": "training_step", "validate": "validation_step", "test": "test_step", "predict": "predict_step"}


class SingleDeviceStrategy(Strategy):
    """torch's own autograd and optimisers."""

    strategy_name = "single_device"
    root_device = torch.device("cpu")

    def setup(self, module: torch.nn.Module, stages: List[str]) -> None:
        super().setup(module, stages)
        self._calls = {stage: bind_step(getattr(module, _steps[stage])) for stage in stages}
        self._first = True

    def train_batch(self, batch: Any, batch_idx: int) -> Any:
        trainer, module = self.trainer, self.module
        if not module.automatic_optimization:
            with trainer._logging_from("training_step"):
                output = module.training_step_end(self._calls["train"](batch, batch_idx, 0))
            return output, 1
        optimizer = trainer.optimizers[0]
        accumulation = trainer.accumulate_grad_batches
        stepping = (batch_idx + 1) % accumulation == 0 or trainer._is_last_batch
        held = {}

        def closure():
            with trainer._logging_from("training_step"):
                output = module.training_step_end(self._calls["train"](batch, batch_idx, 0))
            held["output"] = output
            if output is None:
                return None
            loss = loss_of(output)
            if self._first:
                trainer._calls("on_before_zero_grad", optimizer)
                module.optimizer_zero_grad(trainer.current_epoch, batch_idx, optimizer, 0)
            scaled = loss / accumulation if accumulation > 1 else loss
            trainer._calls("on_before_backward", scaled)
            module.backward(scaled, optimizer, 0)
            trainer._calls("on_after_backward")
            if stepping:
                trainer._calls("on_before_optimizer_step", optimizer, 0)
                module.configure_gradient_clipping(optimizer, 0, trainer.gradient_clip_val,
                                                   trainer.gradient_clip_algorithm)
            return loss

        with torch.enable_grad():
            if stepping:
                self._step(optimizer, batch_idx, closure, held)
            else:
                closure()
        self._first = stepping
        return detached(held.get("output")), int(stepping)

    def _step(self, optimizer, batch_idx, closure, held):
        def once():
            found = closure()
            if found is None:
                raise _Skip
            return found

        try:
            self.module.optimizer_step(self.trainer.current_epoch, batch_idx, optimizer, 0, once)
        except _Skip:
            return
        if "output" not in held:
            raise MisconfigurationException("optimizer_step was overridden and does not call its optimizer_closure, which "
                                            "computes the loss and the gradients. Pass it on: optimizer.step(closure=...).")

    def evaluate_batch(self, stage: str, batch: Any, batch_idx: int, dataloader_idx: int) -> Any:
        with torch.no_grad(), self.trainer._logging_from(_steps[stage]):
            output = self._calls[stage](batch, batch_idx, dataloader_idx)
        ended = {"validate": self.module.validation_step_end, "test": self.module.test_step_end}.get(stage)
        return output if ended is None else ended(output)


class _Skip(Exception):
    """training_step returned None: this batch updates nothing."""


def detached(output: Any) -> Any:
    if isinstance(output, torch.Tensor):
        return output.detach()
    if isinstance(output, dict):
        return {name: detached(value) for name, value in output.items()}
    if isinstance(output, (tuple, list)):
        return type(output)(map(detached, output))
    return output
