# SPDX-License-Identifier: MIT
"""paddle.incubate."""
from __future__ import annotations

from typing import Any

from ..helper import LayerHelper
from .._names import refuse_unknown
from ..typed import TensorLike


def identity_loss(x: TensorLike, reduction: str = "none") -> Any:
    """Makes any variable the loss: its sum, its mean, or as it is."""
    numbers = {"sum": 0, "mean": 1, "none": 2}
    number = numbers.get(reduction, reduction)
    if number not in (0, 1, 2):
        raise Exception(f"Unsupported reduction type: {reduction!r}. It can be 'sum', 'mean' or 'none', or 0, 1, 2.")
    return LayerHelper("identity_loss").append("identity_loss", {"X": x}, {"reduction": number})


refuse_unknown(__name__)
