# SPDX-License-Identifier: MIT
"""Factorisations, solutions and functions of square matrices, step by step: one step per row or column, each of a few
operators on all matrices of a batch. Meant for small matrices. Halves and info codes: torch has none of the first, and
nobody looks at the second on the device."""
import torch

from poptorch.errors import Error


def _no_problem(x, shape=None):
    return torch.zeros(x.shape[:-2] if shape is None else shape, dtype=torch.int32)


def _square(x):
    if x.size(-1) != x.size(-2):
        raise Error(f"Matrices must be square; these are {x.size(-2)} x {x.size(-1)}.")
    return x.size(-1)


# ---- triangles

def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    """x with a x = b (or x a = b), from the first row on, or from the last."""
    if not left:
        return solve_triangular(a.mT, b.mT, upper=not upper, unitriangular=unitriangular).mT
    n = _square(a)
    rows = {}
    for i in reversed(range(n)) if upper else range(n):
        row = b[..., i:i + 1, :]
        done = range(i + 1, n) if upper else range(i)
        if len(done):
            row = row - a[..., i:i + 1, done.start:done.stop] @ torch.cat([rows[j] for j in done], -2)
        elif b.shape[:-2] != a.shape[:-2]:  # all rows have the batch of both
            row = row + torch.zeros_like(a[..., i:i + 1, :1])
        rows[i] = row if unitriangular else row / a[..., i:i + 1, i:i + 1]
    return torch.cat([rows[i] for i in range(n)], -2) if n else b + a.sum()


def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    t = a.mT if transpose else a
    return solve_triangular(t, b, upper=upper != transpose, unitriangular=unitriangular), a.clone()


def cholesky(a, upper=False):
    """L with L L' = a, column by column. Only one triangle of a is looked at; the gradient is symmetric, as torch's."""
    n = _square(a)
    half = a.mT if upper else a
    both = (a + a.mT) / 2
    rest, columns = both + (half.tril() + half.tril(-1).mT - both).detach(), []
    for k in range(n):
        column = rest[..., k:, k:k + 1]
        column = column / column[..., :1, :].sqrt()
        columns.append(torch.nn.functional.pad(column, (0, 0, k, 0)))
        if k + 1 < n:
            rest = rest - columns[-1] @ columns[-1].mT
    if not n:
        return a.clone()
    lower = torch.cat(columns, -1)
    return lower.mT if upper else lower


def cholesky_ex(a, *, upper=False, check_errors=False):
    return cholesky(a, upper), _no_problem(a)


def cholesky_solve(b, factor, upper=False):
    first = solve_triangular(factor.mT if upper else factor, b, upper=False)
    return solve_triangular(factor if upper else factor.mT, first, upper=True)


def cholesky_inverse(factor, upper=False):
    return cholesky_solve(torch.eye(factor.size(-1), dtype=factor.dtype).expand(factor.shape), factor, upper)


# ---- rows eliminated one by one, the one with the largest element first

class _Eliminated:
    """P a = L U. lu: both in one; order: the rows of a; pivots: with which row each was exchanged, from 1 on."""

    def __init__(self, a):
        rows, columns = a.shape[-2:]
        self.lu, self.order, self.pivots = a, torch.arange(rows).expand(a.shape[:-1]), []
        self.sign = torch.ones(a.shape[:-2], dtype=a.dtype)
        for k in range(min(rows, columns)):
            self._exchange(k, rows)
            self._eliminate(k, rows, columns)

    def _exchange(self, k, rows):
        largest = self.lu[..., k:, k].detach().abs().argmax(-1, keepdim=True) + k  # [..., 1]
        self.pivots.append(largest + 1)
        if k + 1 == rows:
            return
        at = torch.arange(rows)
        swapped = torch.where(at == k, largest, torch.where(at == largest, torch.full_like(largest, k), at))
        self.lu = torch.take_along_dim(self.lu, swapped.unsqueeze(-1), -2)
        self.order = torch.take_along_dim(self.order, swapped, -1)
        same = (largest == k).squeeze(-1)
        self.sign = torch.where(same, self.sign, -self.sign)

    def _eliminate(self, k, rows, columns):
        if k + 1 == rows:
            return
        lu = self.lu
        pivot = lu[..., k:k + 1, k:k + 1]
        factors = lu[..., k + 1:, k:k + 1] / torch.where(pivot == 0, torch.ones_like(pivot), pivot)
        rest = lu[..., k + 1:, k + 1:] - factors @ lu[..., k:k + 1, k + 1:]
        below = torch.cat([lu[..., k + 1:, :k], factors, rest], -1)
        self.lu = torch.cat([lu[..., :k + 1, :], below], -2)

    def pivot_indices(self, a):
        return torch.cat(self.pivots, -1).int() if self.pivots else _no_problem(a, (*a.shape[:-2], 0))

    def solve(self, b):
        permuted = torch.take_along_dim(b, self.order.unsqueeze(-1), -2)
        return _solve_lu(self.lu, permuted)


def _solve_lu(lu, b):
    y = solve_triangular(lu, b, upper=False, unitriangular=True)
    return solve_triangular(lu, y, upper=True)


def lu_factor_ex(a, *, pivot=True, check_errors=False):
    done = _Eliminated(a)
    return done.lu, done.pivot_indices(a), _no_problem(a)


def _triangles(lu):
    rows, columns = lu.shape[-2:]
    k = min(rows, columns)
    return lu[..., :, :k].tril(-1) + torch.eye(rows, k, dtype=lu.dtype), lu[..., :k, :].triu()


def lu(a, *, pivot=True):
    done = _Eliminated(a)
    at = torch.arange(a.size(-2))
    permutation = (done.order.unsqueeze(-2) == at.unsqueeze(-1)).to(a.dtype)
    return permutation, *_triangles(done.lu)


def lu_solve(factored, pivots, b, *, left=True, adjoint=False):
    if adjoint or not left:
        raise Error("linalg.lu_solve is supported with left=True and adjoint=False.")
    n = b.size(-2)
    for k in range(n):
        other, at = pivots[..., k:k + 1].long() - 1, torch.arange(n)
        swapped = torch.where(at == k, other, torch.where(at == other, torch.full_like(other, k), at))
        b = torch.take_along_dim(b, swapped.unsqueeze(-1), -2)
    return _solve_lu(factored, b)


def solve_ex(a, b, *, left=True, check_errors=False):
    """x with a x = b; b may be one vector."""
    vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    columns = b.unsqueeze(-1) if vector else b
    if not left:
        a, columns = a.mT, columns if vector else columns.mT
    _square(a)
    batch = torch.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    done = _Eliminated(a.expand(*batch, *a.shape[-2:]))
    x = done.solve(columns.expand(*batch, *columns.shape[-2:]))
    x = x.squeeze(-1) if vector else x if left else x.mT
    return x, done.lu, done.pivot_indices(a), _no_problem(a)


def inv_ex(a, *, check_errors=False):
    n = _square(a)
    if n == 0:
        return a.clone(), _no_problem(a)
    return _Eliminated(a).solve(torch.eye(n, dtype=a.dtype).expand(a.shape)), _no_problem(a)


def slogdet(a):
    done = _Eliminated(a)
    _square(a)
    diagonal = done.lu.diagonal(dim1=-2, dim2=-1)
    sign = done.sign * diagonal.sign().prod(-1)
    return sign, diagonal.abs().log().sum(-1), done.lu, done.pivot_indices(a)


# ---- reflections

def qr(a, mode="reduced"):
    """Householder's: every column is reflected onto its first element, with the other sign."""
    rows, columns = a.shape[-2:]
    q, r = torch.eye(rows, dtype=a.dtype).expand(*a.shape[:-2], rows, rows), a
    for k in range(min(rows - 1, columns)):
        x = r[..., k:, k:k + 1]
        first = x[..., :1, :]
        norm = (x * x).sum(-2, keepdim=True).sqrt()
        v = torch.cat([first + torch.where(first < 0, -norm, norm), x[..., 1:, :]], -2)
        square = (v * v).sum(-2, keepdim=True)
        v = torch.nn.functional.pad(v, (0, 0, k, 0))
        twice = 2 / torch.where(square == 0, torch.ones_like(square), square)
        r = r - (twice * v) @ (v.mT @ r)
        q = q - (q @ v) @ (twice * v).mT
    r = r.triu()
    k = min(rows, columns)
    if mode == "complete":
        return q, r
    return (q[..., :k] if mode == "reduced" else a.new_empty(0)), r[..., :k, :]


def householder_product(a, tau):
    """The first columns of H1 H2 ... with H = 1 - tau v v', v: a column of a below the diagonal, 1 on it."""
    rows, columns = a.shape[-2:]
    q = torch.eye(rows, columns, dtype=a.dtype).expand(a.shape)
    v = a.tril(-1) + torch.eye(rows, columns, dtype=a.dtype)
    for k in reversed(range(tau.size(-1))):
        own = v[..., k:k + 1]
        q = q - tau[..., k:k + 1].unsqueeze(-1) * own @ (own.mT @ q)
    return q


def matrix_exp(a):
    """The series of a / 2^6 up to its 12th power, squared six times: for norms up to about 64."""
    squarings, terms = 6, 12
    n = _square(a)
    one, x = torch.eye(n, dtype=a.dtype), a / 2 ** squarings
    y = one + x / terms
    for k in range(terms - 1, 0, -1):
        y = one + x @ y / k
    for _ in range(squarings):
        y = y @ y
    return y


functions = {
    "linalg_solve_triangular": solve_triangular, "triangular_solve": triangular_solve, "cholesky": cholesky,
    "linalg_cholesky_ex": cholesky_ex, "cholesky_solve": cholesky_solve, "cholesky_inverse": cholesky_inverse,
    "linalg_lu_factor_ex": lu_factor_ex, "linalg_lu": lu, "linalg_lu_solve": lu_solve, "_linalg_solve_ex": solve_ex,
    "linalg_inv_ex": inv_ex, "_linalg_slogdet": slogdet, "linalg_qr": qr,
    "linalg_householder_product": householder_product, "linalg_matrix_exp": matrix_exp,
    "_linalg_check_errors": lambda info, name, is_matrix: None,
}
