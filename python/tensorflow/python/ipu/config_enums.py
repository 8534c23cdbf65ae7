# SPDX-License-Identifier: MIT
"""What attributes of IPUConfig may be, where it is neither a number nor a text."""
import enum


class SelectionOrder(enum.Enum):
    AUTO, ZIGZAG, SNAKE, HOOF = range(4)


class DeviceConnectionType(enum.Enum):
    ALWAYS, ON_DEMAND, PRE_COMPILE, NEVER = range(4)


class MergeRemoteBuffersBehaviour(enum.Enum):
    NO_MERGING, MERGE, IF_BENEFICIAL = range(3)


class SchedulingAlgorithm(enum.Enum):
    CHOOSE_BEST, CLUSTERING, POST_ORDER, LOOK_AHEAD, SHORTEST_PATH = range(5)


class StochasticRoundingBehaviour(enum.Enum):
    OFF, ON, REPLICA_IDENTICAL_ONLY = range(3)

    @classmethod
    def from_bool(cls, value):
        return cls.ON if value else cls.OFF


class ExecutionProfileType(enum.Enum):
    NO_PROFILE, DEVICE_PROFILE, IPU_PROFILE, TILE_PROFILE = range(4)
