# SPDX-License-Identifier: MIT
"""poptorch.Options of an instance that poprun started: its replicas, its device, its place among the processes."""
from typing import Any, Optional

import popart
import poptorch
from poptorch.options.groups import DistributedOptions

import popdist


def _refuse(name: str) -> Any:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise poptorch.Error(f"Cannot call `{name}` with popdist.poptorch.Options: poprun decides it. Use poprun's options "
                             "--num-replicas, --num-instances and --ipus-per-replica, or poptorch.Options.")
    refuse.__name__ = name
    return refuse


class _Distributed(DistributedOptions):
    """What poprun has set; fixed."""

    def __init__(self) -> None:
        super().__init__()
        self.distributed_process_id = popdist.getInstanceIndex()
        self.num_distributed_processes = popdist.getNumInstances()

    def setEnvVarNames(self, var_num_processes: str, var_process_id: str) -> Any:
        if (var_num_processes, var_process_id) != ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"):  # the base's first call
            _refuse("Distributed.setEnvVarNames")(self)

    disable = _refuse("Distributed.disable")
    configureProcessId = _refuse("Distributed.configureProcessId")


class Options(poptorch.Options):
    """poptorch.Options with replication, device and processes as poprun says. ipus_per_replica: what the model uses, if
    that is to be compared with poprun's --ipus-per-replica. Without poprun: those of one process."""

    def __init__(self, ipus_per_replica: Optional[int] = None) -> None:
        if ipus_per_replica is not None and popdist.isPopdistEnvSet():
            popdist.checkNumIpusPerReplica(ipus_per_replica)
        super().__init__()
        self.__dict__["_distributed"] = _Distributed()
        self.replication_factor = popdist.getNumLocalReplicas()
        if popdist.isPopdistEnvSet():
            popdist.init()
            if popdist._offline_mode():
                version = popdist._ipu_version(popart.DeviceManager())
                self.useOfflineIpuTarget(int("".join(c for c in version if c.isdigit())))
            else:
                self.ipu_id = popdist.getDeviceId(ipus_per_replica or 0)

    def _shareOfReplicas(self) -> "tuple[int, int]":
        return popdist.getReplicaIndexOffset(), popdist.getNumTotalReplicas()

    replicationFactor = _refuse("replicationFactor")
    useIpuId = _refuse("useIpuId")
