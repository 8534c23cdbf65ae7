# SPDX-License-Identifier: MIT
"""What attributes of IPUConfig may be, where it is neither a number nor a text."""
from __future__ import annotations

import enum
from tensorflow.framework.typed import TensorLike
from typing import Any


class SelectionOrder(enum.Enum):
    """Which of several free devices is taken."""
    AUTO, ZIGZAG, SNAKE, HOOF = range(4)


class DeviceConnectionType(enum.Enum):
    """When IPUs are taken: at once, when they are needed, or never."""
    ALWAYS, ON_DEMAND, PRE_COMPILE, NEVER = range(4)


class MergeRemoteBuffersBehaviour(enum.Enum):
    """Whether remote buffers of one shape become one."""
    NO_MERGING, MERGE, IF_BENEFICIAL = range(3)


class SchedulingAlgorithm(enum.Enum):
    """How operations are put in order."""
    CHOOSE_BEST, CLUSTERING, POST_ORDER, LOOK_AHEAD, SHORTEST_PATH = range(5)


class StochasticRoundingBehaviour(enum.Enum):
    """Where stochastic rounding is on."""
    OFF, ON, REPLICA_IDENTICAL_ONLY = range(3)

    @classmethod
    def from_bool(cls, value: TensorLike) -> Any:
        """ON for True, OFF for False."""
        return cls.ON if value else cls.OFF


class ExecutionProfileType(enum.Enum):
    """What is measured while programs run."""
    NO_PROFILE, DEVICE_PROFILE, IPU_PROFILE, TILE_PROFILE = range(4)
