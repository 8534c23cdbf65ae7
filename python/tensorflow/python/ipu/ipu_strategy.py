# SPDX-License-Identifier: MIT
"""IPUStrategy: models and functions of its scope run on the IPUs of the configuration."""
from __future__ import annotations

import contextlib
from typing import Any, Sequence

from tensorflow.data.dataset import Iterator
from tensorflow.framework import nest
from tensorflow.framework.context import active, current
from tensorflow.framework.tensors import Tensor
from tensorflow.framework.typed import AxisLike, DatasetLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.ops.functions import Function
from tensorflow.python.ipu import config


class IPUStrategyV1:
    """Programs made in its scope run on IPUs."""
    def __init__(self, ipu_device: str = "/device:IPU:0", cpu_device: str = "/device:CPU:0",
                 enable_dataset_iterators: bool = True, enable_keras_extensions: bool = True):
        if ":IPU:" not in ipu_device.upper():
            raise ValueError(f"ipu_device must name an IPU, such as /device:IPU:0, not {ipu_device!r}.")
        if not enable_keras_extensions:
            raise NotImplementedError("IPUStrategy(enable_keras_extensions=False) is not there; docs/tensorflow.md lists what "
                                      "is.")
        self._iterators = bool(enable_dataset_iterators)
        self._ipu_device, self._cpu_device = ipu_device, cpu_device
        self._index = int(ipu_device.rsplit(":", 1)[1])

    @property
    def device(self) -> Any:
        """The IPU device it stands for."""
        return config.device(self._index)

    @contextlib.contextmanager
    def scope(self) -> Iterator:
        """While open, Keras models and tf.functions are for this strategy."""
        before = current.strategy
        if before is not None and before is not self:
            raise RuntimeError("Mixing different tf.distribute.Strategy objects: another strategy's scope is open.")
        current.strategy = self
        try:
            yield self
        finally:
            current.strategy = before

    num_replicas_in_sync = 1
    extended = property(lambda self: self)

    def run(self, fn: Function, args: Sequence = (), kwargs: dict | None = None,
            options: Any = None) -> Tensor | list | tuple | None:
        """A tf.function on the IPU."""
        if not isinstance(fn, Function):
            raise ValueError("IPUStrategy does not support eager execution. Please pass a function that is wrapped with "
                             "`tf.function`.")
        kwargs = kwargs or {}
        for t in nest.flatten((list(args), kwargs)):
            if isinstance(t, (Tensor, Variable)) and t.dtype.name in ("float64", "complex64", "complex128", "string"):
                raise TypeError(f"Unsupported data type for input: {t.dtype.name}. Use tf.float32.")
        if not self._iterators and any(isinstance(t, Iterator) for t in nest.flatten((list(args), kwargs))):
            raise ValueError("With enable_dataset_iterators=False iterators of data sets stay on the host: pass what "
                             "next(iterator) gives, or leave the argument out.")
        if active() is not None:
            return fn(*args, **kwargs)
        from tensorflow.python.ipu.function_program import FunctionProgram  # import time
        before, current.strategy = current.strategy, self
        try:
            return fn.run(self.device, tuple(args), kwargs, lambda f, a, k: FunctionProgram(f, a, k, self._index))
        finally:
            current.strategy = before

    def reduce(self, reduce_op: str, value: TensorLike, axis: AxisLike | None = None) -> Any:
        """One value of those of all replicas."""
        return value

    def experimental_distribute_dataset(self, dataset: DatasetLike, options: Any = None) -> Any:
        """The dataset itself."""
        return dataset

    def experimental_local_results(self, value: TensorLike) -> tuple:
        """The values of this process's replicas, as a tuple."""
        return (value,)

    # ---- Keras

    def plan(self, model: Any, training: bool) -> Any:
        """How Keras runs a model: IPUs, stages, replicas and batches of a step."""
        from tensorflow.python.ipu import keras_plan  # import time
        return keras_plan.plan_of(self, model, training)

    def refuse_left_over(self, model: Any, plan: Any, feed: Any, batches: int, rows: int) -> None:
        """Raises ValueError: these batches fill no whole step."""
        from tensorflow.python.ipu import keras_plan  # import time
        keras_plan.refuse_left_over(model, plan, feed, batches, rows)

    def steps(self, model: Any, feed: Any, plan: Any, wanted: int | None, training: bool) -> int | None:
        """The steps of an epoch, after all that a static program needs was checked."""
        from tensorflow.python.ipu import keras_plan  # import time
        return keras_plan.steps_of(model, feed, plan, wanted, training)


IPUStrategy = IPUStrategyV1
IPUExtendedV1 = IPUStrategyV1
