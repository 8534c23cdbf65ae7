# SPDX-License-Identifier: MIT
"""Many functions at once, and functions of halves, which torch does not compute on the CPU."""
import torch
from harness import _Forward, _same, _Training, check, flat, rand

import poptorch


def each(functions, *tensors, **keywords):
    """Checks several functions of the same tensors in one model."""
    check(lambda *t: [f(*t) for f in functions], *tensors, **keywords)


def check_halves(function, *tensors, rtol=4e-3, atol=2e-3, gradient=True, **keywords):
    """Values and gradients of half inputs against torch's in float, and that results are halves."""
    halves = [t.half() if t.is_floating_point() else t for t in tensors]
    floats = [t.float() if t.is_floating_point() else t for t in halves]
    expected = flat(function(*floats, **keywords))
    actual = flat(poptorch.inferenceModel(_Forward(function, keywords))(*halves))
    assert len(actual) == len(expected)
    for i, (a, e) in enumerate(zip(actual, expected)):
        _same(a, e.half() if e.is_floating_point() else e, rtol, atol, f"result {i} of halves")
    if gradient:
        _check_gradients(function, keywords, halves, floats, expected)


def _check_gradients(function, keywords, halves, floats, expected):
    """One step of a training leaves the halves less their gradient, rounded to what a half has there."""
    trained = [i for i, t in enumerate(floats) if t.is_floating_point()]
    others = [t for t in halves if not t.is_floating_point()]
    weights = [rand(*e.shape) if e.is_floating_point() else None for e in expected]
    reference = _Training(function, keywords, floats, trained, weights)
    reference(*others).backward()
    model = _Training(function, keywords, halves, trained, weights)
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    training(*others)
    training.copyWeightsToHost()
    for i in trained:
        wanted = (floats[i] - getattr(reference, f"p{i}").grad).half()
        _same(getattr(model, f"p{i}").detach(), wanted, 1e-2, 1e-2, f"tensor {i} of halves after a step")
