# SPDX-License-Identifier: MIT
"""Arithmetic of two operands: promotion, broadcasting, gradients, in-place forms."""
import pytest
import torch
from halves import check_halves, each
from harness import check, ints, rand

import poptorch


@pytest.mark.parametrize("shapes", [((3, 4), (4,)), ((2, 1, 3), (4, 1)), ((), (3,)), ((), ()), ((2, 0, 3), (3,))])
def test_sums_products_and_quotients_broadcast(shapes):
    a, b = rand(*shapes[0]), rand(*shapes[1], low=0.5, high=2)
    each([torch.add, torch.sub, torch.mul, torch.div, torch.rsub, torch.true_divide,
          lambda x, y: torch.add(x, y, alpha=0.5), lambda x, y: torch.sub(x, y, alpha=-2),
          lambda x, y: torch.rsub(x, y, alpha=3)], a, b)


def test_numbers_are_operands():
    each([lambda x: x + 2, lambda x: 2.5 - x, lambda x: x * 3, lambda x: x / 4, lambda x: x / 0.3, lambda x: 1 / x,
          lambda x: x * True, lambda x: x % 0.7, lambda x: x / -8], rand(3, 4, low=0.5, high=3))


TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.bool, torch.float]


@pytest.mark.parametrize("first", TYPES)
def test_types_are_promoted_as_torch_does(first):
    a = ints(6, low=0, high=2 if first is torch.bool else 100).to(first)
    others = [ints(6, low=0, high=2 if t is torch.bool else 100).to(t) for t in TYPES]
    check(lambda x, *ys: [x + y for y in ys] + [x * y for y in ys] + [x + 1, x + 1.5, x * 2, x / 2],
          a, *others, gradient=False)


def test_tensors_without_dimensions_promote_less():
    check(lambda a, b, c: (a + b, b + c, a * c), ints(3), torch.tensor(1.5), ints(3, dtype=torch.int8),
          gradient=False)


def test_bools_are_combined():
    a, b = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    check(lambda x, y: (x + y, x * y), a, b)
    with pytest.raises((poptorch.Error, RuntimeError), match="[Ss]ubtract"):
        poptorch.inferenceModel(_Difference())(a, b)


class _Difference(torch.nn.Module):
    def forward(self, x, y):
        return x - y


def test_integers_divide_towards_zero_or_down():
    a, b = torch.tensor([7, -7, 7, -7, 6, 0, 2147483647]), torch.tensor([2, 2, -2, -2, 3, 5, 10])
    for kind in (torch.int32, torch.int16, torch.int8):
        small = [t.clamp(-100, 100).to(kind) for t in (a, b)]
        each([torch.floor_divide, torch.fmod, torch.remainder, torch.div,
              lambda x, y: torch.div(x, y, rounding_mode="trunc"),
              lambda x, y: torch.div(x, y, rounding_mode="floor")], *small)
    check(lambda x: (x // 2, x % 3, -5 // x), ints(6, low=1, high=200, dtype=torch.uint8))


def test_reals_divide_towards_zero_or_down():
    a = torch.tensor([7.0, -7, 7.5, -7.5, 1.0, -1.0, 0, 5])
    b = torch.tensor([2.0, 2, -2, -2, 0.1, 0.1, 3, 0.3])
    each([torch.floor_divide, torch.fmod, torch.remainder, lambda x, y: torch.div(x, y, rounding_mode="trunc"),
          lambda x, y: torch.div(x, y, rounding_mode="floor")], a, b, gradient=False)
    each([torch.fmod, torch.remainder], a + 0.01, b)
    zero = torch.tensor([0.0, 0.0, 0.0])
    check(lambda x: (x // 0.3, x // -0.7), a, gradient=False)
    each([torch.floor_divide, torch.div], torch.tensor([1.0, -1.0, 0.0]), zero, gradient=False)


def test_rounded_divisions_have_no_gradient():
    check(lambda x, y: x * y + torch.div(x, y, rounding_mode="floor") + torch.div(x, y, rounding_mode="trunc"),
          rand(5, low=1, high=9), rand(5, low=1, high=3))


def test_sums_of_products():
    a, b, c = rand(3, 4), rand(4), rand(3, 1, low=0.5, high=2)
    each([lambda x, y, z: torch.addcmul(x, y, z, value=0.5), lambda x, y, z: torch.addcdiv(x, y, z, value=-2),
          torch.addcmul, torch.addcdiv, torch.lerp], a, b, c)
    check(lambda x, y: (torch.lerp(x, y, 0.3), torch.lerp(x, y, 0.8), torch.lerp(x, y, 1.0)), a, b)
    check(torch.addcmul, ints(4), ints(4), ints(4), value=3)


def test_in_place_forms_write():
    def forward(x, y):
        z = x.clone()
        z.add_(y, alpha=2).mul_(y).sub_(1).div_(3)
        z[0] += 5
        z.addcmul_(x, y).lerp_(y, 0.25)
        return z
    check(forward, rand(3, 4), rand(3, 4))

    def out(x, y):
        z = torch.empty_like(x)
        torch.mul(x, y, out=z)
        return z
    check(out, rand(3, 4), rand(3, 4), gradient=False)


def test_views_are_operands():
    check(lambda x, y: x.t()[1:] * y[::2, 1] + x[-1, -1], rand(3, 4), rand(6, 3))


def test_halves():
    check_halves(lambda x, y: [x + y, x - y, x * y, x / y, x + 0.1, x * 3, torch.lerp(x, y, 0.3),
                               torch.addcmul(x, y, y, value=0.5), x % y], rand(4, 5), rand(5, low=0.5, high=2))
    check(lambda x, y: x + y, rand(3).half(), rand(3), gradient=False)  # a float is wider


def test_the_most_and_the_least_of_64_bits():
    most, least = torch.iinfo(torch.long).max, torch.iinfo(torch.long).min
    check(lambda x: (torch.where(x > 3, torch.tensor(most), x.long()).amin(), x.long().masked_fill(x > 3, most).amin(),
                     x.long().masked_fill(x < 3, least).amax(), x.long().clamp(least, most)), ints(9))
