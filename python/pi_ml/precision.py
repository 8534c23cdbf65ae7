# SPDX-License-Identifier: MIT
"""With how many bits a trainer computes."""
from __future__ import annotations

from typing import Union


class PrecisionPlugin:
    """Of the CPU: as the module is."""

    precision: Union[int, str] = 32


class IPUPrecisionPlugin(PrecisionPlugin):
    """Precision 16 or 32: with 16, floats of a batch become halves before the step."""

    def __init__(self, precision: Union[int, str]) -> None:
        if precision not in (16, 32):
            raise ValueError(f"`Trainer(accelerator='ipu', precision={precision!r})` is not supported. "
                             "`precision` must be one of: (16, 32).")
        self.precision = precision
