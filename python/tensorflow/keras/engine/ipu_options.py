# SPDX-License-Identifier: MIT
"""What models of an IPUStrategy's scope can be told: accumulation, pipelining, replicas, queues."""
from tensorflow.framework.graphs import current


class IpuOptions:
    def _start_ipu_options(self):
        self._accumulation = None  # steps per replica
        self._accumulation_method = "sum"
        self._pipelining = {}
        self._replica_reduction = "NONE"
        self._asynchronous = False
        self._queue_options = {"infeed": {}, "outfeed": {}}

    def _pipeline_key(self):
        return (self._accumulation, self._accumulation_method, repr(sorted(self._pipelining.items(), key=str)))


def strategy_of(model, what):
    if model._strategy is None and current.strategy is None:
        raise RuntimeError(f"{what} can only be used with a model that was created inside an IPUStrategy's scope.")
