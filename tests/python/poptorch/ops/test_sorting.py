# SPDX-License-Identifier: MIT
"""Elements by size, running results, and intervals."""
import pytest
import torch

from harness import check, ints, rand

X = rand(3, 5, 4)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_order(dim):
    check(lambda x: (x.sort(dim), x.sort(dim, descending=True), x.argsort(dim), x.argsort(dim, descending=True),
                     x.topk(2, dim), x.topk(3, dim, largest=False), x.kthvalue(2, dim), x.median(dim),
                     x.median(dim, keepdim=True)), X)


def test_whole_tensors():
    check(lambda x: (x.sort(), x.msort(), x.median(), x.flatten()[:6].median(), x.topk(1)), X)
    check(lambda x: (x.sort(), x.median(), x.kthvalue(1), x.median(0)), rand())


def test_equal_elements():
    x = torch.tensor([[2.0, 1, 2, 0], [3, 3, 3, 3]])
    check(lambda x: (x.sort(stable=True, dim=1), x.sort(stable=True, dim=1, descending=True), x.median()), x)
    check(lambda x: x.mode(1).values, torch.tensor([[1.0, 2, 2, 1, 3], [4, 4, 4, 0, 0], [5, 6, 7, 8, 9]]))


def test_integers():
    x = torch.tensor([[5, -3, 9, 0], [7, 1, -8, 2]], dtype=torch.int)
    check(lambda x: (x.sort(1), x.topk(2), x.median(1), x.kthvalue(3), x.mode(1), x.median(), x.short().sort(1),
                     x.argsort(0)), x)


def test_nanmedian():
    nan = float("nan")
    check(lambda x: (x.nanmedian(1).values, x.nanmedian(), x[:, 1:].nanmedian(1)),
          torch.tensor([[1.0, nan, 3, 2], [nan, 5, nan, 4]]), gradient=False)
    check(lambda x: (x.nanmedian(1), x.nanmedian()), rand(2, 4))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_running(dim):
    check(lambda x: (x.cumsum(dim), x.cumprod(dim), x.logcumsumexp(dim), x.cummax(dim), x.cummin(dim)), X)


def test_running_types():
    check(lambda x: (x.cumsum(0), x.cumprod(0), x.cummax(0), x.cumsum(0, dtype=torch.float), x.bool().cumsum(0),
                     x.short().cumsum(0)), ints(5, low=-2, high=3))
    check(lambda x: (x.cumsum(0), x.cumprod(0), x.logcumsumexp(0), x.cummax(0)), rand())
    check(lambda x: (x.cumprod(0), x.cummax(0), x.cummin(0)), torch.tensor([2.0, 0, 3, 0, 3, 5]))
    check(lambda x: x.logcumsumexp(0), torch.tensor([-float("inf"), -float("inf"), 1.0, 80.0, -80.0]), gradient=False)


def test_intervals():
    b = torch.tensor([0.1, 0.3, 0.3, 0.7])
    check(lambda x, b: (torch.bucketize(x, b), torch.bucketize(x, b, right=True), torch.searchsorted(b, x),
                        torch.searchsorted(b, x, side="right"), torch.bucketize(x, b, out_int32=True)),
          torch.tensor([[0.0, 0.3], [0.7, 0.9]]), b)
    check(lambda x, b: (torch.searchsorted(b, x), torch.searchsorted(b, x, right=True)), rand(2, 3),
          rand(2, 5).sort().values)
    check(lambda x, b, s: torch.searchsorted(b, x, sorter=s), rand(2, 3), *(lambda t: (t, t.argsort()))(rand(2, 5)))
    check(lambda i: torch.bucketize(i, torch.tensor([2, 4, 7])), ints(6))


def test_counts():
    check(lambda i, w: (torch.bincount(i, minlength=10), torch.bincount(i, w, minlength=10)), torch.tensor([9, 0, 3, 3]),
          rand(4), gradient=False)


def test_membership():
    check(lambda x, y: (torch.isin(x, y), torch.isin(x, y, invert=True), torch.isin(x, torch.tensor([3])),
                        torch.isin(x.float(), y)), ints(2, 4), torch.tensor([1, 4, 7]))


@pytest.mark.parametrize("shape", [(70,), (3, 300), (40, 2)])
def test_equal_elements_are_in_the_order_of_torch(shape):
    x = ints(*shape, high=4).float()
    for dim in {0, len(shape) - 1}:
        n = shape[dim]
        check(lambda x: (x.sort(dim), x.argsort(dim), x.sort(dim, descending=True), x.argsort(dim, descending=True),
                         x.sort(dim=dim, stable=True), x.sort(dim=dim, stable=True, descending=True)), x, gradient=False)
        check(lambda x: [x.topk(k, dim, largest) for k in {1, 2, n // 64 + 1, n // 2 + 1, n} for largest in (True, False)],
              x, gradient=False)
        check(lambda x: (x.topk(n // 2, dim, sorted=False), x.topk(1, dim, sorted=False)), x, gradient=False)
        check(lambda x: (x.mode(dim), x.median(dim), x.nanmedian(dim), x.min(dim), x.max(dim), x.argmin(dim),
                         x.argmax(dim)), x, gradient=False)
        check(lambda x: [x.kthvalue(k, dim) for k in {1, 2, n // 3 + 1, n // 2, n - 1, n}], x, gradient=False)
    check(lambda x: (x.argsort(), x.topk(2)), x.int(), gradient=False)
    check(lambda x: x.topk(shape[-1] // 2), x)


def test_nan_is_the_largest():
    nan = float("nan")
    x = torch.tensor([1.0, nan, -2, float("inf"), -nan, 0, nan, -0.0])
    check(lambda x: (x.sort(), x.sort(descending=True), x.topk(3), x.topk(4, largest=False)), x, gradient=False)
    check(lambda x: (x / x).topk(2), torch.tensor([0.0, 1, 2, 0]), gradient=False)  # a quotient's NaN is negative
