# SPDX-License-Identifier: MIT
"""PopDistStrategy: IPUStrategy in every process that poprun started. Variables begin alike, replicas of all processes train
together, and values of the host can be added up."""
from __future__ import annotations

from typing import Any

import numpy as np

from tensorflow.distribute import ReduceOp
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.typed import AxisLike, DatasetLike, TensorLike
from tensorflow.python.ipu.ipu_strategy import IPUStrategyV1


class PopDistStrategy(IPUStrategyV1):
    """A strategy for replicas in the processes that poprun started."""
    def __init__(self, ipu_device: str = "/device:IPU:0", add_ipu_cross_replica_reductions: bool = True,
                 enable_dataset_iterators: bool = True, enable_keras_extensions: bool = True) -> None:
        import popdist  # of processes that poprun starts alone
        if not add_ipu_cross_replica_reductions:
            raise NotImplementedError("PopDistStrategy(add_ipu_cross_replica_reductions=False) is not there: gradients of "
                                      "replicas are always averaged.")
        super().__init__(ipu_device, enable_dataset_iterators=enable_dataset_iterators,
                         enable_keras_extensions=enable_keras_extensions)
        self._popdist, self._instances, self._instance = popdist, popdist.getNumInstances(), popdist.getInstanceIndex()
        if popdist.isPopdistEnvSet():
            popdist.init()

    num_replicas_in_sync = property(lambda self: self._instances)

    @property
    def device(self) -> Any:
        """The IPU device of this process."""
        found = super().device
        if self._instances > 1 and found.share is None:
            raise ValueError("PopDistStrategy: the IPU system is configured for one process. Use "
                             "popdist.tensorflow.set_ipu_config(config) or strategy.update_ipu_config(config) before "
                             "config.configure_ipu_system().")
        return found

    def update_ipu_config(self, config: dict) -> None:
        """Says in a configuration which of the processes this is."""
        here = config.experimental.multi_replica_distribution
        here.process_index, here.process_count = self._instance, self._instances

    def first_values(self, array: Any) -> Any:
        """Of a variable: those of the first process."""
        if self._instances == 1:
            return array
        return np.frombuffer(self._popdist._broadcast(array.tobytes()), array.dtype).reshape(array.shape).copy()

    def reduce(self, reduce_op: str, value: TensorLike, axis: AxisLike | None = None) -> Tensor:
        """The sum or mean over processes; axis: over this axis of each value first."""
        how = ReduceOp[str(getattr(reduce_op, "value", reduce_op)).upper()]
        array = np.ascontiguousarray(convert_to_tensor(value).numpy())
        whole = array[None]
        if self._instances > 1:
            everybodys = np.frombuffer(self._popdist._all_gather(array.tobytes()), array.dtype)
            whole = everybodys.reshape(self._instances, *array.shape)
        over = (0,) if axis is None else (0, axis + 1 if axis >= 0 else axis)
        made = whole.sum(over, dtype=array.dtype) if how is ReduceOp.SUM else whole.mean(over).astype(array.dtype)
        return EagerTensor(np.asarray(made, array.dtype))

    def experimental_distribute_dataset(self, dataset: DatasetLike, options: Any = None) -> Any:
        """This process's part of the data."""
        return dataset.shard(self._instances, self._instance)
