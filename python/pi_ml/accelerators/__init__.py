# SPDX-License-Identifier: MIT
"""What a trainer runs on: IPUs or the CPU."""


class Accelerator:
    """A kind of device."""

    name = ""

    @staticmethod
    def parse_devices(devices):
        return devices

    @staticmethod
    def is_available():
        return True


class CPUAccelerator(Accelerator):
    name = "cpu"

    @staticmethod
    def auto_device_count():
        return 1


class IPUAccelerator(Accelerator):
    """IPUs of the simulated machine."""

    name = "ipu"

    @staticmethod
    def auto_device_count():
        return 4

    @staticmethod
    def get_parallel_devices(devices):
        return list(range(devices))

    @staticmethod
    def is_available():
        try:
            import poptorch  # may be missing
        except ImportError:
            return False
        return poptorch.ipuHardwareIsAvailable()


def made(kind):
    """The accelerator of a name."""
    return {"cpu": CPUAccelerator, "ipu": IPUAccelerator}[kind]()
