# SPDX-License-Identifier: MIT
"""paddle.device."""
from __future__ import annotations

from ..places import (CPUPlace, IPUPlace, get_device, is_compiled_with_cuda, is_compiled_with_ipu, is_compiled_with_npu,
                      is_compiled_with_rocm, is_compiled_with_xpu, set_device)
from .._names import refuse_unknown


def get_all_device_type() -> list:
    """Kinds of device that there are: "cpu" and "ipu"."""
    return ["cpu", "ipu"]


refuse_unknown(__name__)
