# SPDX-License-Identifier: MIT
"""Copies, casts and fills."""
import pytest
import torch
from harness import _Forward, check, ints, rand

import poptorch

KINDS = [torch.float, torch.half, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.int64,
         torch.double]


@pytest.mark.parametrize("kind", [torch.float, torch.half, torch.int32, torch.int16, torch.int8, torch.uint8,
                                  torch.bool])
def test_casts_between_all_types(kind):
    x = torch.tensor([0.0, 1.0, 2.75, 100.5]).to(kind)
    check(lambda x: [x.to(k) for k in KINDS], x, gradient=False)


def test_casts_keep_gradients():
    check(lambda x: (x.half().float() * 2, x.double(), x.type_as(x), x.to(torch.float)), rand(4).half().float())


def test_negative_integers_wrap():
    check(lambda x: (x.to(torch.uint8), x.to(torch.int8), x.to(torch.int16)), torch.tensor([-1, -200, 300, 70000]).int())


def test_forms_of_to():
    check(lambda x, y: (x.to(y), x.to("cpu"), x.to(torch.device("cpu"), torch.int), x.type(torch.int), x.long(),
                        x.to(torch.int, copy=True)), rand(3, high=9), ints(3), gradient=False)


def test_copies_are_their_own():
    def forward(x):
        a, b = x.clone(), x.t().contiguous()
        a.add_(1)
        b[0] = 5
        return a, b, x * 2, x.contiguous()
    check(forward, rand(3, 4))


def test_detached_tensors_have_no_gradient():
    check(lambda x: x * x.detach() + (x * 2).detach() + x.data, rand(4))


def test_writes_into_copies_that_are_none():
    def forward(x):
        y = x * 1
        y.contiguous().add_(1)      # the tensor itself
        y.to(torch.float).mul_(2)   # so is this
        y.detach()[0] = 7
        return y
    check(forward, rand(3, 4), gradient=False)


def test_copy():
    def forward(x, y):
        z = torch.zeros(3, 4)
        z.copy_(y)
        z[1:].copy_(x[1:])
        w = torch.zeros(4, dtype=torch.int)
        w.copy_(y * 9)
        return z, w
    check(forward, rand(3, 4), rand(4))


def test_fills():
    def forward(x):
        a, b, c = x.clone(), x.clone(), x.clone()
        a.fill_(2.5)
        b[1].zero_()
        c[:, 1].fill_(x[0, 0])
        return a + x, b, c
    check(forward, rand(3, 4))
    check(lambda x: x.clone().fill_(7), ints(3))
    check(lambda x: x.clone().fill_(True), torch.tensor([True, False]))


def into(function, *kinds):
    """A function with out=, and what it has written."""
    def run(*tensors):
        out = tuple(torch.zeros(shape, dtype=kind) for shape, kind in kinds)
        return function(*tensors, out=out if len(out) > 1 else out[0]), out
    return run


def test_results_written_where_the_caller_says():
    real, whole, x = torch.float, torch.long, rand(3, 4)
    for function, *kinds in [
            (lambda x, out: torch.cummax(x, 0, out=out), ((3, 4), real), ((3, 4), whole)),
            (lambda x, out: torch.kthvalue(x, 2, out=out), ((3,), real), ((3,), whole)),
            (lambda x, out: torch.max(x, 1, out=out), ((3,), real), ((3,), whole)),
            (lambda x, out: torch.take(x, torch.tensor([1, 5, 7]), out=out), ((3,), real)),
            (lambda x, out: torch.bucketize(x, torch.tensor([0.0, 0.5]), out=out), ((3, 4), whole)),
            (lambda x, out: torch.logcumsumexp(x, 0, out=out), ((3, 4), real)),
            (lambda x, out: torch.erfinv(x, out=out), ((3, 4), real))]:
        check(into(function, *kinds), x, gradient=False, rtol=1e-3)


def test_a_tensor_for_results_has_their_shape():
    with pytest.raises(poptorch.Error, match=r"given as out has shape \[0\], the result \[3\]"):
        poptorch.inferenceModel(_Forward(lambda x: torch.add(x, 1, out=torch.empty(0)), {}))(rand(3))


def test_numbers_beyond_small_integers_wrap_around():
    x = torch.tensor([-1.0, -2.7, 255, 256, 300.9, -129, 128, 40000, -40000, 0.9])
    check(lambda x: (x.to(torch.uint8), x.to(torch.int8), x.to(torch.int16), x.int().to(torch.uint8)), x,
          gradient=False)
