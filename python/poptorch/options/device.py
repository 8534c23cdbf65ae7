# SPDX-License-Identifier: MIT
"""The part of Options that says where a model runs."""
import os

from poptorch.enums import ConnectionType, SyncPattern
from poptorch.errors import createPoptorchError
from poptorch.options.base import Option, OptionSet, Own, mapping, member, texts
from poptorch.options.strategies import PipelinedExecution, Strategy


class DeviceOptions(OptionSet):
    """Which IPUs, how many, and when they are attached."""

    declared = {
        "auto_round_num_ipus": Option(False),
        "available_memory_proportion": Option({}),
        "ipu_model": Option(None, bool),
        "ipu_id": Option(None, int),
        "ipu_version": Option(None, int),
        "connection_type": Option(ConnectionType.Always),
        "sync_pattern": Option(SyncPattern.Full),
        "broadcast_buffers": Option(True),
        "updatable_named_buffers": Option(None, list),
    }

    def __init__(self):
        super().__init__()
        self.__dict__["_strategy"] = PipelinedExecution()

    @property
    def execution_strategy(self) -> Strategy:
        """How blocks become stages or phases."""
        return self._strategy

    _execution_strategy = execution_strategy  # the vendor's name

    def setExecutionStrategy(self: Own, strategy: Strategy) -> Own:
        """How a model is spread over IPUs: PipelinedExecution, ShardedExecution or phases."""
        self.checkIsFrozen()
        if not isinstance(strategy, Strategy):
            raise TypeError("setExecutionStrategy takes PipelinedExecution, ShardedExecution, SerialPhasedExecution or "
                            f"ParallelPhasedExecution, not {type(strategy).__name__} ({strategy!r}).")
        self.__dict__["_strategy"] = strategy
        return self

    def autoRoundNumIPUs(self: Own, auto_round_num_ipus: bool = True) -> Own:
        """More IPUs are reserved than are used, to make their number a power of two."""
        self.auto_round_num_ipus = auto_round_num_ipus
        return self

    def setAvailableMemoryProportion(self: Own, available_memory_proportion: dict) -> Own:
        """`{"IPU0": 0.2}`: share of an IPU's memory for what convolutions and products need for a moment."""
        for name, share in mapping("setAvailableMemoryProportion", available_memory_proportion).items():
            share = Option(0.0).checked("setAvailableMemoryProportion", share)
            if not str(name).startswith("IPU") or not str(name)[3:].isdigit():
                raise ValueError(f'setAvailableMemoryProportion: the keys are "IPU0", "IPU1" ..., not {name!r}.')
            if not 0 <= share <= 1:
                raise ValueError(f"setAvailableMemoryProportion: the share of {name} is between 0 and 1, not {share}.")
        self.available_memory_proportion = {name: float(share) for name, share in available_memory_proportion.items()}
        return self

    def _memoryOfIpus(self, ipus: int) -> dict:
        """The shares by the number of an IPU, for a model on this many."""
        shares = {int(name[len("IPU"):]): share for name, share in self.available_memory_proportion.items()}
        if shares and max(shares) >= ipus:
            raise createPoptorchError(f"setAvailableMemoryProportion names IPU{max(shares)}, but the model has "
                                      f"{ipus} IPU{'s, IPU0 to IPU' + str(ipus - 1) if ipus > 1 else ', IPU0'}.")
        return shares

    def useIpuModel(self: Own, use_model: bool) -> Own:
        """The IPU Model instead of a simulated system; stronger than `POPTORCH_IPU_MODEL`."""
        self.ipu_model = use_model
        return self

    def usesIpuModel(self) -> bool:
        """What useIpuModel said, else POPTORCH_IPU_MODEL or POPTORCH_SMALL_IPU_MODEL."""
        said: "bool | None" = self.ipu_model
        if said is not None:
            return said
        return any(os.environ.get(name, "0") not in ("", "0") for name in ("POPTORCH_IPU_MODEL", "POPTORCH_SMALL_IPU_MODEL"))

    def useIpuId(self: Own, ipu_id: int) -> Own:
        """The device with this number of gc-info."""
        self.ipu_id = ipu_id
        return self

    def useOfflineIpuTarget(self: Own, ipu_version: int = 2) -> Own:
        """Compiles for an IPU (1, 2 or 21) without one, and never attaches."""
        if ipu_version not in (1, 2, 21):
            raise ValueError(f"useOfflineIpuTarget: the version is 1, 2 or 21, not {ipu_version!r}.")
        self.ipu_version = ipu_version
        return self.connectionType(ConnectionType.Never)

    def connectionType(self: Own, connection_type: ConnectionType) -> Own:
        """When a device is attached."""
        self.connection_type = member("connectionType", ConnectionType, connection_type)
        return self

    def syncPattern(self: Own, sync_pattern: SyncPattern) -> Own:
        """Without effect: simulated IPUs wait for each other where their data does."""
        self.sync_pattern = member("syncPattern", SyncPattern, sync_pattern)
        return self

    def broadcastBuffers(self: Own, broadcast_buffers: bool = True) -> Own:
        """Without effect: replicas keep buffers of their own, which start alike; the host reads those of the first."""
        self.broadcast_buffers = broadcast_buffers
        return self

    def updatableNamedBuffers(self: Own, updatable_named_buffers: list) -> Own:
        """Buffers that `copyNamedBuffersToDevice` refreshes."""
        self.updatable_named_buffers = texts("updatableNamedBuffers", updatable_named_buffers)
        return self
