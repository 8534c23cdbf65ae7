# SPDX-License-Identifier: MIT
"""What is shown of a metric that several replicas have."""
import enum


class ReplicatedMetricReductionMethod(enum.Enum):
    """How the metrics of replicas become one."""
    NONE, LIST, SUM, MEAN = range(4)
