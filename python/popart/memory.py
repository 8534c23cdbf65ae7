# SPDX-License-Identifier: MIT
"""What a front end tells of a program that would not fit an IPU's memory: sessions that may run out of it
(debug.allowOutOfMemory) run here all the same."""
import popart_core
from popart_core import DeviceType


def advice(session, device):
    """What to say once a session is compiled; "" if it fits, or the device is no IPU."""
    if device.type != DeviceType.Ipu:
        return ""
    *_, limit, fullest = popart_core.modelled_step(session)
    if fullest <= limit:
        return ""
    return (f"The model does not fit the IPU's memory: the fullest tile needs {fullest:,} bytes of {limit:,}. It runs here all "
            "the same. Use float16, a smaller batch, more IPUs or recomputation; the engine option "
            "debug.allowOutOfMemory=false makes this an error that names the largest variables.")
