# SPDX-License-Identifier: MIT
"""What a process that poprun started knows of the others. popdist.popart and popdist.poptorch set up sessions and models."""
import os

try:
    from popdist._core import *  # noqa: F401,F403
    from popdist._core import getInstanceIndex as _instance, initializeBackend as _start, isPopdistEnvSet as _is_set
    from popdist._core import getNumInstances as _instances
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


def _refuse_offline_mode():
    if os.environ.get("POPDIST_OFFLINE_MODE") == "1":
        raise RuntimeError("poprun --offline-mode compiles programs of Paddle only. With PopART take DeviceManager."
                           "createOfflineIPUDevice, with PopTorch Options.useOfflineIpuTarget and compileAndExport, without "
                           "poprun.")


def execute_on_instances(instances, function, *args, **kwargs):
    """Calls the function if this instance is one of these, and returns what it returns; else None."""
    return function(*args, **kwargs) if _instance() in instances else None
