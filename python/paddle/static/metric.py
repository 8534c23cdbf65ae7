# SPDX-License-Identifier: MIT
"""Metrics as operators."""
from __future__ import annotations

from .. import tensor
from ..helper import LayerHelper
from ..typed import TensorLike


def accuracy(input: TensorLike, label: TensorLike, k: int = 1, correct: TensorLike | None = None,
             total: TensorLike | None = None) -> TensorLike:
    """The share of rows whose label is among the k largest; `correct` and `total` get the two counts."""
    values, indices = tensor.topk(input, k)
    share, *counts = LayerHelper("accuracy").append("accuracy", {"Out": values, "Indices": indices, "Label": label}, {},
                                                     slot="Accuracy", more=("Correct", "Total"), stop_gradient=True)
    for made, out in zip(counts, (correct, total)):
        if out is not None:
            tensor.assign(made, out)
    return share
