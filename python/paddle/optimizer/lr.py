# SPDX-License-Identifier: MIT
"""Schedulers of learning rates: step() moves on, calling one gives the rate."""
from __future__ import annotations

import math
from paddle.typed import NumberLike, RateLike, TensorLike
from typing import Any, Callable, Sequence


class LRScheduler:
    """The base of rates that change: `step` goes on, `get_lr` says the rate."""
    def __init__(self, learning_rate: RateLike = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        if learning_rate < 0:
            raise ValueError(f"Invalid learning rate: {learning_rate}")
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose = last_epoch, verbose
        self.step()

    def __call__(self) -> float:
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes on to the next step, or to one that is named."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> Any:
        """The rate at the present step."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr().")

    def state_dict(self) -> dict:
        """What set_state_dict needs to go on from here."""
        return {"last_epoch": self.last_epoch, "last_lr": self.last_lr}

    def set_state_dict(self, state_dict: dict) -> None:
        """Goes on from where state_dict was called."""
        self.last_epoch, self.last_lr = state_dict["last_epoch"], state_dict["last_lr"]

    set_dict = set_state_dict


class NoamDecay(LRScheduler):
    """Rises for warmup_steps, then falls with the root of the step."""
    def __init__(self, d_model: int, warmup_steps: int, learning_rate: RateLike = 1.0, last_epoch: int = -1,
                 verbose: bool = False) -> None:
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        a = 1 if self.last_epoch == 0 else self.last_epoch ** -0.5
        return self.base_lr * self.d_model ** -0.5 * min(a, self.warmup_steps ** -1.5 * self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """One value between each two boundaries."""
    def __init__(self, boundaries: Sequence, values: TensorLike, last_epoch: int = -1, verbose: bool = False) -> None:
        self.boundaries, self.values = boundaries, values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        for boundary, value in zip(self.boundaries, self.values):
            if self.last_epoch < boundary:
                return value
        return self.values[len(self.values) - 1]


class NaturalExpDecay(LRScheduler):
    """Times exp(-gamma) every step."""
    def __init__(self, learning_rate: RateLike, gamma: NumberLike, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(NaturalExpDecay):
    """Divided by 1 + gamma * step."""
    def get_lr(self) -> Any:
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class ExponentialDecay(NaturalExpDecay):
    """Times gamma every step."""
    def get_lr(self) -> Any:
        return self.base_lr * self.gamma ** self.last_epoch


class StepDecay(LRScheduler):
    """Times gamma every step_size steps."""
    def __init__(self, learning_rate: RateLike, step_size: int, gamma: NumberLike = 0.1, last_epoch: int = -1,
                 verbose: bool = False) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class MultiStepDecay(LRScheduler):
    """Times gamma at each of these steps."""
    def __init__(self, learning_rate: RateLike, milestones: Sequence, gamma: NumberLike = 0.1, last_epoch: int = -1,
                 verbose: bool = False) -> None:
        self.milestones, self.gamma = milestones, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        return self.base_lr * self.gamma ** sum(self.last_epoch >= m for m in self.milestones)


class LambdaDecay(LRScheduler):
    """Times what a function of the step gives."""
    def __init__(self, learning_rate: RateLike, lr_lambda: Callable, last_epoch: int = -1, verbose: bool = False) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        return self.base_lr * self.lr_lambda(self.last_epoch)


class PolynomialDecay(LRScheduler):
    """Falls to end_lr along a power."""
    def __init__(self, learning_rate: RateLike, decay_steps: NumberLike, end_lr: NumberLike = 0.0001, power: float = 1.0,
                 cycle: bool = False, last_epoch: int = -1, verbose: bool = False) -> None:
        self.decay_steps, self.end_lr, self.power, self.cycle = decay_steps, end_lr, power, cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        steps, at = self.decay_steps, self.last_epoch
        if self.cycle:
            steps *= max(math.ceil(at / steps), 1)
        else:
            at = min(at, steps)
        return (self.base_lr - self.end_lr) * (1 - at / steps) ** self.power + self.end_lr


class CosineAnnealingDecay(LRScheduler):
    """Falls along a half cosine over T_max steps, and rises again."""
    def __init__(self, learning_rate: RateLike, T_max: int, eta_min: int = 0, last_epoch: int = -1,
                 verbose: bool = False) -> None:
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> Any:
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


class LinearWarmup(LRScheduler):
    """From start_lr to end_lr, then another scheduler or a number."""

    def __init__(self, learning_rate: RateLike, warmup_steps: int, start_lr: NumberLike, end_lr: NumberLike,
                 last_epoch: int = -1, verbose: bool = False) -> None:
        self.after, self.warmup_steps, self.start_lr, self.end_lr = learning_rate, warmup_steps, start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> Any:
        if self.last_epoch < self.warmup_steps:
            return (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps + self.start_lr
        if not isinstance(self.after, LRScheduler):
            return float(self.after)
        self.after.step(self.last_epoch - self.warmup_steps)
        return self.after()
