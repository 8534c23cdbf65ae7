# SPDX-License-Identifier: MIT
"""IPUConfig: what the IPU system is to be."""
import popart

from tensorflow.framework.devices import Device

_devices = {}


class IPUConfig:
    auto_select_ipus = 1

    def configure_ipu_system(self, device="cpu"):
        _devices.clear()
        info = popart.DeviceManager().acquireAvailableDevice(1)
        _devices[0] = Device(info)


def device(index):
    return _devices[index]
