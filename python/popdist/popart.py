# SPDX-License-Identifier: MIT
"""PopART sessions of an instance that poprun started."""
import popart
from popart_core import runtime

import popdist


def configureSessionOptions(opts: popart.SessionOptions) -> popart.SessionOptions:
    """Sets what says which replicas are this instance's, and how many there are in all."""
    runtime.set_replicas(opts, popdist.getNumLocalReplicas(), popdist.getReplicaIndexOffset(), popdist.getNumTotalReplicas())
    return opts


def getDevice(ipus_per_replica: int = 0,
              connectionType: popart.DeviceConnectionType = popart.DeviceConnectionType.Always) -> popart.DeviceInfo:
    """The device with this instance's IPUs; ipus_per_replica 0: as many as poprun was told. With poprun --offline-mode one
    like it, that only compiles."""
    if ipus_per_replica:
        popdist.checkNumIpusPerReplica(ipus_per_replica)
    manager = popart.DeviceManager()
    if popdist._offline_mode():
        ipus = popdist.getNumLocalReplicas() * (ipus_per_replica or popdist.getNumIpusPerReplica())
        return manager.createOfflineIPUDevice({"numIPUs": ipus, "ipuVersion": popdist._ipu_version(manager)})
    if not popdist.isPopdistEnvSet():
        return manager.acquireAvailableDevice(max(1, ipus_per_replica), connectionType=connectionType)
    return manager.acquireDeviceById(popdist.getDeviceId(ipus_per_replica), connectionType=connectionType)
