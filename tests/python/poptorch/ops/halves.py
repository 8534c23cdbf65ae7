# SPDX-License-Identifier: MIT
"""Many functions at once, and functions of halves, which torch does not compute on the CPU."""
import torch
from harness import _Forward, _same, check, flat

import poptorch


def each(functions, *tensors, **keywords):
    """Checks several functions of the same tensors in one model."""
    check(lambda *t: [f(*t) for f in functions], *tensors, **keywords)


def check_halves(function, *tensors, rtol=4e-3, atol=2e-3, **keywords):
    """Values of half inputs against torch's in float, and that results are halves."""
    halves = [t.half() if t.is_floating_point() else t for t in tensors]
    expected = flat(function(*[t.float() if t.is_floating_point() else t for t in halves], **keywords))
    actual = flat(poptorch.inferenceModel(_Forward(function, keywords))(*halves))
    assert len(actual) == len(expected)
    for i, (a, e) in enumerate(zip(actual, expected)):
        _same(a, e.half() if e.is_floating_point() else e, rtol, atol, f"result {i} of halves")
