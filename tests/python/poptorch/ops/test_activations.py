# SPDX-License-Identifier: MIT
"""Activation functions, their arguments, and their gradients where derivatives jump."""
import pytest
import torch
import torch.nn.functional as F
from halves import check_halves, each
from harness import check, ints, rand

import poptorch

PLAIN = [F.relu, F.relu6, F.elu, F.celu, F.gelu, F.hardshrink, F.hardsigmoid, F.hardswish, F.hardtanh, F.leaky_relu,
         F.logsigmoid, F.mish, F.selu, F.silu, F.softplus, F.softshrink, F.softsign, F.tanhshrink, torch.sigmoid,
         torch.tanh, lambda x: F.gelu(x, approximate="tanh")]
GIVEN = [lambda x: F.elu(x, 0.7), lambda x: torch.ops.aten.elu(x, 0.7, 1.5), lambda x: torch.ops.aten.elu(x, 0.7, 1.5, 2),
         lambda x: F.celu(x, 1.3), lambda x: F.hardshrink(x, 0.3), lambda x: F.softshrink(x, 0.2),
         lambda x: F.hardtanh(x, -0.4, 1.5), lambda x: F.leaky_relu(x, 0.3), lambda x: F.softplus(x, 2.0),
         lambda x: F.softplus(x, 2, 1), lambda x: F.rrelu(x), lambda x: F.rrelu(x, 0.1, 0.5)]


def test_activations():
    each(PLAIN, rand(3, 7, low=-4, high=4))


def test_arguments():
    each(GIVEN, rand(3, 7, low=-3, high=3))


def test_derivatives_that_jump():
    x = torch.tensor([0.0, 6.0, 0.5, -0.5, 3.0, -3.0, 1.0, -1.0])
    each([F.relu, F.relu6, F.hardtanh, F.leaky_relu, F.hardshrink, F.softshrink, F.elu, F.selu], x)


def test_derivatives_of_hardswish():
    """At -3 and 3 versions of torch take the derivative of one side or of the other; so may we."""
    x = torch.tensor([-3.0, 3.0])
    sides = torch.tensor([[0, 1.5], [-0.5, 1]])

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.x = torch.nn.Parameter(x.clone())

        def forward(self):
            return poptorch.identity_loss(F.hardswish(self.x), "sum")
    module = Step()
    poptorch.trainingModel(module, optimizer=torch.optim.SGD([module.x], lr=1.0))()
    theirs = torch.nn.Parameter(x.clone())
    F.hardswish(theirs).sum().backward()
    for slopes in (x - module.x.detach(), theirs.grad):
        assert ((slopes - sides).abs() < 1e-5).any(0).all()
    check(F.hardswish, torch.tensor([-4.0, -2.999, -1, 0, 0.5, 2.999, 4]))


def test_large_arguments():
    x = torch.tensor([-200.0, -50, 50, 200])
    each([F.softplus, F.logsigmoid, F.mish, F.silu, F.gelu, F.elu, torch.sigmoid, F.selu], x)


def test_halves():
    check_halves(lambda x: [f(x) for f in PLAIN], rand(3, 7, low=-4, high=4))


def test_in_place():
    check(lambda x: (F.relu(x * 1, inplace=True), (x * 1).sigmoid_(), F.elu_(x * 1), F.hardtanh_(x * 1),
                     F.leaky_relu_(x * 1), F.silu(x * 1, inplace=True)), rand(4, low=-2, high=2))


def test_empty_single_and_whole_numbers():
    each([F.relu, F.gelu, F.softplus, F.hardtanh], rand(3, 0))
    each([F.relu, F.gelu, F.softplus, F.relu6], torch.tensor(-0.3))
    check(F.relu, ints(5, low=-5))


@pytest.mark.parametrize("dim", [0, -1, 1])
def test_glu(dim):
    check(F.glu, rand(4, 6, 2), dim=dim)


def test_prelu():
    check(F.prelu, rand(2, 3, 4, low=-2, high=2), rand(3))
    check(F.prelu, rand(2, 3), rand(1))
    check(F.prelu, torch.tensor([0.0, -1.0, 1.0]), torch.tensor([0.25]))
    check(F.prelu, rand(5, 3), rand(3))


def test_log_sigmoid_with_its_buffer():
    check(lambda x: torch.ops.aten.log_sigmoid_forward(x)[0], rand(4))


def test_rrelu_draws_slopes_while_training():
    class Model(torch.nn.Module):
        def forward(self, x):
            return F.rrelu(x, 0.25, 0.5, training=True)
    y = poptorch.inferenceModel(Model())(torch.full((1000,), -1.0))
    assert y.min() >= -0.5 and y.max() <= -0.25
    assert y.unique().numel() > 500
    assert abs(y.mean() + 0.375) < 0.01
    x = rand(100, low=0.1)
    torch.testing.assert_close(poptorch.inferenceModel(Model())(x), x)


@pytest.mark.parametrize("shape,dim", [((3, 5), 1), ((3, 5), 0), ((2, 3, 4), -2), ((5,), -1), ((), 0), ((3, 0), 1),
                                       ((2, 0, 3), 2)])
def test_softmax(shape, dim):
    each([lambda x: F.softmax(x, dim), lambda x: F.log_softmax(x, dim), lambda x: F.softmin(x, dim)],
         rand(*shape, low=-3, high=3))


def test_softmax_in_other_types():
    check(lambda x: (F.softmax(x, 1, dtype=torch.float), F.log_softmax(x, 0, dtype=torch.float)), ints(3, 4))
    check_halves(lambda x: (F.softmax(x, 1), F.log_softmax(x, 1)), rand(3, 4))
    check(lambda x: F.softmax(x, 1, dtype=torch.float), rand(3, 4).half(), gradient=False)
    check(lambda x: F.softmax(x, 1), torch.tensor([[1000.0, 999, -1000], [0, 1, 2]]))


def test_bounds_of_integers():
    check(lambda x: (F.hardtanh(x, -2, 3), F.relu6(x)), ints(9, low=-5, high=9))
