# SPDX-License-Identifier: MIT
"""IPUConfig, and the system that one was applied to: TensorFlow's IPU devices, each a device of PopART."""
from __future__ import annotations

from typing import Any

from tensorflow.framework.logs import warning
from tensorflow.python.ipu import system
from tensorflow.python.ipu.config_enums import (DeviceConnectionType, ExecutionProfileType,  # noqa: F401
                                                MergeRemoteBuffersBehaviour, SchedulingAlgorithm, SelectionOrder,
                                                StochasticRoundingBehaviour)
from tensorflow.python.ipu.config_structure import Structure
from tensorflow.python.ipu.config_table import TABLE


class IPUConfig(Structure):
    """What the IPUs are to be; configure_ipu_system() applies it."""

    def __init__(self):
        super().__init__(TABLE)

    def _changed(self, name, value):
        if name in ("auto_select_ipus", "select_ipus"):
            other = "select_ipus" if name == "auto_select_ipus" else "auto_select_ipus"
            if value not in ([], ()) and self._own[other] not in ([], ()):
                raise ValueError("Only one of `auto_select_ipus` and `select_ipus` can be set.")

    def configure_ipu_system(self, device: str = "cpu") -> None:
        """Takes devices and settings from this configuration."""
        configure_ipu_system(self, device)


def configure_ipu_system(config: IPUConfig, device: str = "cpu", reset_configuration: bool = True) -> None:
    """Takes devices and settings from a configuration."""
    if not isinstance(config, IPUConfig):
        raise TypeError(f"config must be an IPUConfig, not {type(config).__name__}.")
    if system.configured():
        if not reset_configuration:
            raise RuntimeError("The IPU system is already configured.")
        warning("Resetting existing IPU configuration before applying new configuration")
        reset_ipu_configuration()
    system.configure(config)


def get_ipu_config(session: Any = None) -> list[bytes]:
    """One serialised configuration per IPU device."""
    if not system.configured():
        raise RuntimeError("No IPU devices configured.")
    return [system.configuration().to_json().encode()]


def reset_ipu_configuration() -> None:
    """Gives the IPUs back; programs that were compiled for them cannot run any more."""
    system.reset()


def device(index: int = 0) -> system.IpuDevice:
    """The IPU device of this number, as it is configured."""
    return system.device(index)
