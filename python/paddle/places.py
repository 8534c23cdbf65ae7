# SPDX-License-Identifier: MIT
"""Where programs run."""
from __future__ import annotations

import os
from typing import Any

import popart


class _Place:
    _name = ""

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self).__name__)

    def __repr__(self):
        return f"Place({self._name})"


class CPUPlace(_Place):
    """The CPU: the same operators, without IPUs."""
    _name = "cpu"


class IPUPlace(_Place):
    """IPUs; a program runs there when it was compiled with IpuCompiledProgram."""
    _name = "ipu"


def cpu_places(device_count: Any = None) -> list:
    """CPUPlaces; as many as are asked for, or one."""
    return [CPUPlace() for _ in range(device_count or int(os.environ.get("CPU_NUM", 1)))]


def ipu_count():
    return len(popart.DeviceManager().enumerateDevices(popart.SyncPattern.Full, 1))


_device = "cpu"


def set_device(device: str) -> CPUPlace | IPUPlace:
    """"cpu" or "ipu"."""
    global _device
    if device not in ("cpu", "ipu"):
        raise ValueError(f"The device must be 'cpu' or 'ipu', not {device!r}: this package has no others.")
    _device = device
    return IPUPlace() if device == "ipu" else CPUPlace()


def get_device() -> str:
    """The device that operators compute on now."""
    return "cpu" if _device == "cpu" else f"ipus:{{0-{max(ipu_count() - 1, 0)}}}"


def is_compiled_with_ipu() -> bool:
    """True."""
    return True


def is_compiled_with_cuda() -> bool:
    """False."""
    return False


def is_compiled_with_xpu() -> bool:
    """False."""
    return False


def is_compiled_with_npu() -> bool:
    """False."""
    return False


def is_compiled_with_rocm() -> bool:
    """False."""
    return False
