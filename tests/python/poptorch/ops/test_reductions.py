# SPDX-License-Identifier: MIT
"""Sums, extremes, moments, norms and distances."""
import pytest
import torch
import torch.nn.functional as F

from harness import check, ints, rand

X = rand(3, 4, 5)
inf = float("inf")


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [0, -1])
def test_along_a_dimension(dim, keepdim):
    k = dict(dim=dim, keepdim=keepdim)
    check(lambda x: (x.sum(**k), x.mean(**k), x.prod(**k), x.amax(**k), x.amin(**k), x.max(**k), x.min(**k),
                     x.argmax(**k), x.argmin(**k), x.std(**k), x.var(**k), x.logsumexp(**k), x.norm(**k),
                     (x > 0).all(**k), (x > 0).any(**k), x.nansum(**k), x.nanmean(**k)), X)


def test_along_several_dimensions():
    d = (0, -1)
    check(lambda x: (x.sum(d), x.mean(d, keepdim=True), x.amax(d), x.std(d), x.logsumexp(d, keepdim=True), x.norm(dim=d),
                     x.count_nonzero(d), torch.std_mean(x, d), torch.var_mean(x, d, unbiased=False),
                     x.nansum(d), x.var(d, keepdim=True)), X)


def test_of_everything():
    check(lambda x: (x.sum(), x.mean(), x.prod(), x.amax(), x.max(), x.min(), x.argmax(), x.argmin(), x.std(), x.var(),
                     x.norm(), x.norm(1), torch.std_mean(x), torch.var_mean(x, unbiased=False), x.count_nonzero(),
                     (x > 0).all(), (x < 2).any(), x.logsumexp((0, 1, 2)), x.nansum(),
                     x.sum(dtype=torch.half), x.argmax(keepdim=True), x.mean(())), X)


def test_aminmax():
    check(lambda x: (torch.aminmax(x), torch.aminmax(x, dim=1), torch.aminmax(x, dim=-1, keepdim=True)), X,
          gradient=False)


def test_scalars():
    check(lambda x: (x.sum(), x.sum(0), x.mean(), x.max(), x.max(0), x.argmax(), x.argmax(0), x.prod(), x.amax(),
                     x.var(unbiased=False), x.norm(), x.logsumexp(0), (x > 0).any(0)), rand())


@pytest.mark.parametrize("correction", [0, 1, 2])
def test_moments(correction):
    check(lambda x: (torch.var(x, 1, correction=correction), torch.std(x, (0, 2), correction=correction),
                     torch.std_mean(x, 1, correction=correction), torch.var(x, None, correction=correction)), X)


def test_moments_of_equal_and_of_single_elements():
    check(lambda x: (x.std(0), x.var(0)), torch.ones(3, 2))
    check(lambda x: (x.var(0), x.var(1)), rand(2, 1), gradient=False)


def test_equal_elements():
    x = torch.tensor([[1.0, 3, 3], [3, 0, 2]])
    check(lambda x: (x.max(), x.max(1), x.amax(1), x.argmax(1), x.min(0), x.amin()), x)


def test_zeros_in_products():
    check(lambda x: (x.prod(), x.prod(1)), torch.tensor([[1.0, 0, 3], [2, 5, 2]]))
    check(lambda x: x.prod(1), torch.tensor([[0.0, 0, 3], [2, 0, 2]]))


def test_integers_and_bools():
    check(lambda x, b: (x.sum(), x.sum(1), x.prod(1), x.amax(0), x.max(1), x.argmin(1), x.all(), x.any(0), b.sum(),
                        b.all(1), b.any(), b.sum(0), x.count_nonzero(1), x.sum(dtype=torch.float), x.mean(dtype=torch.float),
                        x.max(b.int()), x.short().sum(1), x.to(torch.uint8).all(), x.to(torch.int8).max(0), b.amax(0)),
          ints(3, 4, low=-3, high=4), ints(3, 4, high=2).bool())


def test_two_tensors():
    check(lambda a, b: (torch.max(a, b), torch.min(a, b[0])), rand(3, 4), rand(3, 4))


def of_no_rows(x):
    return (x.sum(), x.sum(0), x.prod(0), x.mean(0), (x > 0).all(), (x > 0).any(0), x.sum(1), x.count_nonzero(), x.norm(),
            x.amax(1), x.argmax(1), x.max(1), x.var(0))


def test_nothing():
    check(lambda x: of_no_rows(x[:0]), rand(1, 3), gradient=False)


def extremes(x):
    return (x.amax(), x.amin(0), x.amax((0, 1)), x.max(), x.min(), x.max(1), x.min(1), x.min(0), x.argmax(), x.argmin(1),
            x.argmax(0), x.aminmax(dim=1), x.median(), x.median(1), x.clamp(0, 2), torch.maximum(x, x[0]), x.topk(2, 1).values,
            x.kthvalue(2, 1).values, x.cummax(1), x.relu(), F.hardtanh(x), x.softmax(1), x.abs().sign())


def test_numbers_that_are_none():
    nan = float("nan")
    check(lambda x: (x.nansum(), x.nansum(1), x.nanmean(1)), torch.tensor([[1.0, nan, 2], [3, 4, nan]]), gradient=False)
    check(lambda x: torch.nanmean(x, 1, out=torch.zeros(2)), torch.tensor([[1.0, nan, 2], [3, 4, nan]]), gradient=False)
    check(extremes, torch.tensor([[1.0, nan, 2], [3, 4, 5], [nan, 7, nan]]), gradient=False)
    check(extremes, rand(3, 70).masked_fill(rand(3, 70) > 0.97, nan), gradient=False)
    check(extremes, rand(2, 3), gradient=False)
    check(lambda x: (x.min(1).values, x.max(1).values, x.median(1).values), torch.tensor([[1.0, 1, 2], [3, 4, 3]]))
    check(lambda x: (x.logsumexp(1),), torch.tensor([[-inf, -inf], [100.0, 101.0], [-inf, 0.5]]), gradient=False)


@pytest.mark.parametrize("p", [0, 0.5, 1, 1.5, 2, 3, inf, -inf, -1])
def test_norms(p):
    check(lambda x: (x.norm(p), x.norm(p, 1), x.norm(p, (0, 2), keepdim=True), torch.linalg.vector_norm(x, p, 1),
                     torch.linalg.vector_norm(x, p)), rand(2, 3, 4, low=0.2))


@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_norms_of_zeros(p):
    check(lambda x: x.norm(p, 1), torch.tensor([[0.0, 0], [1, 0], [-2, 3]]))


def test_matrix_norms():
    check(lambda x: (torch.linalg.norm(x, dim=(1, 2)), torch.linalg.matrix_norm(x), torch.linalg.matrix_norm(x, 1),
                     torch.linalg.matrix_norm(x, inf), torch.linalg.matrix_norm(x, -1), torch.linalg.norm(x[0], "fro"),
                     torch.linalg.norm(x), torch.linalg.norm(x[0, 0], 3), torch.norm(x[0], "fro"),
                     torch.frobenius_norm(x, (1, 2))), X)
    with pytest.raises(Exception, match="singular values"):
        check(lambda x: torch.linalg.matrix_norm(x, "nuc"), X)


def test_half():
    x = rand(3, 64, dtype=torch.half)

    def reference(x):
        y = x.float() if x.device.type == "cpu" else x
        return [r.half() for r in (y.sum(1), y.mean(1), y.var(1), y.std(1), y.norm(dim=1), y.amax(1))]
    check(reference, x, rtol=5e-3, atol=5e-3)


@pytest.mark.parametrize("p", [0.5, 1, 2, 3, inf])
def test_distances(p):
    a, b = rand(2, 3, 4), rand(2, 5, 4)
    check(lambda a, b: (torch.cdist(a, b, p), torch.cdist(a[0], b, p), F.pairwise_distance(a, b[:, :3], p),
                        torch.dist(a, b[:, :3], p), F.pairwise_distance(a, b[:, :3], p, keepdim=True)), a, b)


def test_distances_by_products():
    a, b = rand(30, 8), rand(4, 8)
    check(lambda a, b: (torch.cdist(a, b), torch.cdist(a[:3], b, compute_mode="use_mm_for_euclid_dist")), a, b,
          rtol=1e-3, atol=1e-4)
    check(torch.cdist, *(lambda t: (t, t.clone()))(rand(3, 4)))


def test_distances_of_pairs():
    check(lambda x: (F.pdist(x), F.pdist(x, 1)), rand(4, 3))


def test_cosine_similarity():
    check(lambda a, b: (F.cosine_similarity(a, b), F.cosine_similarity(a, b[:1], -1), F.cosine_similarity(a, b, 0)),
          rand(3, 4, 5), rand(3, 4, 5))
    check(lambda a, b: F.cosine_similarity(a, b), torch.tensor([[0.0, 0], [1, 2]]), rand(2, 2))


def test_renorm():
    check(lambda x: (torch.renorm(x, 2, 0, 0.7), torch.renorm(x, 1, 1, 1.0)), rand(3, 4), rtol=1e-3)


def test_cosine_of_numbers():
    check(lambda a, b: F.cosine_similarity(a, b, 0), rand(), rand())
