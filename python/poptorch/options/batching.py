# SPDX-License-Identifier: MIT
"""How many rows go into a call, and how many come back. Pure functions of the options.

B rows are one micro-batch. A call takes B x D x A x G rows along the first axis (device iterations, accumulation steps,
groups of replicas that get different input), outermost first: device iteration, accumulation step, replica, row.
"""
from typing import NamedTuple

from poptorch.enums import CommGroupType, OutputMode
from poptorch.errors import require


def inputGroups(options) -> int:
    """Groups of replicas that read rows of their own: all replicas, unless inputReplicaGrouping makes some share."""
    replicas, size = options.replication_factor, options.input_group_size
    if replicas % size:
        raise ValueError(f"inputReplicaGrouping: groups of {size} do not divide replicationFactor({replicas}).")
    return replicas // size


def microBatches(options, training: bool = True) -> int:
    """Micro-batches that a call takes: D x A x G."""
    accumulation = options.Training.gradient_accumulation if training else 1
    return options.device_iterations * accumulation * inputGroups(options)


def checkBatch(options, shape, name: str = "", training: bool = True) -> int:
    """The rows of one micro-batch of an input of this shape; AssertionError if they do not come out even. A 0-d input
    is given to every micro-batch as it is, and counts as 1."""
    parts = microBatches(options, training)
    if len(shape) == 0:
        return 1
    rows = shape[0]
    if rows % parts:
        accumulation = options.Training.gradient_accumulation if training else 1
        raise AssertionError(
            f"Invalid batch dimension: the input tensor {name + ' ' if name else ''}has {rows} rows, which must be a "
            f"multiple of {parts}: deviceIterations ({options.device_iterations}) x replicationFactor "
            f"({inputGroups(options)} groups that get different input) x gradientAccumulation ({accumulation}).")
    return rows // parts


def outputMode(options, training: bool) -> OutputMode:
    """The mode, with Default resolved."""
    if options.output_mode != OutputMode.Default:
        return OutputMode(options.output_mode)
    return OutputMode.Final if training else OutputMode.All


def outputMultiplier(options, training: bool, mode: "OutputMode | None" = None, period: "int | None" = None) -> int:
    """How many times the rows of one micro-batch's result come back."""
    mode = outputMode(options, training) if mode is None else mode
    replicas = options.replication_factor
    if mode in (OutputMode.Final, OutputMode.Sum):
        return replicas
    accumulation = options.Training.gradient_accumulation if training else 1
    iterations = options.device_iterations
    if mode == OutputMode.EveryN:
        period = options.output_return_period if period is None else period
        require(iterations % period == 0, f"OutputMode.EveryN: the period {period} does not divide "
                f"deviceIterations({iterations}).")
        iterations //= period
    return iterations * accumulation * replicas


def outputShape(shape, multiplier: int) -> tuple:
    """The shape that a result of this shape has on the host; a scalar stays one unless several come back."""
    if not shape:
        return () if multiplier == 1 else (multiplier,)
    return (shape[0] * multiplier, *shape[1:])


def spread(options, values, training: bool) -> list:
    """Inputs with rows of their own for every replica: those of a group get the same."""
    if options.input_group_size == 1:
        return list(values)
    steps = options.device_iterations * (options.Training.gradient_accumulation if training else 1)
    groups = inputGroups(options)
    of_replica = [inputRows(options, 1, 0, 0, replica, training).first for replica in range(options.replication_factor)]

    def spread_one(value):
        if not value.dim():
            return value
        parts = value.reshape(steps, groups, -1, *value.shape[1:])
        return parts[:, of_replica].reshape(-1, *value.shape[1:])

    return [spread_one(value) for value in values]


class Rows(NamedTuple):
    """Where one replica's micro-batch lies among the rows of a call."""
    first: int
    count: int  # type: ignore[assignment]  # hides that of tuples


def inputRows(options, batch_size: int, iteration: int, step: int, replica: int, training: bool = True) -> Rows:
    """The rows that a replica reads in a device iteration and accumulation step."""
    groups = inputGroups(options)
    accumulation = options.Training.gradient_accumulation if training else 1
    consecutive = options.input_cgt == CommGroupType.Consecutive
    group = replica // options.input_group_size if consecutive or groups == options.replication_factor else replica % groups
    return Rows(((iteration * accumulation + step) * groups + group) * batch_size, batch_size)
