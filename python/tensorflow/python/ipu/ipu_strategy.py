# SPDX-License-Identifier: MIT
"""IPUStrategy: models and functions of its scope run on the IPUs of the configuration."""
import contextlib

from tensorflow.framework.graphs import current
from tensorflow.keras.engine.plan import Plan
from tensorflow.python.ipu import config


class IPUStrategyV1:
    def __init__(self, ipu_device="/device:IPU:0", cpu_device="/device:CPU:0", enable_dataset_iterators=True,
                 enable_keras_extensions=True):
        self._ipu_device, self._cpu_device = ipu_device, cpu_device

    @contextlib.contextmanager
    def scope(self):
        before = current.strategy
        if before is not None and before is not self:
            raise RuntimeError("Another strategy's scope is already open.")
        current.strategy = self
        try:
            yield self
        finally:
            current.strategy = before

    num_replicas_in_sync = 1

    def plan(self, model, training):
        return Plan(config.device(0), max(1, model._steps_per_execution), strategy=self)

    def steps(self, model, feed, plan, wanted, training):
        return int(wanted) if wanted is not None else feed.size


IPUStrategy = IPUStrategyV1
