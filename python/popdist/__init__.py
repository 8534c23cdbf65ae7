# SPDX-License-Identifier: MIT
"""What a process that poprun started knows of the others. popdist.popart and popdist.poptorch set up sessions and models."""
import os
from typing import Any, Callable, Container

from openipu import loading as _loading

with _loading.of("popdist/_core", __file__):
    from popdist._core import (_all_gather, _broadcast, _gather, checkNumIpusPerReplica, defaultCommunicatorId,
                               finalizeBackend, getDeviceId, getInstanceIndex, getLocalInstanceIndex, getNumInstances,
                               getNumIpusPerReplica, getNumLocalReplicas, getNumTotalReplicas, getReplicaIndexOffset,
                               getUniformReplicasPerInstance, initializeBackend, isBackendInitialized, isPopdistEnvSet,
                               registerBackend, registerCommunicator)


def init() -> None:
    """Meets the other instances that poprun started; an error says so if this process was started without it."""
    if not isPopdistEnvSet():
        raise RuntimeError("popdist.init(): this process was not started by poprun. Start it with `poprun --num-instances N "
                           "... python3 script.py`.")
    if getNumInstances() > 1:
        initializeBackend()


def _offline_mode() -> bool:
    """Whether poprun --offline-mode started this process: it compiles, and attaches no device."""
    return os.environ.get("POPDIST_OFFLINE_MODE") == "1"


def _ipu_version(manager: Any) -> str:
    """Of this machine's IPUs, which need not be free; GC200's where there are none."""
    found = manager.enumerateDevices()
    return found[0].ipuVersion if found else "ipu2"


def execute_on_instances(instances: Container[int], function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls the function if this instance is one of these, and returns what it returns; else None."""
    return function(*args, **kwargs) if getInstanceIndex() in instances else None
