# SPDX-License-Identifier: MIT
"""How a model is spread: replicas, accumulation, stages, batches per execution. Outside of a strategy's scope a program runs
on the host's device, one batch after the other."""
from tensorflow.framework import devices


class Plan:
    def __init__(self, device=None, steps=1, replicas=1, accumulation=1, adapt=None, strategy=None, sum_accumulated=True,
                 stages=None, pipelined=True, placement=None, sums_results=False, norm_replicas=1):
        self._device = device
        self.steps, self.replicas, self.accumulation = steps, replicas, accumulation
        self.adapt, self.strategy, self.sum_accumulated = adapt, strategy, sum_accumulated
        self.stages = stages  # device_mapping of a pipeline: the IPU of each stage
        self.pipelined = pipelined  # or one stage after the other
        self.placement = placement  # of what a training keeps
        self.sums_results = sums_results  # of all batches of an execution
        self.norm_replicas = norm_replicas  # that share the statistics of batch norms

    @property
    def device(self):
        if self._device is None:
            self._device = devices.host()
        return self._device

    @property
    def share(self):
        """Of the replicas that several processes have; None: it is one process."""
        return None if self._device is None else self._device.share

    @property
    def all_replicas(self):
        return self.replicas if self.share is None else self.share.total

    def gathered(self, values):
        """A value of every batch and replica, [n, ...], with those of all processes."""
        return values if self.share is None else self.share.gathered(values, self.replicas)

    @property
    def batches(self):
        """Of one execution, of all replicas."""
        return self.steps * self.replicas

    @property
    def key(self):
        return (self.steps, self.replicas, self.accumulation, self.sums_results, id(self._device))


def plan_for(model, training):
    if model._strategy is not None:
        return model._strategy.plan(model, training)
    return Plan(steps=max(1, model._steps_per_execution))
