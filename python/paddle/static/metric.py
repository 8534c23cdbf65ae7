# SPDX-License-Identifier: MIT
"""Metrics as operators."""
from .. import tensor
from ..helper import LayerHelper


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose label is among the k largest."""
    values, indices = tensor.topk(input, k)
    return LayerHelper("accuracy").append("accuracy", {"Out": values, "Indices": indices, "Label": label}, {},
                                          slot="Accuracy", more=("Correct", "Total"), stop_gradient=True)[0]
