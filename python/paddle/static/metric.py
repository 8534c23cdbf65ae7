# SPDX-License-Identifier: MIT
"""Metrics as operators."""
from .. import tensor
from ..helper import LayerHelper


def accuracy(input, label, k=1, correct=None, total=None):
    """The share of rows whose label is among the k largest; `correct` and `total` get the two counts."""
    values, indices = tensor.topk(input, k)
    share, *counts = LayerHelper("accuracy").append("accuracy", {"Out": values, "Indices": indices, "Label": label}, {},
                                                     slot="Accuracy", more=("Correct", "Total"), stop_gradient=True)
    for made, out in zip(counts, (correct, total)):
        if out is not None:
            tensor.assign(made, out)
    return share
