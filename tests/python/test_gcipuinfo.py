# SPDX-License-Identifier: MIT
"""The machine as programs that monitor see it."""
import json
import os

import gcipuinfo
import popart


def test_devices_tell_who_holds_them():
    info = gcipuinfo.gcipuinfo()
    info.setUpdateMode(True)
    device = popart.DeviceManager().acquireAvailableDevice(2)
    try:
        devices = info.getDevices()
        held = [d for d in devices if d.get("user process id") == str(os.getpid())]
        assert {d["id"] for d in held} >= {str(device.id)}
        assert int(devices[0]["clock"][:-3]) == 1330
        assert len(info.getNamedAttributeForAll(gcipuinfo.IpuPower)) == len(devices)
        assert gcipuinfo.gcipuinfo.IpuPower == "ipu power"
    finally:
        device.detach()
    assert all("user process id" not in d for d in info.getDevices())
    assert json.loads(info.checkHealthOfDevices()) == {}
