# SPDX-License-Identifier: MIT
"""Convolutions and transposed convolutions of one to three dimensions."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, rand

CASES = [  # function, x, weight, bias, keywords
    (F.conv1d, (2, 3, 9), (4, 3, 3), (4, ), {}),
    (F.conv1d, (3, 9), (4, 3, 2), None, dict(stride=2, padding=1, dilation=3)),
    (F.conv1d, (2, 4, 8), (6, 2, 3), (6, ), dict(groups=2, padding="same")),
    (F.conv1d, (2, 3, 8), (4, 3, 4), (4, ), dict(padding="same", dilation=2)),
    (F.conv2d, (2, 3, 6, 7), (4, 3, 3, 3), (4, ), {}),
    (F.conv2d, (3, 6, 7), (4, 3, 3, 2), (4, ), dict(padding="valid", stride=(2, 1))),
    (F.conv2d, (2, 3, 6, 7), (4, 3, 2, 4), None, dict(padding="same")),
    (F.conv2d, (2, 4, 6, 5), (4, 1, 3, 3), (4, ), dict(groups=4, padding=1)),
    (F.conv2d, (1, 4, 7, 8), (8, 2, 3, 3), None, dict(groups=2, padding=(2, 0), dilation=(1, 2), stride=2)),
    (F.conv3d, (2, 2, 4, 5, 4), (3, 2, 2, 3, 2), (3, ), dict(padding=(0, 1, 1), stride=(1, 2, 1))),
    (F.conv3d, (2, 3, 4, 3), (3, 2, 2, 3, 2), (3, ), dict(padding="same")),
    (F.conv_transpose1d, (2, 4, 5), (4, 3, 3), (3, ), dict(stride=2, padding=1, output_padding=1)),
    (F.conv_transpose1d, (4, 5), (4, 3, 3), None, dict(dilation=2)),
    (F.conv_transpose2d, (2, 4, 3, 4), (4, 3, 3, 3), (3, ), {}),
    (F.conv_transpose2d, (2, 4, 3, 4), (4, 2, 3, 2), (4, ), dict(stride=(2, 3), padding=(1, 0), groups=2)),
    (F.conv_transpose2d, (4, 3, 4), (4, 2, 2, 3), (2, ),
     dict(stride=2, padding=1, output_padding=(1, 0), dilation=(1, 2))),
    (F.conv_transpose3d, (1, 2, 3, 2, 3), (2, 3, 2, 2, 3), (3, ), dict(stride=(1, 2, 1), output_padding=(0, 1, 0))),
]


@pytest.mark.parametrize("function,x,weight,bias,keywords", CASES)
def test_values_and_gradients(function, x, weight, bias, keywords):
    tensors = [rand(*x), rand(*weight)] + ([rand(*bias)] if bias else [])
    check(function, *tensors, **keywords)


def test_underlying_operators():
    x, w, b = rand(2, 4, 6, 5), rand(3, 4, 3, 3), rand(3)
    check(torch.convolution, x, w, b, stride=[1], padding=[1], dilation=[1], transposed=False, output_padding=[0],
          groups=1)
    check(lambda x, w: torch.convolution(x, w, None, [2, 1], [1, 0], [1, 1], True, [1, 0], 2), x, rand(4, 3, 2, 3))
    check(lambda x, w, b: torch._convolution(x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, False,
                                             False), x, w, b)
    check(torch.conv_tbc, rand(6, 2, 3), rand(3, 3, 4), rand(4), pad=1)


def test_weights_follow_activations():
    """Half activations with float weights give half; float ones with half weights give float."""
    class Mixed(torch.nn.Module):
        def __init__(self, weight, bias):
            super().__init__()
            self.weight, self.bias = torch.nn.Parameter(weight), torch.nn.Parameter(bias)

        def forward(self, x):
            return F.conv2d(x, self.weight, self.bias, padding=1)

    x, w, b = rand(2, 3, 5, 5), rand(4, 3, 3, 3), rand(4)
    expected = F.conv2d(x, w, b, padding=1)
    for there, weights in [(torch.half, torch.float), (torch.float, torch.half), (torch.half, torch.half)]:
        y = poptorch.inferenceModel(Mixed(w.to(weights), b.to(weights)))(x.to(there))
        assert y.dtype == there
        torch.testing.assert_close(y.float(), expected, rtol=5e-3, atol=5e-3)


def test_views_as_operands():
    check(lambda x, w: F.conv2d(x.transpose(0, 1)[:, ::2], w.permute(3, 2, 0, 1)), rand(6, 2, 5, 5), rand(2, 3, 3, 4))


def test_nothing():
    check(lambda x, w: F.conv2d(x[:0], w), rand(1, 3, 6, 7), rand(4, 3, 3, 3))


def test_modules_pad_as_asked():
    for mode in ("reflect", "replicate", "circular", "zeros"):
        layer = torch.nn.Conv2d(2, 3, 3, padding=1, padding_mode=mode)
        check(lambda x, layer=layer: layer(x), rand(2, 2, 5, 4))
