# SPDX-License-Identifier: MIT
"""Bits, truth, comparisons, bounds and choices."""
import pytest
import torch
from halves import check_halves, each
from harness import check, ints, rand

import poptorch

COMPARISONS = [torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("kind", [torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool])
def test_bits(kind):
    a, b = (ints(3, 4, low=0, high=2 if kind is torch.bool else 100).to(kind) for _ in range(2))
    check(lambda x, y: (x & y, x | y, x ^ y, ~x, torch.bitwise_and(x, y[0]), x.clone().bitwise_or_(y)), a, b)


def test_bits_with_numbers():
    check(lambda x: (x & 5, x | 3, x ^ 255, 6 & x), ints(5, high=100))

    def forward(x, y):
        z = x.clone()
        z &= y
        z |= 1
        return z
    check(forward, ints(5, high=100), ints(5, high=100))


@pytest.mark.parametrize("kind", [torch.int32, torch.int16, torch.int8, torch.uint8])
def test_shifts(kind):
    x = torch.tensor([1, 5, 100, -1, -77, 0]).to(kind)
    check(lambda x, n: (x << 2, x >> 1, x << n, x >> n, torch.bitwise_right_shift(x, n)), x, ints(6, high=7, dtype=kind))


def test_truth():
    each([torch.logical_and, torch.logical_or, torch.logical_xor], torch.tensor([0.0, 1.5, NAN, 0]), ints(4, high=2))
    each([torch.logical_not], torch.tensor([0.0, 1.5, -0.0, NAN]))
    each([torch.logical_not], ints(4, high=2, dtype=torch.uint8))
    check(lambda x, y: x.clone().logical_and_(y), ints(4, high=2), ints(4, high=2))


def test_comparisons():
    x = torch.tensor([1.0, 2.0, NAN, INF, -INF, 0.0])
    each(COMPARISONS, x, torch.tensor([1.0, 3.0, NAN, INF, 1.0, -0.0]), gradient=False)
    each(COMPARISONS, ints(3, 4), ints(4), gradient=False)
    each(COMPARISONS, ints(4), rand(4, high=9), gradient=False)
    each(COMPARISONS, torch.tensor([True, False, True]), torch.tensor([True, True, False]))
    each(COMPARISONS, ints(5, dtype=torch.uint8), ints(5, low=-5, dtype=torch.int8))
    check(lambda x: (x == 2, x > 2.5, x <= 3, 1 < x, x != True), ints(6), gradient=False)  # noqa: E712


def test_comparisons_end_gradients():
    check(lambda x, y: x * (x > y) + y * (x <= y).float(), rand(5), rand(5))


def test_questions():
    x = torch.tensor([1.0, NAN, INF, -INF, 0.0])
    questions = [torch.isnan, torch.isinf, torch.isfinite, torch.isposinf, torch.isneginf]
    each(questions, x, gradient=False)
    each(questions, ints(3))
    for equal_nan in (False, True):
        check(torch.isclose, x, torch.tensor([1.000001, NAN, INF, INF, 1e-9]), gradient=False, equal_nan=equal_nan)
    check(torch.isclose, ints(4, high=2), ints(4, high=2))


def test_extrema():
    a, b = rand(3, 4), rand(4)
    each([torch.maximum, torch.minimum, torch.fmax, torch.fmin], a, b)
    ties = torch.tensor([1.0, 2.0])
    each([torch.maximum, torch.minimum], ties, ties.clone())
    x, y = torch.tensor([NAN, 1.0, NAN, INF]), torch.tensor([1.0, NAN, NAN, 3.0])
    each([torch.maximum, torch.minimum, torch.fmax, torch.fmin], x, y, gradient=False)
    each([torch.maximum, torch.minimum], ints(4, low=-9), ints(4, low=-9))
    each([torch.maximum, torch.minimum], torch.tensor([True, False]), torch.tensor([True, True]))
    check(torch.maximum, ints(3), rand(3, high=9), gradient=False)


def test_bounds():
    x = torch.tensor([-2.0, -1.0, -0.3, 0.4, 1.0, 2.5])
    check(lambda x: (x.clamp(-1, 1), x.clamp(min=0), x.clamp(max=0.4), torch.clamp_min(x, 0.5),
                     torch.clamp_max(x, -0.3), x.clamp(2, 1), x.clip(-1, 1)), x)
    check(lambda x, a, b: (x.clamp(a, b), torch.clamp_min(x, a), torch.clamp_max(x, b), x.clamp(min=a)),
          rand(3, 4, low=-2, high=2), rand(4, low=-1, high=0), rand(3, 1, low=0, high=1))
    check(lambda x: (x.clamp(2, 5), x.clamp(min=2.5), x.clone().clamp_(3, 4)), ints(6), gradient=False)
    check(lambda x, a: x.clamp(min=a), rand(3), rand(2, 3))
    check(lambda x: x.clamp(-1, 1), torch.tensor([NAN, 3.0]), gradient=False)


def test_where():
    c = torch.tensor([[True], [False], [True]])
    check(lambda c, x, y: (torch.where(c, x, y), torch.where(x > y, x, y), torch.where(c, x, 0.0),
                           torch.where(c, 1.5, y)), c, rand(3, 4), rand(4))
    check(lambda c, x, y: (torch.where(c, x, y), torch.where(c, 1, 2), torch.where(c, 1.0, 2.0), torch.where(c, c, ~c)),
          c, ints(3, 4), ints(4))
    with pytest.raises(poptorch.Error, match="shape of its result"):
        poptorch.inferenceModel(_Module(lambda x: torch.where(x > 0)[0]))(torch.tensor([1.0]))


class _Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def test_what_torch_refuses_is_said_by_torch():
    with pytest.raises((RuntimeError, poptorch.Error), match="expected predicate to be bool"):
        poptorch.inferenceModel(_Module(lambda x: torch.where(x, x, x)))(ints(3, dtype=torch.uint8))


def test_masked_fill():
    mask = torch.tensor([True, False, False, True])
    check(lambda x, m: (x.masked_fill(m, 2.5), x.masked_fill(m, -INF).clamp_min(-9), x.clone().masked_fill_(m, 0)),
          rand(3, 4), mask)
    check(lambda x, m, v: x.masked_fill(m, v), rand(4), torch.ones(3, 1, dtype=torch.bool), torch.tensor(1.5))
    check(lambda x, m: x.masked_fill(m, 7), ints(3, 4), mask)
    check(lambda x, m: x.masked_fill(m, torch.finfo(torch.half).min), rand(4).half(), mask, gradient=False)


def test_masked_scatter():
    mask = torch.tensor([[True, False, True, False], [False, False, True, True], [False] * 4])
    check(lambda x, m, s: x.masked_scatter(m, s), rand(3, 4), mask, rand(3, 2))
    check(lambda x, m, s: x.masked_scatter(m, s), ints(3, 4), mask[1], ints(9))


def test_threshold():
    x = torch.tensor([-1.0, 0.5, 0.7, 2.0, NAN])
    check(lambda x: torch.nn.functional.threshold(x, 0.5, -3.0), x, gradient=False)
    check(lambda x: torch.nn.functional.threshold(x, 0.5, -3.0), x[:4])


def test_halves():
    check_halves(lambda x, y: [torch.maximum(x, y), torch.fmin(x, y), x.clamp(-0.5, 0.5), torch.where(x > y, x, y),
                               x.masked_fill(x > 0, 0.25), x < y], rand(4, 5), rand(5))


def test_small_integers_between_boundaries():
    check(lambda x: (torch.bucketize(x, torch.tensor([1, 3, 5], dtype=torch.uint8)),
                     torch.searchsorted(torch.tensor([1, 3, 5], dtype=torch.int16), x.short())), ints(9, dtype=torch.uint8))


def test_bounds_of_bools():
    check(lambda x, y: (x.clamp_min(y), x.clamp_max(y)), ints(9, high=2).bool(), ints(9, high=2).bool())
