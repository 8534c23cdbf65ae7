# SPDX-License-Identifier: MIT
"""Factorisations, solutions and functions of matrices."""
import pytest
import torch

from harness import check, rand

linalg = torch.linalg
close = dict(rtol=1e-3, atol=1e-4)
A = rand(2, 4, 4) + 2 * torch.eye(4)
S = A @ A.mT + torch.eye(4)
B = rand(2, 4, 3)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(upper):
    check(lambda s: linalg.cholesky(s, upper=upper), S, **close)
    check(lambda b, s: torch.cholesky_solve(b, linalg.cholesky(s, upper=upper), upper), B, S, gradient=[0], **close)
    check(lambda s: torch.cholesky_inverse(linalg.cholesky(s, upper=upper), upper), S, gradient=False, **close)


def test_inverses():
    check(lambda a: (linalg.inv(a), linalg.matrix_power(a, -2)), A, **close)
    check(torch.inverse, torch.tensor([[0.0, 1, 2], [1, 0, 3], [4, -3, 8]]), **close)


def test_solutions():
    check(linalg.solve, A, B, **close)
    check(linalg.solve, A, rand(2, 4), **close)
    check(lambda a, b: linalg.solve(a, b, left=False), A, rand(2, 3, 4), **close)
    check(lambda a, b: linalg.solve(a[0], b), A, B, **close)


def test_triangles():
    check(lambda a, b: (linalg.solve_triangular(a.tril(), b, upper=False),
                        linalg.solve_triangular(a.triu(), b, upper=True),
                        linalg.solve_triangular(a[0].triu(), b, upper=True, unitriangular=True)), A, B, **close)
    check(lambda a, b: (linalg.solve_triangular(a.tril(), b, upper=False, left=False),
                        torch.triangular_solve(b.mT, a, upper=False, transpose=True)[0]), A, rand(2, 3, 4), **close)


def test_determinants():
    check(lambda a: (linalg.slogdet(a), linalg.det(a)), A, **close)
    check(torch.logdet, S, **close)


def test_eliminations():
    check(lambda a: (linalg.lu(a), linalg.lu_factor(a)), A, gradient=False, **close)
    check(lambda a, b: linalg.lu_solve(*linalg.lu_factor(a), b), A, B, gradient=False, **close)
    check(linalg.lu, rand(4, 3), gradient=False, **close)


def test_reflections():
    check(linalg.qr, A, **close)
    check(linalg.qr, rand(5, 3), **close)
    check(linalg.qr, rand(3, 5), gradient=False, **close)
    check(lambda x: linalg.qr(x, "complete"), rand(5, 3), gradient=False, **close)
    check(linalg.householder_product, rand(4, 3), rand(3, low=0.5), **close)


def test_exponentials():
    check(torch.matrix_exp, A, **close)


class Covered(torch.nn.Module):
    """The density of normally distributed vectors."""

    def __init__(self):
        super().__init__()
        self.mean = torch.nn.Parameter(rand(3))
        self.factor = torch.nn.Parameter(rand(3, 3) + torch.eye(3) * 2)

    def forward(self, x):
        covariance = self.factor @ self.factor.t() + torch.eye(3)
        return torch.distributions.MultivariateNormal(self.mean, covariance).log_prob(x)


def test_densities_and_orthogonal_weights():
    from modules import check_module
    check_module(Covered(), rand(5, 3), **close)
    check_module(torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3)), rand(2, 3), **close)
    check_module(torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 2)), rand(2, 4), **close)
