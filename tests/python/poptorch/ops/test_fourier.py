# SPDX-License-Identifier: MIT
"""torch.fft: values and gradients, of lengths that are one product, several, and a convolution (long primes)."""
import poptorch
import pytest
import torch
from torch import nn

from harness import check, rand
from modules import check_module

fft = torch.fft
LENGTHS = [1, 2, 5, 8, 12, 31, 128, 129, 131, 150, 262, 600]
NORMS = [None, "backward", "ortho", "forward"]


def parts(z):
    return torch.view_as_real(z.resolve_conj())


def both(function, **keywords):
    """A function of complex numbers, of their real and imaginary parts."""
    def of_parts(a, b):
        y = function(torch.complex(a, b), **keywords)
        return parts(y) if y.is_complex() else y
    return of_parts


@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(n):
    x, y = rand(2, n), rand(2, n)
    check(both(fft.fft), x, y, atol=1e-4)
    check(both(fft.ifft), x, y)
    check(lambda v: parts(fft.rfft(v)), x, atol=1e-4)
    check(both(fft.irfft, n=2 * n - 1), x, y)
    if n > 1:
        check(both(fft.irfft), x, y)


def test_a_long_prime():
    check(both(fft.fft), rand(2003), rand(2003), rtol=1e-3, atol=1e-3, gradient=False)


@pytest.mark.parametrize("norm", NORMS)
def test_norms(norm):
    x, y = rand(3, 6), rand(3, 6)
    check(both(fft.fft, norm=norm), x, y)
    check(both(fft.ifft, norm=norm), x, y)
    check(both(fft.irfft, norm=norm), x, y)
    check(both(fft.hfft, norm=norm), x, y)
    check(lambda v: parts(fft.rfft(v, norm=norm)), x)
    check(lambda v: parts(fft.ihfft(v, norm=norm)), x)
    check(lambda v: parts(fft.fft(v, norm=norm)), x)
    check(lambda v: parts(fft.ifft(v, norm=norm)), x)


@pytest.mark.parametrize("dims", [(0, 1, 2), (2, 0), (1,), (-1, -2)])
def test_several_dimensions(dims):
    x, y = rand(3, 4, 5), rand(3, 4, 5)
    check(both(fft.fftn, dim=dims, norm="ortho"), x, y)
    check(both(fft.ifftn, dim=dims), x, y)
    check(lambda v: parts(fft.rfftn(v, dim=dims)), x)
    check(both(fft.irfftn, dim=dims), x, y)


def test_two_dimensions():
    x, y = rand(2, 6, 5), rand(2, 6, 5)
    check(both(fft.fft2), x, y)
    check(both(fft.ifft2), x, y)
    check(lambda v: parts(fft.rfft2(v, norm="ortho")), x)
    check(both(fft.irfft2, s=(6, 9)), x, y)


@pytest.mark.parametrize("n", [3, 9])
def test_shorter_and_longer(n):
    """Cut off, and filled up with zeros."""
    check(both(fft.fft, n=n, dim=0), rand(6, 2), rand(6, 2))
    check(lambda v: parts(fft.rfft(v, n=n)), rand(2, 6))
    check(both(fft.irfft, n=n), rand(2, 4), rand(2, 4))


def test_shifts():
    check(both(fft.fftshift), rand(3, 4), rand(3, 4))
    check(both(fft.ifftshift, dim=1), rand(3, 5), rand(3, 5))
    check(lambda v: v * fft.fftfreq(5) + fft.rfftfreq(8), rand(2, 5))


def test_halves():
    """They are computed in float32; torch has no such transforms on the host."""
    class Mixed(nn.Module):
        def forward(self, x):
            if x.dtype is torch.half and not poptorch.isRunningOnIpu():
                x = x.float()
            return fft.irfft(fft.fft(x).abs())

    x = rand(2, 12)
    found = poptorch.inferenceModel(Mixed())(x.half())
    torch.testing.assert_close(found, Mixed()(x.half()), rtol=1e-4, atol=1e-4)


def test_integers():
    check(lambda v: parts(fft.fft(v)), torch.arange(12).reshape(2, 6))


def test_short_time():
    window = torch.hann_window(16)
    check(lambda v: parts(torch.stft(v, 16, 4, window=window, return_complex=True)), rand(2, 64))
    check(lambda v: parts(torch.stft(v, 16, return_complex=True, center=False, onesided=False)), rand(64))


def test_magnitudes_of_silence():
    """The derivative of |0| is 0."""
    check(lambda v: fft.rfft(v).abs(), torch.cat([torch.zeros(1, 8), rand(1, 8)]))


class FNet(nn.Module):
    """Tokens are mixed by the real part of a transform along words and features."""

    def __init__(self):
        super().__init__()
        self.norm, self.inner, self.outer = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        x = self.norm(x + fft.fftn(x, dim=(1, 2)).real)
        return x + self.outer(nn.functional.gelu(self.inner(x)))


class GlobalFilter(nn.Module):
    """Pictures filtered by weights of frequencies."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(rand(6, 4, 3, 2))

    def forward(self, x):
        x = fft.rfft2(x, dim=(1, 2), norm="ortho") * torch.view_as_complex(self.weight)
        return fft.irfft2(x, s=(6, 6), dim=(1, 2), norm="ortho")


class SpectralConv(nn.Module):
    """The low frequencies go through weights into zeros, in place."""

    def __init__(self):
        super().__init__()
        self.low, self.high = (nn.Parameter(rand(2, 3, 2, 2, 2)) for _ in range(2))

    def forward(self, x):
        found = fft.rfft2(x)
        out = torch.zeros(x.shape[0], 3, x.shape[2], x.shape[3] // 2 + 1, dtype=torch.cfloat, device=x.device)
        out[:, :, :2, :2] = torch.einsum("bixy,ioxy->boxy", found[:, :, :2, :2], torch.view_as_complex(self.low))
        out[:, :, -2:, :2] = torch.einsum("bixy,ioxy->boxy", found[:, :, -2:, :2], torch.view_as_complex(self.high))
        out *= 0.5
        return fft.irfft2(out, s=x.shape[-2:])


@pytest.mark.parametrize("model, shape", [(FNet, (2, 6, 8)), (GlobalFilter, (2, 6, 6, 3)), (SpectralConv, (2, 2, 6, 8))])
def test_models(model, shape):
    check_module(model(), rand(*shape))


def test_copies_are_apart():
    """What is written into a copy is not in what it is a copy of, but in views."""
    def function(a, b):
        z = torch.complex(a, b)
        copy, view = z.clone(), z[0]
        copy.mul_(2)
        view += 1
        first, second = copy.split(1)
        return [parts(t) for t in (z, copy, first.squeeze(0), *second.unbind(0), z.t().flip(0), 1 / z)]
    check(function, rand(2, 3, low=0.2), rand(2, 3, low=0.2))
