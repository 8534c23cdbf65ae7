# SPDX-License-Identifier: MIT
"""tf.config: the devices that there are."""
from __future__ import annotations

import collections

from tensorflow import _names

PhysicalDevice = collections.namedtuple("PhysicalDevice", "name device_type")
LogicalDevice = collections.namedtuple("LogicalDevice", "name device_type")
PhysicalDevice.__doc__ = "A device of this machine: the CPU, or a simulated IPU."
LogicalDevice.__doc__ = "A device that programs use: the CPU, or an IPU."


def _ipus():
    from tensorflow.python.ipu import system  # takes the IPU package, when it is asked for
    return range(len(system._now["devices"]))


def list_physical_devices(device_type: str | None = None) -> list:
    """The devices that operations can be placed on."""
    all_devices = [PhysicalDevice("/physical_device:CPU:0", "CPU")] + \
        [PhysicalDevice(f"/physical_device:IPU:{i}", "IPU") for i in _ipus()]
    return [d for d in all_devices if device_type in (None, d.device_type)]


def list_logical_devices(device_type: str | None = None) -> list:
    """The devices that operations can be placed on."""
    all_devices = [LogicalDevice("/device:CPU:0", "CPU")] + [LogicalDevice(f"/device:IPU:{i}", "IPU") for i in _ipus()]
    return [d for d in all_devices if device_type in (None, d.device_type)]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """True: functions run as plain Python."""
    if run_eagerly:
        raise NotImplementedError("tf.config.run_functions_eagerly(True) is not there: call python_function of a tf.function.")


class experimental:
    """Names of tf.config.experimental."""
    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)


_names.explain_missing(globals())
