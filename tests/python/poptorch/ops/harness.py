# SPDX-License-Identifier: MIT
"""Compares operators with torch: values by an inference, gradients by one step of a training.

    check(torch.addcmul, rand(3, 4), rand(3, 4), rand(4), value=0.5)

The function is called with the tensors given, as torch would call it on the CPU and as a module's forward on
the IPU. For gradients, floating-point tensors become parameters; the loss is the sum of all results times
random weights, and a step of SGD with learning rate 1 leaves minus the gradient.
"""
import torch

import poptorch

_generator = torch.Generator()


def begin():
    """The same numbers from here on every time, those that modules begin with too."""
    torch.manual_seed(1)
    _generator.manual_seed(1)


begin()


def rand(*shape, low=-1.0, high=1.0, dtype=torch.float):
    return (torch.rand(shape, generator=_generator) * (high - low) + low).to(dtype)


def ints(*shape, low=0, high=10, dtype=torch.int):
    return torch.randint(low, high, shape, generator=_generator).to(dtype)


def flat(results):
    if isinstance(results, torch.Tensor):
        return [results]
    if isinstance(results, dict):
        results = results.values()
    return [tensor for part in results for tensor in flat(part)]


class _Forward(torch.nn.Module):
    def __init__(self, function, keywords):
        super().__init__()
        self.function, self.keywords = function, keywords

    def forward(self, *tensors):
        return self.function(*tensors, **self.keywords)


class _Training(torch.nn.Module):
    def __init__(self, function, keywords, tensors, trained, weights):
        super().__init__()
        self.function, self.keywords = function, keywords
        self.names = []
        for i, tensor in enumerate(tensors):
            self.names.append(f"p{i}" if i in trained else None)
            if i in trained:
                setattr(self, f"p{i}", torch.nn.Parameter(tensor.clone()))
        self.weights = weights

    def forward(self, *others):
        others = iter(others)
        tensors = [getattr(self, name) if name else next(others) for name in self.names]
        results = flat(self.function(*tensors, **self.keywords))
        parts = [(r.float() * w).sum() for r, w in zip(results, self.weights) if w is not None]
        loss = sum(parts[1:], parts[0])
        return poptorch.identity_loss(loss, reduction="none") if poptorch.isRunningOnIpu() else loss


def _same(actual, expected, rtol, atol, what):
    assert actual.shape == expected.shape, f"{what}: shape {tuple(actual.shape)}, torch has {tuple(expected.shape)}"
    narrow = {torch.int64: torch.int32, torch.float64: torch.float32}
    wanted = narrow.get(expected.dtype, expected.dtype)
    assert actual.dtype == wanted, f"{what}: {actual.dtype}, torch has {expected.dtype}"
    torch.testing.assert_close(actual.double(), expected.double(), rtol=rtol, atol=atol, equal_nan=True,
                               msg=lambda m: f"{what}: {m}")


def check(function, *tensors, gradient=True, rtol=1e-4, atol=1e-5, **keywords):
    """Values, and gradients of every floating-point tensor unless told otherwise (a list of positions)."""
    expected = flat(function(*[t.clone() for t in tensors], **keywords))
    inference = poptorch.inferenceModel(_Forward(function, keywords))
    actual = flat(inference(*[t.clone() for t in tensors]))
    assert len(actual) == len(expected)
    for i, (a, e) in enumerate(zip(actual, expected)):
        _same(a, e, rtol, atol, f"result {i}")
    if gradient is False:
        return
    trained = [i for i, t in enumerate(tensors) if t.is_floating_point()] if gradient is True else list(gradient)
    weights = [rand(*e.shape) if e.is_floating_point() else None for e in expected]
    if not trained or all(w is None for w in weights):
        return
    reference = _Training(function, keywords, tensors, trained, weights)
    others = [t for i, t in enumerate(tensors) if i not in trained]
    reference(*others).backward()
    model = _Training(function, keywords, tensors, trained, weights)
    training = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    training(*others)
    training.copyWeightsToHost()
    for i in trained:
        before, after = tensors[i], getattr(model, f"p{i}").detach()
        gradient_there = getattr(reference, f"p{i}").grad
        if gradient_there is None:
            gradient_there = torch.zeros_like(before)
        rounding = float(before.abs().max()) * torch.finfo(before.dtype).eps if before.numel() else 0.0  # of a step
        _same(before - after, gradient_there, max(rtol, 1e-4), max(atol, 2e-5) + rounding, f"gradient of tensor {i}")
