# SPDX-License-Identifier: MIT
"""Pools over windows and to given sizes, in one to three dimensions."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, ints, rand


def distinct(*shape):
    """Values without ties, so that every maximum is one element."""
    count = torch.Size(shape).numel()
    order = torch.randperm(count, generator=torch.Generator().manual_seed(count))
    return (order.float() / max(count, 1)).reshape(shape)


MAXIMA = [
    (F.max_pool1d, (2, 3, 9), dict(kernel_size=3)),
    (F.max_pool1d, (3, 10), dict(kernel_size=4, stride=3, padding=2, ceil_mode=True)),
    (F.max_pool2d, (2, 3, 6, 7), dict(kernel_size=2)),
    (F.max_pool2d, (3, 7, 8), dict(kernel_size=(3, 2), stride=2, padding=(1, 0), ceil_mode=True)),
    (F.max_pool2d, (1, 2, 8, 9), dict(kernel_size=3, stride=1, dilation=(2, 3))),
    (F.max_pool2d, (1, 2, 2, 2), dict(kernel_size=3, stride=2, ceil_mode=True)),
    (F.max_pool3d, (2, 2, 4, 5, 6), dict(kernel_size=2)),
    (F.max_pool3d, (2, 4, 5, 6), dict(kernel_size=(2, 3, 2), stride=(1, 2, 2), padding=1)),
]


@pytest.mark.parametrize("function,shape,keywords", MAXIMA)
def test_maxima(function, shape, keywords):
    check(function, distinct(*shape) - 0.5, **keywords)
    check(function, distinct(*shape), return_indices=True, gradient=False, **keywords)


def test_gradients_of_maxima_of_maxima():
    """Neighbours of a pooled picture are often one element: together they have its gradient once."""
    check(lambda x: F.max_pool2d(F.max_pool2d(x, 3, 2), 3, 1, 1), distinct(2, 3, 9, 9))
    check(lambda x: F.max_pool2d(F.max_pool2d(x, 3, 1), 2, 1, dilation=2), distinct(2, 3, 9, 9))


@pytest.mark.parametrize("function,shape,keywords", MAXIMA)
def test_the_first_of_equal_maxima_has_the_gradient(function, shape, keywords):
    check(function, ints(*shape, high=3).float(), **keywords)
    check(function, torch.zeros(shape), **keywords)


@pytest.mark.parametrize("size", [(2, 2), (3, 5), (4, 3)])
def test_the_first_of_equal_maxima_of_an_adaptive_pool_has_the_gradient(size):
    check(lambda x: F.adaptive_max_pool2d(x, size), ints(2, 3, 8, 7, high=3).float())


AVERAGES = [
    (F.avg_pool1d, (2, 3, 9), dict(kernel_size=3)),
    (F.avg_pool1d, (3, 10), dict(kernel_size=4, stride=3, padding=2, ceil_mode=True, count_include_pad=False)),
    (F.avg_pool2d, (2, 3, 6, 7), dict(kernel_size=2)),
    (F.avg_pool2d, (2, 3, 7, 6), dict(kernel_size=3, stride=2, padding=1)),
    (F.avg_pool2d, (3, 7, 8), dict(kernel_size=(3, 2), stride=2, padding=(1, 0), ceil_mode=True)),
    (F.avg_pool2d, (3, 7, 8), dict(kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)),
    (F.avg_pool2d, (2, 3, 7, 8), dict(kernel_size=3, padding=1, divisor_override=5)),
    (F.avg_pool2d, (1, 2, 2, 2), dict(kernel_size=3, stride=2, ceil_mode=True)),
    (F.avg_pool3d, (2, 2, 4, 5, 6), dict(kernel_size=2, ceil_mode=True)),
    (F.avg_pool3d, (2, 4, 5, 6), dict(kernel_size=(2, 3, 2), padding=1, divisor_override=-3)),
]


@pytest.mark.parametrize("function,shape,keywords", AVERAGES)
def test_averages(function, shape, keywords):
    check(function, rand(*shape), **keywords)


ADAPTIVE = [
    (1, (2, 3, 8), 4),
    (1, (3, 7), 3),
    (2, (2, 3, 6, 8), 1),
    (2, (2, 3, 6, 8), (3, None)),
    (2, (2, 3, 7, 5), (3, 2)),
    (2, (3, 2, 1), (5, 7)),
    (3, (1, 2, 4, 6, 5), (2, 3, 3)),
    (3, (2, 4, 6, 4), 2),
]


@pytest.mark.parametrize("dims,shape,size", ADAPTIVE)
def test_adaptive(dims, shape, size):
    check(getattr(F, f"adaptive_avg_pool{dims}d"), rand(*shape), output_size=size)
    check(getattr(F, f"adaptive_max_pool{dims}d"), distinct(*shape), output_size=size)
    check(getattr(F, f"adaptive_max_pool{dims}d"), distinct(*shape), output_size=size, return_indices=True,
          gradient=False)


def test_norms_of_windows():
    check(F.lp_pool1d, rand(2, 3, 9, low=0.1), norm_type=2, kernel_size=3)
    check(F.lp_pool2d, rand(2, 3, 6, 7, low=0.1), norm_type=3, kernel_size=2, stride=1, ceil_mode=True)


def test_put_back():
    def around(x):
        y, places = F.max_pool2d(x, 2, return_indices=True)
        return F.max_unpool2d(y, places, 2, output_size=x.shape)

    check(around, distinct(2, 3, 5, 6))
    check(lambda x: F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2), distinct(2, 3, 6))
    check(lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2), distinct(1, 2, 4, 2, 4))


def test_halves():
    class Both(torch.nn.Module):
        def forward(self, x):
            return F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (3, 2))

    x = rand(2, 3, 7, 6)
    for actual, expected in zip(poptorch.inferenceModel(Both())(x.half()), Both()(x)):
        assert actual.dtype == torch.half
        torch.testing.assert_close(actual.float(), expected, rtol=2e-3, atol=1e-3)


def test_pools_of_integers():
    check(lambda x: (F.avg_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
                     F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 2, divisor_override=3),
                     F.avg_pool2d(x, 3, 2, ceil_mode=True)), ints(1, 2, 6, 7, low=-9, high=50, dtype=torch.long))
