# SPDX-License-Identifier: MIT
"""Compares whole modules with torch: results of an inference, and parameters and buffers after one training step.

    check_module(torch.nn.BatchNorm1d(4), rand(8, 4))

The loss is the sum of all results times fixed random weights; the step is one of SGD.
"""
import copy

import torch

import poptorch
from harness import flat, rand


class Loss(torch.nn.Module):
    def __init__(self, module, weights):
        super().__init__()
        self.module, self.weights = module, weights

    def forward(self, *inputs, **keywords):
        results = flat(self.module(*inputs, **keywords))
        parts = [(r.float() * w).sum() for r, w in zip(results, self.weights) if w is not None]
        loss = sum(parts[1:], parts[0])
        return poptorch.identity_loss(loss, reduction="none") if poptorch.isRunningOnIpu() else loss


def close(actual, expected, rtol, atol, what):
    assert actual.shape == expected.shape, f"{what}: shape {tuple(actual.shape)}, torch has {tuple(expected.shape)}"
    torch.testing.assert_close(actual.double(), expected.double(), rtol=rtol, atol=atol,
                               msg=lambda m: f"{what}: {m}")


def check_inference(module, *inputs, rtol=1e-4, atol=1e-5, **keywords):
    module = copy.deepcopy(module).eval()
    with torch.no_grad():
        expected = flat(module(*inputs, **keywords))
    actual = flat(poptorch.inferenceModel(module)(*inputs, **keywords))
    assert len(actual) == len(expected)
    for i, (a, e) in enumerate(zip(actual, expected)):
        close(a, e, rtol, atol, f"result {i}")


def check_step(module, *inputs, rtol=1e-4, atol=2e-5, lr=0.1, steps=1, **keywords):
    module = copy.deepcopy(module).train()
    ours = copy.deepcopy(module)
    with torch.no_grad():
        shapes = [r.shape if r.is_floating_point() else None
                  for r in flat(copy.deepcopy(module)(*inputs, **keywords))]
    weights = [None if s is None else rand(*s) for s in shapes]
    reference = Loss(module, weights)
    optimizer = torch.optim.SGD(module.parameters(), lr=lr)
    training = poptorch.trainingModel(Loss(ours, weights), optimizer=torch.optim.SGD(ours.parameters(), lr=lr))
    for _ in range(steps):
        optimizer.zero_grad()
        reference(*inputs, **keywords).backward()
        optimizer.step()
        training(*inputs, **keywords)
    training.copyWeightsToHost()
    mine = ours.state_dict()
    for name, expected in module.state_dict().items():
        close(mine[name], expected, rtol, atol, name)


def check_module(module, *inputs, rtol=1e-4, atol=2e-5, **keywords):
    check_inference(module, *inputs, rtol=rtol, atol=atol, **keywords)
    check_step(module, *inputs, rtol=rtol, atol=atol, **keywords)
