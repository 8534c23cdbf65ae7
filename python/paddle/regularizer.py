# SPDX-License-Identifier: MIT
"""Decay of weights as a part of their gradients."""
from __future__ import annotations


class WeightDecayRegularizer:
    """The base of regularizers: a term of the loss that depends on a parameter."""
    def __init__(self, coeff: float = 0.0) -> None:
        self._coeff = float(coeff)

    def __repr__(self):
        return f"{type(self).__name__}({self._coeff})"


class L2Decay(WeightDecayRegularizer):
    """coeff * parameter is added to the gradient."""


class L1Decay(WeightDecayRegularizer):
    """coeff * sign(parameter) is added to the gradient; on the CPU only."""
