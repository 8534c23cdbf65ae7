# SPDX-License-Identifier: MIT
"""The IPUs that a program runs on."""
import gc
import os
import weakref

import popart


_runners = weakref.WeakSet()


def take_turns(runner):
    """From here on the program gives its IPUs to others that need them; it takes them again when it runs."""
    _runners.add(runner)


def reattach(device, runner):
    """The same device once more."""
    others = [r for r in _runners if r is not runner]
    while not device.attach():
        if not others:
            raise RuntimeError(f"(Unavailable) Can't attach IPU, ipu_num = {device.numIpus}. They are in use: gc-monitor shows "
                               "by whom.")
        others.pop().detach()


def _available(manager, ipus, chosen=None):
    def found():
        return manager.tryAcquireAvailableDevice(ipus) if chosen is None else manager.tryAcquireDeviceById(chosen)
    device = found()
    if device is None:
        gc.collect()  # programs that nobody uses any more may wait to be collected, and hold theirs
        device = found()
    for runner in list(_runners):  # other programs of this process take turns with this one
        if device is not None:
            break
        runner.detach()
        device = found()
    return device


def make_room(ipus):
    """For somebody who acquires a device himself."""
    if os.environ.get("POPLAR_IPUMODEL", "0") in ("", "0"):
        device = _available(popart.DeviceManager(), ipus)
        if device is not None:
            device.detach()


def offline(ipus):
    """What is compiled for, where nothing runs: no IPU is needed."""
    return popart.DeviceManager().createOfflineIPUDevice({"numIPUs": ipus, "ipuVersion": "ipu2"})


def acquire(ipus, tiles_per_ipu, chosen=None):
    """A device of so many IPUs, or that of this id; POPLAR_IPUMODEL=1 makes an IPU Model of it."""
    manager = popart.DeviceManager()
    if os.environ.get("POPLAR_IPUMODEL", "0") not in ("", "0"):
        return manager.createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": tiles_per_ipu})
    device = _available(manager, ipus, chosen)
    if device is not None:
        return device
    if not manager.enumerateDevices():
        raise RuntimeError("(Unavailable) Do not found any IPU devices, please make sure Poplar sdk is enabled: "
                           "OPENIPU_NUM_IPUS says how many IPUs are simulated, gc-info -l lists them.")
    raise RuntimeError(f"(Unavailable) Can't attach IPU, ipu_num = {ipus}. They are in use (gc-monitor shows by whom), or "
                       "there is no device of so many IPUs: gc-info -l lists the devices.")
