# SPDX-License-Identifier: MIT
"""Who of equal values has the gradient: the first of a pool's window, Y of two operands, all of a reduction, nobody at a
clip's bounds. And gradients where a formula has none: of losses at 0 and 1, of norms at 0."""
import os
import sys

import numpy as np
import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from opcases import Case, rand

FEW = np.round(rand(2, 3, 7, 6) * 0.6)
FLAT = np.ones((1, 2, 4, 6), np.float32)
A, B = np.round(rand(4, 5)), np.round(rand(4, 5, seed=2))
SCORES = np.array([[0, -1, 0, 2], [0.5, 0, 3, 0]], np.float32)
LABELS = np.array([[0, 1, 1, 0], [1, 0.5, 0, 1]], np.float32)
CERTAIN = np.array([[0, 1, 0.5, 0.25], [1, 0.5, 0, 0.75]], np.float32)  # all as their labels, or in between


def pool(function, name, x=FEW, op="pool2d", more=(), **attrs):
    base = {"ksize": [3, 2], "strides": [2, 2], "paddings": [0, 0], "pooling_type": "max"}
    if op != "pool2d":
        base.pop("pooling_type")
    return Case(op, {"X": x}, function, {**base, **attrs}, grads=("X",), more=more, name=name)


def to_all(reduced):
    """The extremes, with the whole gradient for every one."""
    def function(x):
        y = reduced(x.detach())
        return y.squeeze(1) + ((x - x.detach()) * (x == y)).sum(1)
    return function


CASES = [
    pool(lambda x: F.max_pool2d(x, (3, 2), 2), "window"), pool(lambda x: F.max_pool2d(x, (3, 2), 2), "flat", FLAT),
    pool(lambda x: F.max_pool2d(x, 3, 1, 1), "overlapping", ksize=[3, 3], strides=[1, 1], paddings=[1, 1]),
    pool(lambda x: F.max_pool2d(x, (7, 6)), "global", global_pooling=True),
    pool(lambda x: F.adaptive_max_pool2d(x, (7, 3)), "adaptive_even", adaptive=True, ksize=[7, 3]),
    pool(lambda x: F.adaptive_max_pool2d(x, (3, 4)), "adaptive", adaptive=True, ksize=[3, 4]),
    pool(lambda x: F.adaptive_max_pool2d(x, (3, 4)), "adaptive_flat", FLAT, adaptive=True, ksize=[3, 4]),
    pool(lambda x: F.max_pool2d(x, (3, 2), 2), "with_index", op="max_pool2d_with_index", more=("Mask",)),
    Case("pool3d", {"X": np.ones((1, 1, 2, 4, 4), np.float32)}, lambda x: F.max_pool3d(x, 2), {
        "ksize": [2] * 3, "strides": [2] * 3, "paddings": [0] * 3, "pooling_type": "max"}, grads=("X",)),
    Case("elementwise_max", {"X": A, "Y": B}, lambda x, y: torch.where(x > y, x, y), grads=("X", "Y")),
    Case("elementwise_min", {"X": A, "Y": B}, lambda x, y: torch.where(x < y, x, y), grads=("X", "Y")),
    Case("reduce_max", {"X": A}, to_all(lambda x: x.amax(1, True)), {"dim": [1]}, grads=("X",)),
    Case("reduce_min", {"X": A}, to_all(lambda x: x.amin(1, True)), {"dim": [1]}, grads=("X",)),
    Case("clip", {"X": A}, lambda x: torch.where((x > -1) & (x < 1), x, x.clamp(-1, 1).detach()), {"min": -1.0, "max": 1.0},
         grads=("X",)),
    Case("sigmoid_cross_entropy_with_logits", {"X": SCORES, "Label": LABELS},
         lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none"), grads=("X",)),
    Case("bce_loss", {"X": CERTAIN, "Label": LABELS}, lambda x, t: F.binary_cross_entropy(x, t, reduction="none"),
         grads=("X",)),
    *(Case("p_norm", {"X": SCORES * np.array([[1], [0]], np.float32)}, lambda x, p=p: torch.linalg.vector_norm(x, p, 1),
           {"porder": p, "axis": 1}, grads=("X",), name=f"p_norm_{p}") for p in (1.0, 1.5, 2.0, 3.0)),
]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_ties(case):
    case.run()
