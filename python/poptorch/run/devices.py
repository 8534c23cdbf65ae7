# SPDX-License-Identifier: MIT
"""The IPUs that a model runs on."""
import contextlib
import os

import popart
import popart_core
from popart_core import runtime

from poptorch.enums import ConnectionType
from poptorch.errors import createPoptorchError
from poptorch.options.strategies import ipusToReserve


def acquire(options, ipus_per_replica):
    """A device with the IPUs that the options ask for; poptorch.Error if there is none."""
    wanted = ipusToReserve(ipus_per_replica, options)
    if options.ipu_version is not None or options.connection_type == ConnectionType.Never:
        return runtime.offline(wanted, f"ipu{options.ipu_version or 2}")
    if options.usesIpuModel():
        return runtime.ipu_model(wanted, os.environ.get("POPTORCH_IPU_MODEL_VERSION", "ipu2"),
                                 4 if runtime.is_on("POPTORCH_SMALL_IPU_MODEL") else 0)
    connection = getattr(popart.DeviceConnectionType, ConnectionType(options.connection_type).name)
    chosen = "" if options.ipu_id is None else f"device with id {options.ipu_id} and "
    with _in_our_words(f"{chosen}{wanted} IPU(s)"):
        return runtime.acquire(wanted, options.ipu_id, popart.SyncPattern(int(options.sync_pattern)), connection, _waits())


def attach(device):
    """The same one again."""
    with _in_our_words(f"{device.numIpus} IPU(s)"):
        runtime.attach(device, _waits())


def _waits():
    return runtime.is_on("POPTORCH_WAIT_FOR_IPU")


@contextlib.contextmanager
def _in_our_words(what):
    try:
        yield
    except runtime.Unavailable as why:
        help_ = " Set POPTORCH_WAIT_FOR_IPU=1 to wait for one, or detachFromDevice() a model of this program."
        raise createPoptorchError(f"Failed to acquire {what}: {why}"
                                  + (help_ if isinstance(why, runtime.InUse) else "")) from None  # which says the same


def ipuHardwareIsAvailable(num_ipus: int = 1) -> bool:
    """Whether there is a device with this many IPUs, free or not."""
    try:
        return bool(popart.DeviceManager().enumerateDevices(popart.SyncPattern.Full, num_ipus))
    except popart_core.popart_exception:
        return False


def ipuHardwareVersion() -> int:
    """21 for Bow, 2 for GC200, 1 for GC2; 0 if there is none."""
    devices = popart.DeviceManager().enumerateDevices()
    digits = "".join(c for c in devices[0].ipuVersion if c.isdigit()) if devices else ""
    return int(digits) if digits else 0
