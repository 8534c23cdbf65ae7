# SPDX-License-Identifier: MIT
"""Precision, by Lightning's path."""
from pi_ml.precision import IPUPrecisionPlugin, PrecisionPlugin

__path__: "list[str]" = []  # Lightning has a package here
__all__ = ["IPUPrecisionPlugin", "PrecisionPlugin"]
