# SPDX-License-Identifier: MIT
"""Rates that depend on the step."""
import numpy as np

from tensorflow.keras.named import Registry
from tensorflow.ops import math_ops

registry = Registry("learning rate schedule")
serialize, deserialize = registry.serialize, registry.deserialize


class LearningRateSchedule:
    def __call__(self, step):
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self):
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config):
        return cls(**config)


@registry.add()
class ExponentialDecay(LearningRateSchedule):
    """rate * decay_rate ^ (step / decay_steps)"""

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.initial_learning_rate, self.decay_steps = float(initial_learning_rate), float(decay_steps)
        self.decay_rate, self.staircase, self.name = float(decay_rate), staircase, name

    def __call__(self, step):
        p = math_ops.divide(math_ops.cast(step, "float32"), self.decay_steps)
        p = math_ops.floor(p) if self.staircase else p
        return math_ops.multiply(math_ops.exp(math_ops.multiply(p, float(np.log(self.decay_rate)))),
                                 self.initial_learning_rate)

    def get_config(self):
        return {"initial_learning_rate": self.initial_learning_rate, "decay_steps": self.decay_steps,
                "decay_rate": self.decay_rate, "staircase": self.staircase, "name": self.name}
