# SPDX-License-Identifier: MIT
"""Padding by constants, reflections, edges and circles."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, ints, rand


def all_pads(x, pads, mode, value=None):
    return [F.pad(x, pad, mode, value) if value is not None else F.pad(x, pad, mode) for pad in pads]


def test_constants():
    pads = [(1, 2), (0, 3, 2, 0), (-1, 2, 1, -1), (0, 0), (-2, -1), (1, 0, 0, 0, 0, 1)]
    check(lambda x: all_pads(x, pads, "constant", 1.5), rand(2, 3, 4))
    check(lambda x: all_pads(x, pads, "constant"), rand(2, 3, 4))
    check(lambda x: torch.constant_pad_nd(x, [1, 1], float("-inf")), rand(3), gradient=False)
    check(lambda x: F.pad(x, ()), torch.tensor(0.5))


def test_types():
    def pads(i, b, h):
        return F.pad(i, (1, 2), value=7), F.pad(b, (2, 1), value=True), F.pad(h, (1, -1)), F.pad(i, (1, 1), "circular")

    check(pads, ints(1, 3, 4), ints(2, 3, high=2).bool(), rand(2, 3).half(), gradient=False)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_repetitions(mode):
    check(lambda x: all_pads(x, [(1, 2), (2, 0)], mode), rand(2, 3, 4))
    check(lambda x: all_pads(x, [(1, 2, 0, 3), (2, 0, 1, 1)], mode), rand(2, 3, 4, 5))
    check(lambda x: all_pads(x, [(1, 2, 0, 2, 1, 1)], mode), rand(1, 2, 3, 4, 5))


def test_negative_repetitions_crop():
    check(lambda x: [F.pad(x, (-1, 2), mode) for mode in ("reflect", "replicate", "circular")], rand(2, 3, 5))


def test_modules():
    pads = [torch.nn.ReflectionPad1d(2), torch.nn.ReplicationPad1d((1, 2)), torch.nn.ConstantPad1d(1, 2.5),
            torch.nn.CircularPad1d(1) if hasattr(torch.nn, "CircularPad1d") else torch.nn.ConstantPad1d(2, 0)]
    check(lambda x: [pad(x) for pad in pads], rand(2, 3, 4))
    pads = [torch.nn.ReflectionPad2d(2), torch.nn.ReplicationPad2d((1, 2, 0, 1)), torch.nn.ZeroPad2d((1, 0, 2, 1))]
    check(lambda x: [pad(x) for pad in pads], rand(3, 4, 5))
    pads = [torch.nn.ReflectionPad3d(1), torch.nn.ReplicationPad3d((1, 2, 0, 1, 2, 0)), torch.nn.ConstantPad3d(1, 3.0)]
    check(lambda x: [pad(x) for pad in pads], rand(2, 3, 4, 5))


def test_too_much():
    class Around(torch.nn.Module):
        def forward(self, x):
            return F.pad(x, (5, 0), "circular")

    with pytest.raises((poptorch.Error, RuntimeError)):
        poptorch.inferenceModel(Around())(rand(1, 2, 4))
