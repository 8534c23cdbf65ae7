# SPDX-License-Identifier: MIT
"""The enumerations. Their values are kept in files and compared with numbers, so they never change."""
import enum


class OutputMode(enum.IntEnum):
    """Which results of a call come back to the host."""
    Final = 0  # of the last micro-batch of every replica
    EveryN = 1  # of every n-th device iteration
    All = 2
    Sum = 3  # the sum over device iterations and accumulation steps
    Default = 4  # Final in training, All in inference


AnchorMode = OutputMode  # its name before version 2.4


class DataLoaderMode(enum.IntEnum):
    """Where a DataLoader loads."""
    Sync = 0  # in this process, or its workers
    Async = 1  # in a process of its own, ahead of use
    AsyncRebatched = 2  # the same; workers load small batches, which are put together


class SharingStrategy(enum.IntEnum):
    """How the loading process and this one pass tensors."""
    SharedMemory = 0
    FileSystem = 1
    Fork = 2
    ForkServer = 3


class ConnectionType(enum.IntEnum):
    """When a device is attached."""
    Always = 0
    OnDemand = 1
    Never = 2


class ReductionType(enum.IntEnum):
    """How gradients of micro-batches and replicas become one."""
    Sum = 0
    Mean = 1
    NoReduction = 2


class MeanReductionStrategy(enum.IntEnum):
    """When ReductionType.Mean divides."""
    Running = 0  # at every micro-batch: the accumulator holds the mean so far
    Post = 1  # once, at the end
    PostAndLoss = 2  # deprecated


class SyncPattern(enum.IntEnum):
    """Which IPUs wait for each other."""
    Full = 0
    SinglePipeline = 1
    ReplicaAndLadder = 2


class AutoStage(enum.IntEnum):
    """How blocks become stages when none are given."""
    SameAsIpu = 0  # the stage is the number of the block's IPU
    AutoIncrement = 1  # every new block is the next stage


class Liveness(enum.IntEnum):
    """When tensors of a SerialPhasedExecution are on the chip."""
    AlwaysLive = 0
    OffChipAfterFwd = 1
    OffChipAfterFwdNoOverlap = 2
    OffChipAfterEachPhase = 3


class MultiConvPlanType(enum.IntEnum):
    """Whether the convolutions of a MultiConv run at the same time."""
    Parallel = 0
    Serial = 1


class CommGroupType(enum.IntEnum):
    """Which of N replicas form groups of k."""
    All = 0
    Consecutive = 1  # 0..k-1, k..2k-1, ...
    Orthogonal = 2  # 0, N/k, 2N/k, ...
    NoGrouping = 3


class VariableRetrievalMode(enum.IntEnum):
    """Which replicas' values of a variable come back."""
    OnePerGroup = 0
    AllReplicas = 2


class HalfFloatCastingBehavior(enum.IntEnum):
    """What mixed float16 and float32 operands became before version 3.1; without effect."""
    FloatDowncastToHalf = 0
    HalfUpcastToFloat = 1
    Default = 2


class MatMulSerializationMode(enum.Enum):
    """Along which dimension serializedMatMul cuts."""
    InputChannels = "input_channels"
    ReducingDim = "reducing_dim"
    OutputChannels = "output_channels"
    Disabled = "none"


class OverlapMode(enum.Enum):
    """Whether transfers of an input or output run during the computation."""
    NoOverlap = "no_overlap"
    OverlapAccumulationLoop = "overlap_accumulation_loop"
    OverlapDeviceIterationLoop = "overlap_device_iteration_loop"
