# SPDX-License-Identifier: MIT
"""Tables in the host's memory: the device asks the host for rows while a program runs, and sends their gradients back, which
the host's optimiser applies at once."""
from __future__ import annotations

import contextlib
from typing import Any, Iterator, Sequence

import numpy as np

from tensorflow.framework import dtypes
from tensorflow.framework.context import active, eagerly
from tensorflow.framework.custom_gradients import custom_gradient
from tensorflow.framework.errors import FailedPreconditionError, InvalidArgumentError
from tensorflow.framework.host_calls import host_call
from tensorflow.framework.operations import Operation
from tensorflow.framework.tensors import EagerTensor, Tensor, convert_to_tensor
from tensorflow.framework.typed import DTypeLike, InitializerLike, RateLike, ShapeLike, TensorLike
from tensorflow.framework.variables import Variable
from tensorflow.keras import initializers as _initializers
from tensorflow.python.ipu import flags as _flags
from tensorflow.python.ipu import system as _system
from tensorflow.python.ipu.synthetic import filled as _filled


class HostEmbeddingOptimizerSpec:
    """Rows change by gradient descent, with the gradients of every batch and replica as they come."""

    def __init__(self, learning_rate: RateLike, optimizer_name: str | None = None) -> None:
        self._rate, self._optimizer_name = learning_rate, optimizer_name
        if isinstance(learning_rate, (int, float)) and learning_rate < 0:
            raise ValueError(f"learning_rate must not be negative; it is {learning_rate}.")

    def get_learning_rate(self) -> Any:
        """The rate of updates."""
        return self._rate

    def create_slot_variables(self, embedding_variable: TensorLike, collections: Sequence | None = None) -> list:
        """The states that the optimizer keeps for a table."""
        return []

    def _rate_now(self):
        return float(self._rate.numpy() if hasattr(self._rate, "numpy") else self._rate)

    def _updater(self, table):
        return lambda rows, gradients, replicas: _descend(table, rows, gradients, self._rate_now())


class HostEmbeddingSGDGAOptimizerSpec(HostEmbeddingOptimizerSpec):
    """The same with the gradients of accumulation_factor batches, of all replicas, added up."""

    def __init__(self, learning_rate: RateLike, accumulation_factor: int, optimizer_name: str | None = None) -> None:
        super().__init__(learning_rate, optimizer_name)
        if accumulation_factor < 1:
            raise ValueError(f"accumulation_factor must be at least 1; it is {accumulation_factor}.")
        self._factor = int(accumulation_factor)

    def get_accumulation_factor(self) -> Any:
        """Micro-batches of one update."""
        return self._factor

    def _updater(self, table):
        waiting = []

        def update(rows, gradients, replicas):
            waiting.append((rows.copy(), gradients.copy()))
            if len(waiting) == self._factor * replicas:
                _descend(table, *map(np.concatenate, zip(*waiting)), self._rate_now())
                waiting.clear()
        return update


def _descend(table, rows, gradients, rate):
    """Rows that come several times add their gradients up first."""
    if not len(rows):
        return
    order = np.argsort(rows, kind="stable")
    rows, starts = np.unique(rows[order], return_index=True)
    table.fetch()
    table.memory[rows] -= (rate * np.add.reduceat(gradients[order].astype(np.float32), starts)).astype(table.memory.dtype)
    table.version += 1


class HostEmbedding:
    """Made by create_host_embedding. embedding_tensor: the variable of the table. trainable_variables: what a list of variables
    to differentiate by must have in it so that the table is trained; minimize() without a list has it."""

    def __init__(self, name: str, embedding_tensor: TensorLike, partition_strategy: str = "TOKEN",
                 optimizer_spec: HostEmbeddingOptimizerSpec | HostEmbeddingSGDGAOptimizerSpec | float | None = None) -> None:
        if partition_strategy not in ("TOKEN", "ENCODING"):
            raise ValueError(f"Unknown partition strategy {partition_strategy!r}: it is TOKEN or ENCODING.")
        if embedding_tensor.shape.rank != 2:
            raise ValueError(f"A host embedding is a table of [rows, columns]; {name} has shape {embedding_tensor.shape}.")
        if optimizer_spec is not None and not isinstance(optimizer_spec, HostEmbeddingOptimizerSpec):
            raise TypeError(f"optimizer_spec must be a HostEmbeddingOptimizerSpec, not {type(optimizer_spec).__name__}.")
        self._name, self.embedding_tensor, self._spec = name, embedding_tensor, optimizer_spec
        self._update_rows = None if optimizer_spec is None else optimizer_spec._updater(embedding_tensor)
        self._anchor = None if optimizer_spec is None else Variable(np.float32(0), True, name=f"{name}/anchor")

    name = property(lambda self: self._name)
    trainable_variables = property(lambda self: [] if self._anchor is None else [self._anchor])

    def lookup(self, indices: TensorLike, count: int = 1, clip_indices: bool = True) -> Tensor:
        """Rows of the table: [*indices, columns]. clip_indices: those outside of the table are its first or last."""
        if count != 1:
            raise NotImplementedError(f"HostEmbedding.lookup: count={count} is not there: call it once for each lookup.")
        indices = convert_to_tensor(indices)
        if not indices.dtype.is_integer:
            raise TypeError(f"HostEmbedding.lookup: indices must be whole numbers, not {indices.dtype.name}.")
        if active() is not None and _several_processes():
            raise NotImplementedError("Host embeddings of several processes are not there: each would train a table of its "
                                      "own.")
        table = self.embedding_tensor
        shape = [*indices.shape.as_list(), table.shape[1]]
        if active() is not None and _is_synthetic():
            return convert_to_tensor(EagerTensor(_filled(shape, table.dtype.as_numpy_dtype)))

        def rows_of(arrays, replicas):
            return [self._rows(self._checked(arrays[0], clip_indices))]

        def update(arrays, replicas):
            rows = self._checked(arrays[0], clip_indices)
            self._update_rows(rows.reshape(-1), arrays[1].reshape(-1, arrays[1].shape[-1]), replicas)
            return [np.float32(0)]

        @custom_gradient
        def looked_up(anchor):
            rows, = host_call(rows_of, [indices], [(table.dtype, shape)], f"{self._name}/lookup")
            return rows, lambda dy: host_call(update, [indices, dy], [(dtypes.float32, ())], f"{self._name}/update")[0]
        if self._anchor is None:
            return host_call(rows_of, [indices], [(table.dtype, shape)], f"{self._name}/lookup")[0]
        return looked_up(convert_to_tensor(self._anchor))

    def _rows(self, indices):
        table = self.embedding_tensor
        if not table.initialized:
            raise FailedPreconditionError(None, None, f"The host embedding {self._name} is not initialized. Run "
                                          "tf.global_variables_initializer() first.")
        table.fetch()
        return table.memory[indices]

    def _checked(self, indices, clip):
        last = self.embedding_tensor.shape[0] - 1
        if clip:
            return np.clip(indices, 0, last)
        if indices.size and (indices.min() < 0 or indices.max() > last):
            raise InvalidArgumentError(None, None, f"The host embedding {self._name} has rows 0 to {last}; indices from "
                                       f"{indices.min()} to {indices.max()} were looked up. Use clip_indices=True.")
        return indices

    def __call__(self, iteration_count: int = 1, replication_factor: int = 1, training: bool = True) -> Operation:
        """An operation to run together with the program. The host answers whether it is run or not."""
        return Operation(active(), f"{self._name}/serve")

    @contextlib.contextmanager
    def register(self, session: Any = None) -> Iterator:
        """While programs run that look rows up. The host answers inside of it and outside."""
        yield self


def _is_synthetic():
    return _flags.current().synthetic_for("hostembedding")


def _several_processes():
    return _system.value("experimental.multi_replica_distribution.process_count") > 1


def create_host_embedding(name: str, shape: ShapeLike, dtype: DTypeLike, partition_strategy: str = "TOKEN",
                          optimizer_spec: HostEmbeddingOptimizerSpec | HostEmbeddingSGDGAOptimizerSpec | float | None = None,
                          initializer: InitializerLike = None) -> HostEmbedding:
    """A table of [rows, columns] in the host's memory. optimizer_spec: how it is trained; None: not."""
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.float32, dtypes.float16):
        raise ValueError(f"A host embedding is of float32 or float16, not {kind.name}.")
    draw = _initializers.get(initializer if initializer is not None else "glorot_uniform")
    with eagerly():
        values = draw(tuple(int(d) for d in shape), dtype=kind)
    return HostEmbedding(name, Variable(values, False, name=name, dtype=kind), partition_strategy, optimizer_spec)
