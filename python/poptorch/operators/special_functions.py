# SPDX-License-Identifier: MIT
"""Functions that the device has no instruction and PopART no operator for, made of those there are: gamma functions,
inverses of the error function, Bessel functions. Accurate to float32; halves are computed in float32."""
import math

import torch

_sqrt_pi, _log_two_pi = math.sqrt(math.pi), math.log(2 * math.pi)


def _wide(x):
    return x.float() if not x.is_floating_point() or x.dtype is torch.half else x


def _real(function):
    """A function of one tensor, in float32 and with a result of its type; integers give floats."""
    def computed(x):
        return function(_wide(x)).to(x.dtype if x.is_floating_point() else torch.float)
    return computed


def _polynomial(x, coefficients):
    """The last coefficient is that of 1."""
    y = torch.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        y = y * x + c
    return y


# ---- gamma functions: reflected to x >= 1/2, moved beyond 8, and Stirling's series there

_shift = 8


def _reflected(x):
    low = x < 0.5
    return low, torch.where(low, 1 - x, x)


def _stirling(y):
    """log(gamma(y)) for y > 8"""
    r = 1 / y
    series = r * _polynomial(r * r, [1 / 1260, -1 / 360, 1 / 12])
    return (y - 0.5) * y.log() - y + 0.5 * _log_two_pi + series


@_real
def lgamma(x):
    low, z = _reflected(x)
    product = z
    for k in range(1, _shift):
        product = product * torch.where(z < 16, z + k, torch.ones_like(z))  # beyond that no move is needed
    product = torch.where(z < 16, product, torch.ones_like(z))
    high = _stirling(torch.where(z < 16, z + _shift, z)) - product.log()
    # |gamma(x) gamma(1 - x)| = pi / |sin(pi x)|
    turn = x - x.detach().floor()
    sine = torch.where(low, (turn * math.pi).sin(), torch.ones_like(x))
    y = torch.where(low, math.log(math.pi) - sine.log() - high, high)
    return torch.where(x.isinf(), torch.full_like(x, math.inf), y)


@_real
def digamma(x):
    low, z = _reflected(x)
    moved = sum(1 / (z + k) for k in range(_shift))
    y = z + _shift
    r = 1 / y
    square = r * r
    series = square * _polynomial(square, [1 / 252, -1 / 120, 1 / 12])
    high = y.log() - 0.5 * r - series - moved
    turn = torch.where(low, x - x.detach().floor(), torch.full_like(x, 0.5))
    y = torch.where(low, high - math.pi / (turn * math.pi).tan(), high)
    pole = torch.where(x == 0, torch.copysign(torch.full_like(x, math.inf), -x), torch.full_like(x, math.nan))
    return torch.where((x <= 0) & (x == x.detach().floor()), pole, y)


def _zeta(s, q):
    """Hurwitz' zeta function, sum of (q + k)^-s, for a whole number s > 1: Euler and Maclaurin from q + 16 on, so that
    q may be as low as -8."""
    n = 16
    total = sum((q + k) ** -s for k in range(n))
    y = q + n
    total = total + y ** (1 - s) / (s - 1) + 0.5 * y ** -s
    factor, power = float(s), y ** (-s - 1)
    for i, b in enumerate((1 / 12, -1 / 720, 1 / 30240, -1 / 1209600)):  # Bernoulli's numbers over (2i)!
        total = total + b * factor * power
        factor *= (s + 2 * i + 1) * (s + 2 * i + 2)
        power = power / (y * y)
    return total


def polygamma(n, x):
    """The n-th derivative of digamma, for x > -8."""
    if n == 0:
        return digamma(x)
    return _real(lambda x: (-1) ** (n + 1) * math.factorial(n) * _zeta(n + 1, x))(x)


def mvlgamma(x, p):
    return sum(lgamma(x - 0.5 * j) for j in range(p)) + p * (p - 1) / 4 * math.log(math.pi)


# ---- the normal distribution. Coefficients of erfinv: M. Giles, Approximating the erfinv function, 2010.

_central = [2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
            -0.00417768164, 0.246640727, 1.50140941]
_tail = [-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
         1.00167406, 2.83297682]


@_real
def erfinv(x):
    fixed = x.detach()
    inside = fixed.abs() < 1
    safe = torch.where(inside, fixed, torch.zeros_like(fixed))
    w = -((1 - safe) * (1 + safe)).log()
    factor = torch.where(w < 5, _polynomial(w - 2.5, _central), _polynomial(w.sqrt() - 3, _tail))
    y = factor * safe
    slope = 0.5 * _sqrt_pi * (y * y).exp()  # the gradient by its formula: that of the polynomials is less accurate
    edge = torch.where(fixed.abs() == 1, fixed * math.inf, torch.full_like(fixed, math.nan))
    return torch.where(inside, y + (x - fixed) * slope, edge)


def ndtri(x):
    """The inverse of the normal distribution function."""
    return erfinv(2 * x - 1) * math.sqrt(2)


@_real
def erfcx(x):
    """exp(x^2) erfc(x): by that formula, and beyond 2 by its continued fraction"""
    near = torch.where(x < 2, x, torch.zeros_like(x))
    far = torch.where(x < 2, torch.full_like(x, 2), x)
    fraction = far
    for k in range(30, 0, -1):
        fraction = far + (k / 2) / fraction
    return torch.where(x < 2, (near * near).exp() * torch.erfc(near), 1 / (fraction * _sqrt_pi))


@_real
def log_ndtr(x):
    """log of the normal distribution function"""
    t = x / math.sqrt(2)
    low = torch.where(x < -1, -t, torch.ones_like(t))
    high = torch.where(x < -1, torch.zeros_like(t), t)
    return torch.where(x < -1, (erfcx(low) / 2).log() - low * low, torch.log1p(-torch.erfc(high) / 2))


# ---- modified Bessel functions. Coefficients: Abramowitz and Stegun, 9.8.1 to 9.8.4.

_i0_near = [0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0]
_i0_far = [0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592,
           0.39894228]
_i1_near = [0.00032411, 0.00301532, 0.02658733, 0.15084934, 0.51498869, 0.87890594, 0.5]
_i1_far = [-0.00420059, 0.01787654, -0.02895312, 0.02282967, -0.01031555, 0.00163801, -0.00362018,
           -0.03988024, 0.39894228]


def _bessel(near, far, odd, scaled):
    @_real
    def bessel(x):
        size = x.abs()
        small = torch.where(size < 3.75, x, torch.zeros_like(x))
        large = torch.where(size < 3.75, torch.full_like(x, 3.75), size)
        inner = _polynomial((small / 3.75) ** 2, near)
        outer = _polynomial(3.75 / large, far) / large.sqrt()
        if odd:
            inner, outer = inner * small, outer * x.sign()
        return torch.where(size < 3.75, inner * (-small.abs()).exp() if scaled else inner,
                           outer if scaled else outer * large.exp())
    return bessel


# ---- products with logarithms, and angles

def xlog1py(x, y):
    """x log(1 + y), and 0 where x is 0"""
    x, y = (v if isinstance(v, torch.Tensor) else torch.tensor(float(v)) for v in (x, y))
    logs = torch.log1p(_wide(y))
    return torch.where((x == 0) & ~logs.isnan(), torch.zeros_like(logs), x * logs)


@_real
def entr(x):
    """-x log(x), 0 at 0 and -inf below"""
    safe = torch.where(x > 0, x, torch.ones_like(x))
    y = torch.where(x > 0, -safe * safe.log(), torch.where(x < 0, torch.full_like(x, -math.inf), x))
    return torch.where(x == 0, torch.zeros_like(x), y)


@_real
def angle(x):
    return torch.where(x < 0, torch.full_like(x, math.pi), torch.where(x.isnan(), x, torch.zeros_like(x)))


functions = {
    "lgamma": lgamma, "digamma": digamma, "polygamma": polygamma, "mvlgamma": mvlgamma, "erfinv": erfinv,
    "angle": angle, "i0": _bessel(_i0_near, _i0_far, False, False), "special_i0e": _bessel(_i0_near, _i0_far, False, True),
    "special_i1": _bessel(_i1_near, _i1_far, True, False), "special_i1e": _bessel(_i1_near, _i1_far, True, True),
    "special_ndtri": ndtri, "special_erfcx": erfcx, "special_log_ndtr": log_ndtr, "special_xlog1py": xlog1py,
    "special_entr": entr,
}
