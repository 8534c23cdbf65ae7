# SPDX-License-Identifier: MIT
"""What a process that poprun started knows of the others. Collectives between them are not there yet."""
try:
    from popdist._core import *  # noqa: F401,F403
    from popdist._core import getInstanceIndex as _instance, isPopdistEnvSet as _is_set
except ModuleNotFoundError as e:
    if e.name != "popdist._core":
        raise
    raise ImportError("popdist is built for /usr/bin/python3: run that one.") from None


def init():
    """Reads what poprun has set up; an error says so if this process was started without it."""
    if not _is_set():
        raise RuntimeError("popdist.init(): this process was not started by poprun. Start it with `poprun --num-instances N ... python3 script.py`.")


def execute_on_instances(instances, function, *args, **kwargs):
    """Calls the function if this instance is one of these, and returns what it returns; else None."""
    return function(*args, **kwargs) if _instance() in instances else None
