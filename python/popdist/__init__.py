# SPDX-License-Identifier: MIT
"""What a process that poprun started knows of the others. popdist.popart and popdist.poptorch set up sessions and models."""
import os

try:
    from popdist._core import *  # noqa: F401,F403
    from popdist._core import getInstanceIndex as _instance, initializeBackend as _start, isPopdistEnvSet as _is_set
    from popdist._core import _gather, getNumInstances as _instances  # noqa: F401
except ModuleNotFoundError as e:
    if e.name != "popdist._core":
        raise
    raise ImportError("popdist is built for /usr/bin/python3: run that one.") from None


def init():
    """Meets the other instances that poprun started; an error says so if this process was started without it."""
    if not _is_set():
        raise RuntimeError("popdist.init(): this process was not started by poprun. Start it with `poprun --num-instances N "
                           "... python3 script.py`.")
    if _instances() > 1:
        _start()


def _offline_mode():
    """Whether poprun --offline-mode started this process: it compiles, and attaches no device."""
    return os.environ.get("POPDIST_OFFLINE_MODE") == "1"


def _ipu_version(manager):
    """Of this machine's IPUs, which need not be free; GC200's where there are none."""
    found = manager.enumerateDevices()
    return found[0].ipuVersion if found else "ipu2"


def execute_on_instances(instances, function, *args, **kwargs):
    """Calls the function if this instance is one of these, and returns what it returns; else None."""
    return function(*args, **kwargs) if _instance() in instances else None
