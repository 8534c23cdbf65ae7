# SPDX-License-Identifier: MIT
"""Discrete Fourier transforms, as products with matrices of cosines and sines. Complex tensors [...] are real ones [..., 2].

What is longer than one product should be is split: n = a * b numbers are b transforms of a, factors for each, and a of b.
Long primes become a convolution, which is transforms of a power of two: 2 j k = j^2 + k^2 - (k - j)^2.
"""
import functools
import math

import torch

from poptorch.base import compat

_LARGEST = 128  # numbers that one product transforms


def _kept(make):
    """A function that makes a tensor for numbers: a real one of the host, once."""
    @functools.lru_cache(maxsize=64)
    def made(*numbers):
        with torch.inference_mode(False), compat.undispatched():
            return make(*numbers).contiguous()
    return made


def _turns(numerators, n, sign):
    """exp(sign * 2 pi i numerators / n): its real and imaginary parts."""
    angles = (numerators % n).double() * (sign * 2 * math.pi / n)
    return angles.cos(), angles.sin()


def _up_to(n):
    return torch.arange(n, device="cpu")


def _products(rows, columns, n, sign):
    return _turns(torch.outer(_up_to(rows), _up_to(columns)), n, sign)


@_kept
def _pairs_to_pairs(n, sign, dtype):
    cosines, sines = _products(n, n, n, sign)
    rows = torch.stack([torch.stack([cosines, sines], -1), torch.stack([-sines, cosines], -1)], 1)
    return rows.reshape(2 * n, 2 * n).to(dtype)


@_kept
def _reals_to_pairs(n, kept, dtype):
    return torch.stack(_products(n, kept, n, -1), -1).reshape(n, 2 * kept).to(dtype)


@_kept
def _pairs_to_reals(n, dtype):
    """From the first half: the other is its mirror image."""
    given = n // 2 + 1
    cosines, sines = _products(given, n, n, 1)
    times = torch.where((2 * _up_to(given) % n == 0), 1.0, 2.0).double().unsqueeze(1)
    return torch.stack([times * cosines, -times * sines], 1).reshape(2 * given, n).to(dtype)


def _factors(real, imaginary, dtype):
    """[what a pair is multiplied with, what its parts in the other order are]."""
    return torch.stack([torch.stack([real, real], -1), torch.stack([-imaginary, imaginary], -1)]).to(dtype)


def _times(x, factors):
    same, other = factors.unbind()
    return x * same + x.flip(-1) * other


@_kept
def _between(b, a, sign, dtype):
    """What stands between the two steps of a split transform."""
    real, imaginary = _products(b, a, a * b, sign)
    return _factors(real, imaginary, dtype)


@_kept
def _chirp(n, sign, dtype):
    real, imaginary = _turns(_up_to(n) ** 2, 2 * n, sign)
    return _factors(real, imaginary, dtype)


@_kept
def _transformed_chirp(n, m, sign, dtype):
    """Of the convolution's m numbers, those that are not 0 lie on both sides of the first; the inverse transform's 1 / m."""
    chirp = torch.complex(*_turns(_up_to(n) ** 2, 2 * n, -sign))
    padded = torch.cat([chirp, chirp.new_zeros(m - 2 * n + 1), chirp[1:].flip(0)])
    found = torch.fft.fft(padded) / m
    return _factors(found.real, found.imag, dtype)


def _divisor(n):
    """The one next to the square root."""
    return next(a for a in range(math.isqrt(n), 0, -1) if n % a == 0)


def _transform(x, sign):
    """Of [..., n, 2], along n."""
    n = x.size(-2)
    if n <= _LARGEST:
        return (x.flatten(-2) @ _pairs_to_pairs(n, sign, x.dtype)).reshape(x.shape)
    a = _divisor(n)
    if a == 1:
        return _convolved(x, sign)
    b = n // a
    y = _transform(x.reshape(*x.shape[:-2], a, b, 2).transpose(-3, -2), sign)
    y = _times(y, _between(b, a, sign, x.dtype)).transpose(-3, -2)
    return _transform(y, sign).transpose(-3, -2).reshape(x.shape)


def _convolved(x, sign):
    n = x.size(-2)
    m, chirp = 1 << (2 * n - 2).bit_length(), _chirp(n, sign, x.dtype)
    y = _transform(torch.nn.functional.pad(_times(x, chirp), (0, 0, 0, m - n)), -1)
    y = _transform(_times(y, _transformed_chirp(n, m, sign, x.dtype)), 1)
    return _times(y.narrow(-2, 0, n), chirp)


def _along(x, dims, sign):
    for dim in dims:
        x = _transform(x.movedim(dim, -2), sign).movedim(-2, dim)
    return x


def _scaled(x, numbers, normalization):
    """normalization: 0 for none, 1 for the square root, 2 for all. numbers: how many are summed."""
    return x if not normalization else x * (1 / math.sqrt(numbers) if normalization == 1 else 1 / numbers)


def _sizes(x, dims):
    return math.prod(x.size(dim) for dim in dims)


def complex_to_complex(x, dims, normalization, forward):
    """dims: from the front."""
    return _scaled(_along(x, dims, -1 if forward else 1), _sizes(x, dims), normalization)


def real_to_complex(x, dims, normalization, onesided):
    """Of real numbers; onesided: the first half along the last of dims, the other is its mirror image."""
    numbers, last = _sizes(x, dims), dims[-1]
    x = x.movedim(last, -1)
    n = x.size(-1)
    kept = n // 2 + 1 if onesided else n
    if n <= _LARGEST:
        y = (x @ _reals_to_pairs(n, kept, x.dtype)).reshape(*x.shape[:-1], kept, 2)
    else:
        y = _transform(torch.stack([x, torch.zeros_like(x)], -1), -1).narrow(-2, 0, kept)
    return _scaled(_along(y.movedim(-2, last), dims[:-1], -1), numbers, normalization)


def complex_to_real(x, dims, normalization, n):
    """The inverse of a onesided transform of n numbers along the last of dims."""
    numbers, last = _sizes(x, dims[:-1]) * n, dims[-1]
    x = _along(x, dims[:-1], 1).movedim(last, -2)
    if n <= _LARGEST:
        y = x.flatten(-2) @ _pairs_to_reals(n, x.dtype)
    else:
        mirrored = x.narrow(-2, 1, (n - 1) // 2).flip(-2) * torch.tensor([1.0, -1.0], dtype=x.dtype)
        y = _transform(torch.cat([x, mirrored], -2), 1).select(-1, 0)
    return _scaled(y.movedim(-1, last), numbers, normalization)
