# SPDX-License-Identifier: MIT
"""LossScaleOptimizer: gradients are those of a loss times a scale, which they are divided by again, so that small ones are not
lost in float16. A dynamic scale grows while all gradients are finite; a step with others is left out, and halves it."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.framework.context import eagerly
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import optimizers
from tensorflow.keras.ipu.optimizers import _Around
from tensorflow.keras.optimizers.base import Optimizer, _averaged, registry
from tensorflow.ops import array_ops, control_flow, math_ops


@registry.add()
class LossScaleOptimizer(_Around):
    """Around another optimiser."""

    def __init__(self, inner_optimizer: Optimizer, dynamic: bool = True, initial_scale: float | None = None,
                 dynamic_growth_steps: int | None = None) -> None:
        if not isinstance(dynamic, bool):
            raise TypeError(f'"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: {dynamic!r}')
        if not dynamic and initial_scale is None:
            raise ValueError('"initial_scale" must be specified if "dynamic" is False')
        if not dynamic and dynamic_growth_steps is not None:
            raise ValueError(f'"dynamic_growth_steps" must be None if "dynamic" is False, but got: {dynamic_growth_steps}')
        super().__init__(inner_optimizer, "LossScaleOptimizer")
        self.dynamic, self.inner_optimizer = dynamic, inner_optimizer
        self.initial_scale = float(2**15 if initial_scale is None else initial_scale)
        self.dynamic_growth_steps = int(dynamic_growth_steps or 2000) if dynamic else None
        with eagerly():
            self._scale, self._count = (Variable(np.float32(value), False, name=f"{self._name}/{what}") for value, what in (
                (self.initial_scale, "current_loss_scale"), (0, "good_steps"))) if dynamic else (None, None)

    loss_scale = property(lambda self: self._scale.read_value() if self.dynamic else array_ops.constant(self.initial_scale))
    dynamic_counter = property(lambda self: math_ops.cast(self._count, "int64") if self.dynamic else None)

    def get_scaled_loss(self, loss: Any) -> Any:
        """The loss, or a function that gives it, times the scale."""
        if callable(loss) and not isinstance(loss, (Tensor, Variable)):
            return lambda: self.get_scaled_loss(loss())
        return math_ops.multiply(loss, math_ops.cast(self.loss_scale, loss.dtype))

    def get_unscaled_gradients(self, grads: TensorLike) -> list:
        """Gradients of the scaled loss as those of the loss."""
        scale = self.loss_scale
        return [None if g is None else math_ops.divide(g, math_ops.cast(scale, g.dtype)) for g in grads]

    # ---- steps

    def to_minimize(self, loss: TensorLike) -> Tensor:
        """What a training takes the gradients of."""
        return self.get_scaled_loss(loss)

    def apply_minimized(self, grads_and_vars: Any) -> Any:
        """Of the scaled loss: they become float32 before they are divided."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        whole = self.get_unscaled_gradients([math_ops.cast(g, "float32") for g, _ in pairs])
        return self.apply_gradients(list(zip(whole, [v for _, v in pairs])))

    def minimize(self, loss: TensorLike, var_list: Any, grad_loss: Any = None, name: str | None = None,
                 tape: Any = None) -> Any:
        """Computes gradients of the scaled loss, then applies those of the loss."""
        given = math_ops.cast(self.loss_scale, "float32" if callable(loss) else loss.dtype)
        given = given if grad_loss is None else math_ops.multiply(grad_loss, given)
        variables = var_list() if callable(var_list) else var_list
        return self.apply_minimized(zip(self.gradients_of(loss, variables, given, tape), variables))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None,
                        experimental_aggregate_gradients: bool = True) -> Any:
        """Of the loss; a dynamic scale looks at them first."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not self.dynamic or not pairs:
            return self.inner_optimizer.apply_gradients(
                pairs, experimental_aggregate_gradients=experimental_aggregate_gradients)
        variables = [v for _, v in pairs]
        gradients = [g for g, _ in pairs]
        gradients = _averaged(gradients) if experimental_aggregate_gradients else gradients
        self._create_all(variables)
        good = math_ops.reduce_all(array_ops.stack([math_ops.reduce_all(math_ops.is_finite(g)) for g in gradients]))

        def update():
            self.inner_optimizer.apply_gradients(list(zip(gradients, variables)), experimental_aggregate_gradients=False)
            return array_ops.constant(True)
        self._next_scale(good)
        return control_flow.cond(good, update, lambda: array_ops.constant(False))

    def _next_scale(self, good):
        scale, count = self._scale.read_value(), math_ops.add(self._count.read_value(), 1.0)
        grown = math_ops.multiply(scale, 2.0)
        grows = math_ops.logical_and(math_ops.greater_equal(count, float(self.dynamic_growth_steps)), math_ops.is_finite(grown))
        later = math_ops.where(grows, grown, scale)
        self._scale.assign(math_ops.where(good, later, math_ops.maximum(math_ops.divide(scale, 2.0), 1.0)))
        due = math_ops.greater_equal(count, float(self.dynamic_growth_steps))
        self._count.assign(math_ops.where(math_ops.logical_and(good, math_ops.logical_not(due)), count, 0.0))

    def _own_weights(self):
        return [self._scale, self._count] if self.dynamic else []

    # ---- configuration

    def hyper(self) -> tuple:
        """What a program depends on."""
        return (type(self.inner_optimizer).__name__, self.inner_optimizer.hyper(), self.dynamic, self.initial_scale,
                self.dynamic_growth_steps)

    def get_config(self) -> dict:
        """What from_config needs."""
        return {"inner_optimizer": optimizers.serialize(self.inner_optimizer), "dynamic": self.dynamic,
                "initial_scale": self.initial_scale, "dynamic_growth_steps": self.dynamic_growth_steps}

    @classmethod
    def from_config(cls, config: dict, custom_objects: dict | None = None) -> LossScaleOptimizer:
        """One of these settings."""
        inner = optimizers.deserialize(config["inner_optimizer"], custom_objects)
        return cls(**{**config, "inner_optimizer": inner})
