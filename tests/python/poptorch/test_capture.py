# SPDX-License-Identifier: MIT
"""What forward() may do while it is captured, and what it is told where it may not."""
import copy
import os
import sys

import pytest
import torch

import poptorch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "ops"))
from modules import check_inference, check_step  # noqa: E402

nn, F = torch.nn, torch.nn.functional


class Module(nn.Module):
    """forward() is a function of the module and its inputs."""

    def __init__(self, forward, buffers=(), **members):
        super().__init__()
        self._forward = forward
        for name, value in members.items():
            setattr(self, name, value)
        for name, value in dict(buffers).items():
            self.register_buffer(name, value)

    def forward(self, *args, **kwargs):
        return self._forward(self, *args, **kwargs)


def run(forward, *inputs, **members):
    return poptorch.inferenceModel(Module(forward, **members))(*inputs)


# ---- gradients

def clamped(self, x):
    y = self.p * x
    with torch.no_grad():
        y.clamp_(min=0.1)
    return y * y


def test_writes_without_gradients_keep_those_of_what_they_change():
    check_step(Module(clamped, p=nn.Parameter(torch.tensor([-1.0, 0.5, 2.0]))), torch.ones(3))


def limited(self, x):
    with torch.no_grad():
        self.p.clamp_(-0.1, 0.1)
    return self.p * x


def limited_apart(self, x):
    self.p.detach().mul_(0.5)
    return self.p * x


@pytest.mark.parametrize("forward", [limited, limited_apart])
def test_parameters_that_a_model_changes_are_trained_from_there(forward):
    check_step(Module(forward, p=nn.Parameter(torch.tensor([1.0, -1.0, 0.05]))), torch.ones(3), steps=2)


def test_tables_that_are_renormalised_are_trained():
    check_step(nn.Embedding(5, 3, max_norm=0.5), torch.tensor([1, 1, 3]), steps=2)
