# SPDX-License-Identifier: MIT
"""Precision, and names of earlier Lightning versions."""
from __future__ import annotations

from typing import Any

from pi_ml.log import rank_zero_warn
from pi_ml.precision import IPUPrecisionPlugin, PrecisionPlugin
from pi_ml.strategies.ipu import IPUStrategy


class IPUPlugin(IPUStrategy):
    """IPUStrategy's name before 1.6."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        rank_zero_warn("The `pi_ml.plugins.IPUPlugin` is deprecated in v1.6. Use `pi_ml.strategies.IPUStrategy` instead.",
                       DeprecationWarning)
        super().__init__(*args, **kwargs)
