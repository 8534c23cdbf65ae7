# SPDX-License-Identifier: MIT
"""Functions that are made of others: of gamma, of the normal distribution, of Bessel; and statistics."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from halves import check_halves, each
from harness import check, ints, rand

nan, inf = float("nan"), float("inf")
close = dict(rtol=1e-3, atol=1e-4)
X = torch.tensor([0.1, 0.5, 0.9, 1, 1.5, 2, 3.3, 10, 50, 200, -0.3, -1.7, -5.2, 1e-3])


def test_gamma_functions():
    each([torch.lgamma, torch.digamma, lambda x: (x * 1).lgamma_(), torch.special.gammaln], X, **close)
    each([torch.lgamma, torch.digamma], torch.tensor([0.0, -1, -2, 1e10, 1e-20]), gradient=False)
    check(torch.lgamma, torch.tensor([inf, -3.0]), gradient=False)
    check_halves(torch.lgamma, torch.tensor([0.5, 3, 7]))
    check(torch.lgamma, ints(5, low=1))


def test_derivatives_of_digamma():
    each([lambda x, n=n: torch.polygamma(n, x) for n in range(4)], X[:9], **close)
    check(lambda x: torch.polygamma(1, x), torch.tensor([-3.3, -0.5, 2]), gradient=False, **close)
    check(lambda x: torch.mvlgamma(x, 3), rand(4, low=2, high=9), **close)


def test_normal_distribution():
    check(torch.erfinv, torch.tensor([0, 0.1, -0.5, 0.9, 0.99, -0.9999]), **close)
    check(torch.erfinv, torch.tensor([1.0, -1, 2]), gradient=False)
    check(torch.special.ndtri, rand(9, low=0.01, high=0.99), **close)
    x = torch.tensor([-3, -1.5, -0.3, 0.0, 0.4, 1.2, 2.5, 4, 8])
    each([torch.special.log_ndtr, torch.special.erfcx], x, **close)
    check(torch.special.log_ndtr, torch.tensor([-20.0, -6]), **close)


def test_bessel_functions():
    x = torch.tensor([-8, -3, -1.5, -0.3, 0.0, 0.4, 1.2, 2.5, 4, 8])
    each([torch.special.i0, torch.special.i1], x, **close)
    each([torch.special.i0e, torch.special.i1e], x, gradient=False, **close)


def test_products_with_logarithms():
    check(torch.special.xlog1py, torch.tensor([0.0, 1, 2]), torch.tensor([-1, 0.5, 0.3]), gradient=False)
    check(lambda x: (torch.special.xlog1py(2, x), torch.special.entr(x)), rand(3, low=0.1))
    check(torch.special.entr, torch.tensor([0.0, -1, 2, nan]), gradient=False)
    check(torch.angle, torch.tensor([-1.0, 0, 2]))


@pytest.mark.parametrize("keywords", [
    {}, {"dim": 1}, {"dim": 0, "keepdim": True}, {"dim": -1, "interpolation": "nearest"}, {"interpolation": "higher"},
    {"interpolation": "lower", "keepdim": True}, {"dim": 1, "interpolation": "midpoint"}], ids=str)
def test_quantiles(keywords):
    q = torch.tensor([0.1, 0.5, 1.0])
    check(lambda x: (torch.quantile(x, 0.3, **keywords), torch.quantile(x, q, **keywords)), rand(3, 5, 4))


def test_quantiles_of_what_is_no_number():
    x = torch.tensor([[1, nan, 3, 7], [2, 4, 1, 9], [nan, nan, nan, nan]])
    check(lambda x: (torch.quantile(x, 0.3, 1), torch.nanquantile(x, 0.3, 1),
                     torch.nanquantile(x, torch.tensor([0.5, 0.9]), 1, True)), x, gradient=False)


def test_covariances():
    check(lambda x: (torch.cov(x), torch.cov(x, correction=0), torch.corrcoef(x), torch.cov(x[0]), torch.corrcoef(x[0]),
                     torch.cov(x[:1])), rand(3, 5), atol=1e-4)
    f, a = torch.tensor([1, 2, 3, 1, 1]), torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5])
    check(lambda x: (torch.cov(x, fweights=f), torch.cov(x, aweights=a),
                     torch.cov(x, correction=0, fweights=f, aweights=a)), rand(3, 5), atol=1e-4)


def test_histograms():
    check(lambda x: (torch.histc(x, 4), torch.histc(x, 5, -0.5, 0.5), torch.histc(x * 0 + 2, 3)), rand(30),
          gradient=False)


def test_margins_of_several_labels():
    check(lambda x, y: (F.multilabel_margin_loss(x, y), F.multilabel_margin_loss(x, y, reduction="none"),
                        F.multilabel_margin_loss(x[0], y[0], reduction="sum")),
          rand(2, 4), torch.tensor([[3, 0, -1, 1], [2, -1, 0, 1]]))


class Drawn(torch.nn.Module):
    def forward(self, p):
        return p.multinomial(400, True), p.multinomial(3), torch.distributions.Categorical(p).sample((200,))


def test_draws_by_chances():
    many, few, samples = poptorch.inferenceModel(Drawn())(torch.tensor([[0.1, 0, 0.6, 0.3], [0, 0, 1, 0.0]]))
    counts = torch.bincount(many[0], minlength=4) / 400
    assert torch.allclose(counts, torch.tensor([0.1, 0, 0.6, 0.3]), atol=0.12) and (many[1] == 2).all()
    assert sorted(few[0].tolist()) == [0, 2, 3] and few[1][0] == 2
    assert samples.shape == (200, 2) and (samples[:, 1] == 2).all() and set(samples[:, 0].tolist()) <= {0, 2, 3}
