# SPDX-License-Identifier: MIT
"""The simulated IPUs for programs that monitor them: `gcipuinfo.gcipuinfo().getDevices()`."""
try:
    from gcipuinfo._core import *
except ModuleNotFoundError as e:
    if e.name != "gcipuinfo._core":
        raise
    raise ImportError("gcipuinfo is built for /usr/bin/python3: run that one.") from None
