# SPDX-License-Identifier: MIT
"""Rates of tf.train that follow the global step: tensors of the graph."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from tensorflow.framework.tensors import Tensor, convert_to_tensor
from tensorflow.framework.typed import NumberLike, RateLike, TensorLike
from tensorflow.ops import math_ops


def _share(global_step, decay_steps, staircase=False):
    """Steps made / decay_steps, as a float32."""
    out = math_ops.divide(math_ops.cast(convert_to_tensor(global_step), "float32"), float(decay_steps))
    return math_ops.floor(out) if staircase else out


def exponential_decay(learning_rate: RateLike, global_step: TensorLike, decay_steps: NumberLike, decay_rate: NumberLike,
                      staircase: bool = False, name: str | None = None) -> Tensor:
    """rate * decay_rate ^ (step / decay_steps)"""
    return math_ops.multiply(math_ops.pow(float(decay_rate), _share(global_step, decay_steps, staircase)), learning_rate)


def natural_exp_decay(learning_rate: RateLike, global_step: TensorLike, decay_steps: NumberLike, decay_rate: NumberLike,
                      staircase: bool = False, name: str | None = None) -> Tensor:
    """rate * exp(-decay_rate * step / decay_steps)"""
    share = _share(global_step, decay_steps, staircase)
    return math_ops.multiply(math_ops.exp(math_ops.multiply(share, -float(decay_rate))), learning_rate)


def inverse_time_decay(learning_rate: RateLike, global_step: TensorLike, decay_steps: NumberLike, decay_rate: NumberLike,
                       staircase: bool = False, name: str | None = None) -> Tensor:
    """rate / (1 + decay_rate * step / decay_steps)"""
    share = _share(global_step, decay_steps, staircase)
    return math_ops.divide(float(learning_rate), math_ops.add(math_ops.multiply(share, float(decay_rate)), 1.0))


def polynomial_decay(learning_rate: RateLike, global_step: TensorLike, decay_steps: NumberLike,
                     end_learning_rate: float = 0.0001, power: float = 1.0, cycle: bool = False,
                     name: str | None = None) -> Tensor:
    """From the rate to the end rate: (rate - end) * (1 - step / decay_steps) ^ power + end"""
    if cycle:
        raise NotImplementedError("polynomial_decay(cycle=True) is not there: use tf.keras.optimizers.schedules.")
    left = math_ops.subtract(1.0, math_ops.minimum(_share(global_step, decay_steps), 1.0))
    return math_ops.add(math_ops.multiply(math_ops.pow(left, float(power)), learning_rate - end_learning_rate),
                        float(end_learning_rate))


def cosine_decay(learning_rate: RateLike, global_step: TensorLike, decay_steps: NumberLike, alpha: float = 0.0,
                 name: str | None = None) -> Tensor:
    """rate * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha)"""
    share = math_ops.minimum(_share(global_step, decay_steps), 1.0)
    wave = math_ops.multiply(math_ops.add(math_ops.cos(math_ops.multiply(share, np.pi)), 1.0), 0.5)
    return math_ops.multiply(math_ops.add(math_ops.multiply(wave, 1.0 - alpha), alpha), learning_rate)


def piecewise_constant(x: TensorLike, boundaries: Sequence, values: TensorLike, name: str | None = None) -> Tensor:
    """values[0] up to boundaries[0], values[1] up to boundaries[1] ..."""
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values.")
    x = math_ops.cast(convert_to_tensor(x), "float32")
    out = convert_to_tensor(float(values[0]))
    for bound, before, after in zip(boundaries, values, values[1:]):
        passed = math_ops.cast(math_ops.greater(x, float(bound)), "float32")
        out = math_ops.add(out, math_ops.multiply(passed, float(after) - float(before)))
    return out


piecewise_constant_decay = piecewise_constant
names = """exponential_decay natural_exp_decay inverse_time_decay polynomial_decay cosine_decay piecewise_constant
piecewise_constant_decay""".split()
