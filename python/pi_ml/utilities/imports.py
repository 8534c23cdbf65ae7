# SPDX-License-Identifier: MIT
"""What is there, by Lightning's names: asked when it is wanted, as the answer needs poptorch."""
import importlib.util

from pi_ml.accelerators import IPUAccelerator


def __getattr__(name):
    if name == "_IPU_AVAILABLE":
        return IPUAccelerator.is_available()
    if name == "_POPTORCH_AVAILABLE":
        return importlib.util.find_spec("poptorch") is not None
    raise AttributeError(f"module 'pi_ml.utilities.imports' has no attribute {name!r}")
