# SPDX-License-Identifier: MIT
"""Products of vectors, matrices and stacks of them."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import _Forward, check, ints, rand

A, B = rand(3, 4), rand(4, 5)
S, T = rand(2, 3, 4), rand(2, 4, 5)


def test_linear():
    check(lambda x, w, b: (F.linear(x, w, b), F.linear(x, w), F.linear(x[0], w, b), F.linear(x[0, 0], w, b)), S,
          rand(5, 4), rand(5))
    check(lambda x, w: F.linear(x, w), A, rand(4))


@pytest.mark.parametrize("a, b", [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((3, 4), (4, 5)), ((2, 3, 4), (4,)),
                                  ((4,), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((6, 1, 3, 4), (2, 4, 5))])
def test_matmul(a, b):
    check(torch.matmul, rand(*a), rand(*b))


def test_products_of_nothing():
    check(lambda a, b: (a[:0] @ b, a[:, :0] @ b[:0], a[:0] @ b[:, :0]), A, B, gradient=False)


def test_plain_products():
    check(lambda a, b, v, w: (a.mm(b), a.mv(v), v.dot(v), torch.vdot(v, a[0]), torch.inner(a, v), torch.inner(a, a),
                              torch.outer(v, w), torch.ger(v, w), torch.chain_matmul(a, b, b.t()),
                              torch.linalg.multi_dot([a, b, w]), torch.kron(a, b[:2]), torch.linalg.matmul(a, b),
                              torch.linalg.vecdot(a, a)), A, B, rand(4), rand(5))
    check(lambda s, t: (s.bmm(t), s @ t, torch.matrix_power(s[:, :, :3], 3), torch.matrix_power(s[0, :, :3], 0)), S, T)


def test_sums_of_products():
    c, v, w = rand(3, 5), rand(4), rand(3)
    check(lambda c, a, b: (torch.addmm(c, a, b), torch.addmm(c, a, b, beta=0.5, alpha=2), torch.addmm(c[0], a, b),
                           torch.addmm(c[0, 0], a, b, beta=0)), c, A, B)
    check(lambda w, a, v: (torch.addmv(w, a, v), torch.addmv(w, a, v, beta=2, alpha=-1)), w, A, v)
    check(lambda c, s, t: (torch.addbmm(c, s, t), torch.addbmm(c, s, t, beta=0, alpha=3),
                           torch.baddbmm(c, s, t, beta=2, alpha=0.5), torch.baddbmm(c[0], s, t)), c, S, T)
    check(lambda c, w, v: (torch.addr(c, w, v), torch.addr(c, w, v, beta=0, alpha=2)), rand(3, 4), w, v)


def test_integers():
    a, b = ints(2, 3, 4, low=-9), ints(2, 4, 5, low=-9)
    check(lambda a, b: (a @ b, a[0].mm(b[0]), a[0] @ b[0, :, 0], a[0, 0] @ b[0], a[0, 0].dot(a[0, 1]),
                        torch.addmm(a[0, :, :1], a[0], b[0][:, :3]), torch.outer(a[0, 0], b[0, 0]),
                        torch.einsum("bij,bjk->ik", a, b)), a, b)


@pytest.mark.parametrize("equation, shapes", [
    ("ij,jk->ik", [(3, 4), (4, 5)]), ("ij,jk", [(3, 4), (4, 5)]), ("ii->i", [(3, 3)]), ("ii", [(3, 3)]),
    ("ij->ji", [(3, 4)]), ("ij->", [(3, 4)]), ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]), ("i,j->ij", [(3,), (4,)]),
    ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]), ("bij,bij->b", [(2, 3, 4), (2, 3, 4)]),
    ("Ab,bC,CD -> DA", [(2, 3), (3, 4), (4, 2)]), ("b...,b...->b...", [(2, 3), (2, 3)]),
    ("...i->...", [(2, 3, 4)]), ("ij,ij->ij", [(3, 1), (3, 4)]), ("i...->...i", [(2, 3, 4)])])
def test_einsum(equation, shapes):
    check(lambda *t: torch.einsum(equation, *t), *[rand(*s) for s in shapes])


def test_composites():
    check(lambda s, t: (torch.tensordot(s, t, ([2], [1])), torch.tensordot(s, t.transpose(1, 2), dims=([0, 2], [0, 2])),
                        torch.tensordot(s[0], t[0], 1), torch.tensordot(s[0, 0], t[0, 0], 0)), S, T)
    check(lambda x, y, w, b: (F.bilinear(x, y, w, b), F.bilinear(x[0], y[0], w)), rand(2, 3, 4), rand(2, 3, 2),
          rand(5, 4, 2), rand(5))


def test_cross():
    check(lambda a, b: (torch.cross(a, b, 1), torch.linalg.cross(a, b[:1], dim=1), torch.cross(a, b)), rand(4, 3, 2),
          rand(4, 3, 2))


def test_matrices():
    check(lambda x: (x.trace(), torch.det(x), torch.linalg.det(x.expand(2, 3, 3))), rand(3, 3))
    check(lambda x: x.trace(), ints(2, 3))


def test_half():
    check(lambda a, b: ((a.float() @ b.float()).half() if a.device.type == "cpu" else a @ b), A.half(), B.half(),
          rtol=1e-2, atol=1e-2)


def test_what_counts_zero_times_is_not_looked_at():
    nan = torch.full((3, 3), float("nan"))
    x = rand(3, 3)

    def terms(n, m, v):
        m3, n3 = m.expand(2, 3, 3), n.expand(2, 3, 3)
        return (torch.addmv(v, n, v, alpha=0, beta=0.5), torch.addmv(n[0], m, v, beta=0),
                torch.addmv(n[0], n, v, alpha=0, beta=0), torch.addmm(n, m, m, beta=0, alpha=2),
                torch.baddbmm(n3, m3, m3, beta=0), torch.addbmm(n, m3, m3, beta=0), torch.addr(n, v, v, beta=0))
    check(terms, nan, x, x[0], gradient=False)
    # As BLAS has it. torch's answer depends on how the operands lie.
    for call in (lambda n, m: torch.addmm(m, n, n, alpha=0), lambda n, m: torch.addbmm(m, n[None], n[None], alpha=0),
                 lambda n, m: torch.baddbmm(m[None], n[None], n[None], alpha=0)[0]):
        model = poptorch.inferenceModel(_Forward(call, {}))
        torch.testing.assert_close(model(nan, x), x)


def test_gradients_of_what_counts_zero_times():
    check(lambda m, s, v: (torch.addmm(s, m, m, alpha=0), torch.addmm(s, m, m, beta=0), torch.addmv(v, m, v, alpha=0)),
          rand(3, 3), rand(3, 3), rand(3))
