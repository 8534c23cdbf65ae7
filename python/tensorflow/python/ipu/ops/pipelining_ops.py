# SPDX-License-Identifier: MIT
"""Pipelines of functions, one for each stage."""
import enum


class PipelineSchedule(enum.IntEnum):
    Grouped, Interleaved, Sequential = range(3)


class RecomputationMode(enum.Enum):
    Auto, RecomputeThenBackpropagate, RecomputeAndBackpropagateInterleaved = "Auto", "RTB", "RBI"
