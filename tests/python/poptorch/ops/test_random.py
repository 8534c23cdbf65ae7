# SPDX-License-Identifier: MIT
"""Random numbers by their statistics, and dropouts by what their gradients drop."""
import math

import pytest
import torch
import torch.nn.functional as F

import poptorch

N = 20000


class _Draw(torch.nn.Module):
    def __init__(self, *functions):
        super().__init__()
        self.functions = functions

    def forward(self, x):
        return [f(x) for f in self.functions]


def draw(*functions, x=None, seed=42):
    model = poptorch.inferenceModel(_Draw(*functions), poptorch.Options().randomSeed(seed))
    return model(torch.zeros(N) if x is None else x)


def near(actual, expected, deviation, count=N):
    """The mean of `count` numbers of that standard deviation, within five of its own."""
    assert abs(float(actual) - expected) < 5 * deviation / math.sqrt(count)


def test_uniform_numbers():
    a, b, c, d = draw(lambda x: torch.rand(N), torch.rand_like, lambda x: torch.rand(100, 200, dtype=torch.half),
                      lambda x: x.clone().uniform_(-2, 6))
    for y in (a, b, c.float()):
        assert y.min() >= 0 and y.max() < 1
        near(y.mean(), 0.5, math.sqrt(1 / 12))
        near((y * y).mean(), 1 / 3, 0.3)
    assert c.dtype is torch.half and c.shape == (100, 200)
    assert d.min() >= -2 and d.max() < 6 and d.max() > 5.9
    near(d.mean(), 2, 8 / math.sqrt(12))
    assert not torch.equal(a, b)


def test_normal_numbers():
    mean, std = torch.linspace(-1, 1, N), torch.full((N,), 0.5)
    a, b, c, d, e, f, g, h = draw(lambda x: torch.randn(N), torch.randn_like, lambda x: torch.normal(mean),
                                  lambda x: torch.normal(2.0, std), lambda x: torch.normal(mean, std),
                                  lambda x: torch.normal(1.0, 3.0, (N,)), lambda x: x.clone().normal_(1, 2),
                                  lambda x: torch.randn(N, dtype=torch.half))
    for y in (a, b, c - mean, (d - 2) / 0.5, (e - mean) / std, (f - 1) / 3, (g - 1) / 2, h.float()):
        near(y.mean(), 0, 1)
        near((y * y).mean(), 1, math.sqrt(2))
    assert h.dtype is torch.half


def test_distributions():
    D = torch.distributions
    p = torch.linspace(0.1, 0.9, N)
    a, b, c, d, e = draw(lambda x: D.Normal(x, 2.0).sample(), lambda x: D.Uniform(-x, x).sample(),
                         lambda x: D.Exponential(x).sample(), lambda x: D.Bernoulli(x).sample(),
                         lambda x: D.Normal(x, x).log_prob(x + 1), x=p)
    near(((a - p) / 2).mean(), 0, 1)
    near(((a - p) ** 2 / 4).mean(), 1, math.sqrt(2))
    near((b / p).mean(), 0, 0.6)
    near((c * p).mean(), 1, 1)
    near((d - p).mean(), 0, 0.5)
    torch.testing.assert_close(e, D.Normal(p, p).log_prob(p + 1))
    with pytest.raises(ValueError):
        D.Normal(0.0, -1.0)  # values are looked at again


def test_numbers_of_other_distributions():
    a, b, c, d = draw(lambda x: x.clone().exponential_(), lambda x: x.clone().exponential_(4),
                      lambda x: x.clone().geometric_(0.25), lambda x: x.clone().log_normal_(0, 0.5))
    near(a.mean(), 1, 1)
    near(b.mean(), 0.25, 0.25)
    assert a.min() >= 0
    near(c.mean(), 4, math.sqrt(12))
    assert c.min() == 1
    near(d.log().mean(), 0, 0.5)
    (e,) = draw(lambda x: x.clone().cauchy_(2, 3))
    near((e < 2).float().mean(), 0.5, 0.5)
    near((e < 5).float().mean(), 0.75, 0.5)


def test_choices():
    p = torch.linspace(0, 1, N)
    a, b, c, d, e = draw(torch.bernoulli, lambda x: torch.bernoulli(x, 0.3), lambda x: x.clone().bernoulli_(0.7),
                         lambda x: torch.zeros(N, dtype=torch.int).bernoulli_(x), lambda x: (x * 0).bernoulli_(), x=p)
    near((a - p).mean(), 0, 0.5)
    near(((a - p) * p).mean(), 0, 0.5)
    assert a[0] == 0 and a[-1] == 1
    near(b.mean(), 0.3, 0.5)
    near(c.mean(), 0.7, 0.5)
    assert d.dtype is torch.int
    near((d - p).mean(), 0, 0.5)
    near(e.mean(), 0.5, 0.5)
    (f,) = draw(lambda x: torch.bernoulli(x), x=torch.full((100, 200), 0.25).half())
    assert f.dtype is torch.half
    near(f.float().mean(), 0.25, 0.5)


def test_integers():
    a, b, c, d, e = draw(lambda x: torch.randint(10, (N,)), lambda x: torch.randint(-5, 7, (N,)),
                         lambda x: torch.randint(0, 2 ** 30, (N,)), lambda x: torch.randint_like(x, 3),
                         lambda x: torch.randint(2, (N,), dtype=torch.bool))
    assert a.dtype is torch.int and sorted(a.unique().tolist()) == list(range(10))
    near(a.float().mean(), 4.5, 2.9)
    assert sorted(b.unique().tolist()) == list(range(-5, 7))
    assert c.min() >= 0 and c.max() < 2 ** 30 and c.unique().numel() > N * 0.99
    near(c.double().mean() / 2 ** 30, 0.5, 0.3)
    near((c % 256).double().mean(), 127.5, 74)
    assert d.dtype is torch.float and sorted(d.unique().tolist()) == [0, 1, 2]
    near(e.float().mean(), 0.5, 0.5)


def test_random_without_bounds():
    a, b, c, d = draw(lambda x: torch.zeros(N, dtype=torch.int).random_(), lambda x: x.clone().random_(3, 8),
                      lambda x: torch.zeros(N, dtype=torch.int8).random_(), lambda x: x.clone().random_(4))
    near(a.double().mean() / 2 ** 31, 0.5, 0.3)
    assert sorted(b.unique().tolist()) == [3, 4, 5, 6, 7]
    assert c.min() == 0 and c.max() == 127
    assert sorted(d.unique().tolist()) == [0, 1, 2, 3]


def test_permutations():
    a, b, c, d = draw(lambda x: torch.randperm(50), lambda x: torch.randperm(50), lambda x: torch.randperm(1),
                      lambda x: torch.randperm(0))
    assert sorted(a.tolist()) == list(range(50)) == sorted(b.tolist())
    assert a.tolist() != b.tolist() and a.tolist() != list(range(50))
    assert c.tolist() == [0] and d.shape == (0,)


def test_seeds_choose_the_numbers():
    def model(seed):
        return poptorch.inferenceModel(_Draw(lambda x: torch.randn(100)), poptorch.Options().randomSeed(seed))
    first, again, other = model(1), model(1), model(2)
    x = torch.zeros(1)
    a, b, c = first(x)[0], again(x)[0], other(x)[0]
    assert torch.equal(a, b) and not torch.equal(a, c)
    assert not torch.equal(a, first(x)[0])


def test_integers_that_are_none():
    with pytest.raises((poptorch.Error, RuntimeError)):
        draw(lambda x: torch.randint(0, 2 ** 40, (3,)))


class _Dropped(torch.nn.Module):
    def __init__(self, function, x):
        super().__init__()
        self.x, self.function = torch.nn.Parameter(x), function

    def forward(self):
        y = self.function(self.x)
        return y, poptorch.identity_loss(y.sum(), reduction="none")


def trained(function, x):
    """What came out, and the gradient of its sum."""
    module = _Dropped(function, x.clone())
    model = poptorch.trainingModel(module, poptorch.Options().randomSeed(7), torch.optim.SGD(module.parameters(), lr=1.0))
    y, _ = model()
    model.copyWeightsToHost()
    return y, x - module.x.detach()


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_dropout_drops_the_same_in_its_gradient(p):
    x = torch.full((100, 50), 2.0)
    y, gradient = trained(lambda x: F.dropout(x, p), x)
    near((y != 0).float().mean(), 1 - p, 0.5, 5000)
    torch.testing.assert_close(y, torch.where(gradient != 0, 2 / (1 - p), 0.0))
    torch.testing.assert_close(gradient, y / 2, rtol=1e-4, atol=1e-5)


def test_dropout_of_nothing_and_of_all():
    x = torch.full((4, 4), 2.0)
    y, gradient = trained(lambda x: F.dropout(x, 0.0) + F.dropout(x, 1.0) + F.dropout(x, 0.5, training=False), x)
    torch.testing.assert_close(y, 2 * x)
    torch.testing.assert_close(gradient, torch.full((4, 4), 2.0))


def test_native_dropout_tells_what_it_keeps():
    x = torch.full((1000,), 2.0)
    y, gradient = trained(lambda x: torch.native_dropout(x, 0.5, True)[0], x)
    torch.testing.assert_close(gradient * 2, y)
    module = torch.nn.Module()
    module.forward = lambda x: torch.native_dropout(x, 0.5, False)
    y, kept = poptorch.inferenceModel(module)(x)
    assert kept.dtype is torch.bool and kept.all() and torch.equal(y, x)


def test_channels_are_dropped_as_a_whole():
    x = torch.full((40, 25, 3, 2), 2.0)
    y, gradient = trained(lambda x: F.dropout2d(x, 0.4), x)
    flat = y.reshape(1000, 6)
    assert all(row.unique().numel() == 1 for row in flat)
    near((flat[:, 0] != 0).float().mean(), 0.6, 0.5, 1000)
    torch.testing.assert_close(gradient * 2, y, rtol=1e-4, atol=1e-5)


def test_alpha_dropout_keeps_mean_and_variance():
    x = torch.randn(20000, generator=torch.Generator().manual_seed(3))
    y, gradient = trained(lambda x: F.alpha_dropout(x, 0.3, training=True), x)
    near(y.mean(), 0, 1.2)
    near(y.var(), 1, 3)
    assert abs(float((gradient == 0).float().mean()) - 0.3) < 0.02
    y, _ = trained(lambda x: F.feature_alpha_dropout(x, 0.3, training=True), torch.full((100, 10, 4), 1.0))
    assert y.unique().numel() == 2 and (y[:, :, :1] == y).all()


def test_an_inference_drops_nothing():
    x = torch.full((100,), 2.0)
    for y in draw(lambda x: F.dropout(x, 0.5), lambda x: F.alpha_dropout(x, 0.5, training=True), x=x):
        torch.testing.assert_close(y, x)
