# SPDX-License-Identifier: MIT
"""The IPUs that a model runs on."""
import gc
import itertools
import os
import time

import popart
import popart_core

from .enums import ConnectionType
from .errors import createPoptorchError
from .errors_translate import failures
from .strategies import ipusToReserve

taken = False  # whether this process has had IPUs
_versions = {1: "ipu1", 2: "ipu2", 21: "ipu21"}


def acquire(options, ipus_per_replica):
    """A device with the IPUs that the options ask for; poptorch.Error if there is none."""
    global taken
    taken = True
    wanted = ipusToReserve(ipus_per_replica, options)
    manager = popart.DeviceManager()
    connection = getattr(popart.DeviceConnectionType, ConnectionType(options.connection_type).name)
    pattern = popart.SyncPattern(int(options.sync_pattern))
    if options.ipu_version is not None:
        return manager.createOfflineIPUDevice({"numIPUs": wanted, "ipuVersion": _versions[options.ipu_version]})
    if options.connection_type == ConnectionType.Never:
        return manager.createOfflineIPUDevice({"numIPUs": wanted, "ipuVersion": "ipu2"})
    if options.usesIpuModel():
        return _ipu_model(manager, wanted)
    if options.ipu_id is not None:
        return _by_id(manager, options.ipu_id, wanted, pattern, connection)
    if options.connection_type == ConnectionType.OnDemand:
        return _promised(manager, wanted, pattern, connection)
    device = manager.tryAcquireAvailableDevice(wanted, 0, pattern, connection)
    if device is None:
        gc.collect()  # models that nobody uses any more may wait to be collected, and hold theirs
        device = manager.tryAcquireAvailableDevice(wanted, 0, pattern, connection)
    if device is not None:
        return device
    all_devices = manager.enumerateDevices(pattern, wanted)
    if not all_devices:
        raise _none(manager, wanted)
    if not _waits():
        raise createPoptorchError(
            f"Failed to acquire {wanted} IPU(s): all of the {len(all_devices)} devices with {wanted} IPU(s) are in "
            "use by other programs. Set POPTORCH_WAIT_FOR_IPU=1 to wait for one, or detachFromDevice() a model of "
            "this program.")
    return manager._acquireWhenFree(wanted)


def _waits():
    return os.environ.get("POPTORCH_WAIT_FOR_IPU", "0") not in ("", "0")


_promises = itertools.count()


def _promised(manager, wanted, pattern, connection):
    """A device to attach later: another one for every model, and one that is free now if there is."""
    found = manager.enumerateDevices(pattern, wanted)
    if not found:
        raise _none(manager, wanted)
    first = next(_promises) % len(found)
    for candidate in (*found[first:], *found[:first]):
        device = manager.tryAcquireDeviceById(candidate.id, pattern, connection)
        if device is not None and device.attach():
            device.detach()
            return device
    return manager.tryAcquireDeviceById(found[first].id, pattern, connection)


def _ipu_model(manager, wanted):
    settings = {"numIPUs": wanted, "ipuVersion": os.environ.get("POPTORCH_IPU_MODEL_VERSION", "ipu2")}
    if os.environ.get("POPTORCH_SMALL_IPU_MODEL", "0") not in ("", "0"):
        settings["tilesPerIPU"] = 4
    else:
        settings["tilesPerIPU"] = {"ipu1": 1216}.get(settings["ipuVersion"], 1472)
    return manager.createIpuModelDevice(settings)


def _try_id(manager, number, pattern, connection):
    """None if it is in use, or there is none."""
    try:
        return manager.tryAcquireDeviceById(number, pattern, connection)
    except failures:
        return None


def _by_id(manager, number, wanted, pattern, connection):
    device = _try_id(manager, number, pattern, connection)
    if device is None:
        gc.collect()
        device = _try_id(manager, number, pattern, connection)
    while device is None and _waits() and any(found.id == number for found in manager.enumerateDevices(pattern, wanted)):
        time.sleep(0.1)
        device = _try_id(manager, number, pattern, connection)
    if device is None:
        raise createPoptorchError(f"Failed to acquire device with id {number} and {wanted} IPU(s). gc-info -l lists "
                                  "the devices.")
    if device.numIpus < wanted:
        have = device.numIpus
        device.detach()
        raise createPoptorchError(f"The device with id {number} has {have} IPU(s), but the model needs {wanted}.")
    return device


def _none(manager, wanted):
    if not manager.enumerateDevices():
        return createPoptorchError(f"Failed to acquire {wanted} IPU(s): No IPU detected in the system. Are you sure "
                                   "the gc-monitor command shows some? OPENIPU_NUM_IPUS says how many are simulated.")
    return createPoptorchError(f"Failed to acquire {wanted} IPU(s): No device found on the system with {wanted} IPUs. "
                               "OPENIPU_NUM_IPUS says how many are simulated.")


def ipuHardwareIsAvailable(num_ipus=1):
    """Whether there is a device with so many IPUs, free or not."""
    try:
        return bool(popart.DeviceManager().enumerateDevices(popart.SyncPattern.Full, num_ipus))
    except popart_core.popart_exception:
        return False


def ipuHardwareVersion():
    """21 for Bow, 2 for GC200, 1 for GC2; 0 if there is none."""
    devices = popart.DeviceManager().enumerateDevices()
    digits = "".join(c for c in devices[0].ipuVersion if c.isdigit()) if devices else ""
    return int(digits) if digits else 0
