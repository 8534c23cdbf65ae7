# SPDX-License-Identifier: MIT
"""Precision, by Lightning's path."""
from pi_ml.precision import IPUPrecisionPlugin, PrecisionPlugin

__all__ = ["IPUPrecisionPlugin", "PrecisionPlugin"]
