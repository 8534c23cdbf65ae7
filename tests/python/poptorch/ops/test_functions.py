# SPDX-License-Identifier: MIT
"""Functions of one number, powers, rounding and signs."""
import pytest
import torch
from halves import check_halves, each
from harness import check, ints, rand

EVERYWHERE = [torch.atan, torch.asinh, torch.cos, torch.cosh, torch.erf, torch.erfc, torch.exp, torch.exp2,
              torch.expm1, torch.sigmoid, torch.sin, torch.sinc, torch.sinh, torch.tan, torch.tanh, torch.square,
              torch.deg2rad, torch.rad2deg, torch.neg, torch.positive, torch.nn.functional.softsign]
POSITIVE = [torch.log, torch.log10, torch.log1p, torch.log2, torch.reciprocal, torch.rsqrt, torch.sqrt]
WITHIN_ONE = [torch.acos, torch.asin, torch.atanh]
ROUNDING = [torch.ceil, torch.floor, torch.round, torch.trunc, torch.frac, torch.fix]


def test_functions_and_their_gradients():
    each(EVERYWHERE, rand(3, 5, low=-1.4, high=1.4))
    each(POSITIVE, rand(3, 5, low=0.1, high=9))
    each(WITHIN_ONE, rand(3, 5, low=-0.9, high=0.9))
    each([torch.acosh], rand(7, low=1.1, high=9))


def test_functions_of_halves():
    check_halves(lambda x: [f(x) for f in EVERYWHERE], rand(7, low=-1.4, high=1.4))
    check_halves(lambda x: [f(x) for f in POSITIVE], rand(7, low=0.3, high=9))
    check_halves(lambda x: [f(x) for f in ROUNDING + [torch.abs, torch.sign]], rand(7, low=-4, high=4))


def test_integers_become_floats():
    each([torch.sin, torch.exp, torch.sqrt, torch.erfc, torch.log2, torch.exp2, torch.reciprocal, torch.sinc,
          torch.deg2rad, torch.tanh], ints(6, low=1, high=5))
    each([torch.cos, torch.sigmoid], torch.tensor([True, False]))


def test_empty_and_single_tensors():
    each([torch.sin, torch.exp, torch.frac, torch.square, torch.abs], rand(3, 0))
    each([torch.sin, torch.exp, torch.frac, torch.square, torch.abs], torch.tensor(0.7))


def test_tails_keep_their_digits():
    x = torch.tensor([3.0, 5, 8, -8, 0, 1e-6])
    check(lambda x: (torch.erfc(x) * 1e10, torch.expm1(x * 1e-6) * 1e6, torch.log1p(x * 1e-6 + 2e-5) * 1e6), x,
          gradient=False, rtol=1e-4, atol=1e-6)


def test_rounding():
    each(ROUNDING + [lambda x: torch.round(x, decimals=2), lambda x: torch.round(x, decimals=-1)],
         torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.3, -0.7, 123.456]))
    each([torch.ceil, torch.floor, torch.round, torch.trunc], ints(4, low=-5))


def test_signs():
    x = torch.tensor([-2.0, -0.0, 0.0, 3.0, float("inf"), float("-inf")])
    each([torch.abs, torch.sign, torch.sgn, torch.neg, torch.signbit], x, gradient=False)
    each([torch.abs, torch.sign, torch.neg], rand(5))
    for kind in (torch.int32, torch.int8, torch.int16):
        each([torch.abs, torch.sign, torch.neg, torch.sgn, torch.signbit], ints(5, low=-9, dtype=kind))
    each([torch.sign, torch.signbit], torch.tensor([True, False]))
    check(torch.abs, ints(4, dtype=torch.uint8))


def test_signs_of_others():
    check(torch.copysign, torch.tensor([1.0, -2, 3, -4, 0]), torch.tensor([-0.0, 0.0, -1, 1, -3]), gradient=[0])
    check(torch.copysign, rand(3, 4), rand(4))
    check(lambda x: (torch.copysign(x, -2.0), torch.copysign(x, 2)), rand(4))
    check(torch.heaviside, torch.tensor([-1.0, 0, 2, 0]), rand(4), gradient=False)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.7, 5, -3.0])
def test_powers_of_tensors(exponent):
    check(torch.pow, rand(6, low=0.2, high=2), exponent=exponent)


def test_powers():
    x = torch.tensor([-2.0, -0.5, 0.0, 1.5])
    check(lambda x: (x ** 2, x ** 3, x ** 4), x)
    check(lambda x, y: (torch.pow(x, y), 2 ** y, 0.5 ** y, torch.float_power(x, 2)), rand(3, 4, low=0.2, high=2),
          rand(4, low=-2, high=2))
    check(lambda x, y: (x ** y, x ** 2, x ** 0, x ** 5, 2 ** y, x ** 0.5), ints(5, low=1, high=6), ints(5, high=4))
    check(lambda x: x.clone().pow_(2) + x.clone().sqrt_(), rand(4, low=0.5))
    check_halves(lambda x: (x ** 2, x ** 1.5, 2 ** x), rand(4, low=0.5, high=2))


def test_functions_of_two():
    a, b = rand(3, 4), rand(4)
    each([torch.atan2, torch.logaddexp, torch.logaddexp2, torch.hypot], a, b)
    check(torch.atan2, ints(5, low=-3), ints(5, low=1))
    check_halves(lambda x, y: (torch.hypot(x, y), torch.logaddexp(x, y), torch.atan2(x, y)), a * 300, b * 300)


def test_functions_of_two_at_their_ends():
    inf = float("inf")
    a = torch.tensor([inf, -inf, -inf, 1.0, 1e30, 2.0])
    b = torch.tensor([inf, -inf, 1.0, -inf, 1e30, 2.0])
    check(lambda x, y: (torch.logaddexp(x, y), torch.hypot(x, y)), a, b, gradient=False)
    check(torch.logaddexp, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]))


def test_xlogy_is_zero_at_zero():
    x = torch.tensor([0.0, 0, 0, 2, 2, 0.0])
    y = torch.tensor([0.0, 3, -1, 3, 0.5, float("nan")])
    check(torch.xlogy, x, y, gradient=False)
    check(torch.xlogy, x[1:5], y.clamp_min(0.1)[1:5])
    check(lambda x: (torch.xlogy(x, 2.0), torch.xlogy(3, x)), rand(4, low=0.1))


def test_logit():
    check(torch.logit, rand(6, low=0.05, high=0.95))
    check(torch.logit, torch.tensor([0.0, 0.01, 0.3, 0.99, 1.0]), eps=0.05)


def test_numbers_instead_of_nan():
    x = torch.tensor([float("nan"), float("inf"), float("-inf"), 2.0])
    check(lambda x: (torch.nan_to_num(x), torch.nan_to_num(x, nan=1.0, posinf=5.0, neginf=-6.0)), x, gradient=False)
    check(torch.nan_to_num, rand(3))
    check(torch.nan_to_num, ints(3))
    check(torch.nan_to_num, x.half(), gradient=False)


def test_numbers_as_small_integers():
    scales, zeros = torch.tensor([0.1, 0.2]), torch.tensor([0, 1], dtype=torch.int32)
    check(lambda x: (torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 7),
                     torch.fake_quantize_per_channel_affine(x, scales, zeros, 1, -8, 7)), rand(3, 2, low=-2, high=2))
