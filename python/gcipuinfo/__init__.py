# SPDX-License-Identifier: MIT
"""The simulated IPUs for programs that monitor them: `gcipuinfo.gcipuinfo().getDevices()`."""
from openipu import loading as _loading

with _loading.of("gcipuinfo/_core", __file__):
    from gcipuinfo._core import *
