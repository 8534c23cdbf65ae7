# SPDX-License-Identifier: MIT
"""What a trainer runs on: IPUs or the CPU."""
from __future__ import annotations

from typing import Any, List


class Accelerator:
    """A kind of device."""

    name = ""

    @staticmethod
    def parse_devices(devices: Any) -> Any:
        """The devices that a Trainer's argument means."""
        return devices

    @staticmethod
    def is_available() -> bool:
        """Whether this machine has such devices."""
        return True


class CPUAccelerator(Accelerator):
    """The host's processor."""
    name = "cpu"

    @staticmethod
    def auto_device_count() -> int:
        """1."""
        return 1


class IPUAccelerator(Accelerator):
    """IPUs of the simulated machine."""

    name = "ipu"

    @staticmethod
    def auto_device_count() -> int:
        """The number that devices="auto" means."""
        return 4

    @staticmethod
    def get_parallel_devices(devices: Any) -> List[int]:
        """Numbers of the replicas, from 0."""
        return list(range(devices))

    @staticmethod
    def is_available() -> bool:
        try:
            import poptorch  # may be missing
        except ImportError:
            return False
        return poptorch.ipuHardwareIsAvailable()


def made(kind: str) -> Any:
    """The accelerator of a name."""
    return {"cpu": CPUAccelerator, "ipu": IPUAccelerator}[kind]()
