# SPDX-License-Identifier: MIT
"""paddle.distributed: which of the processes that poprun has started this one is. Their replicas train one model where
IpuStrategy says enable_distribution."""
from __future__ import annotations

import os
from typing import Any

from . import launch
from .._names import refuse_unknown


def _number(name, otherwise):
    value = os.environ.get(name, "")
    return int(value) if "POPDIST_NUM_TOTAL_REPLICAS" in os.environ and value.isdigit() else otherwise


def get_rank(group: Any = None) -> int:
    """The number of this process, from 0."""
    return _number("OMPI_COMM_WORLD_RANK", 0)


def get_world_size(group: Any = None) -> int:
    """Processes that share the work."""
    return _number("OMPI_COMM_WORLD_SIZE", 1)


refuse_unknown(__name__)
