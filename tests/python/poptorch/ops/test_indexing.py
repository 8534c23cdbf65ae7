# SPDX-License-Identifier: MIT
"""Elements at indices: reading, writing, and combining what is written."""
import pytest
import torch
import torch.nn.functional as F

from harness import check, ints, rand

X = rand(4, 5, 6)
I, J = ints(3, high=4).long(), ints(3, low=-4, high=4).long()
K = ints(2, 1, high=4).long()


def test_index():
    check(lambda x, i, j: (x[i], x[:, i], x[..., j], x[i, j], x[i, :, j], x[:, i, j], x[i, 1:3], x[i, None, j],
                           x[None, i], x[i, 2]), X, I, J)


def test_index_tensors_broadcast():
    check(lambda x, i, k: (x[k], x[k, i], x[k, :, i], x[:, k, i], x[i, k, i]), X, I, K)


def test_constant_indices_and_masks():
    mask = torch.tensor([True, False, True, True])
    plane = torch.arange(20).reshape(4, 5) % 3 == 0
    check(lambda x: (x[[0, 2]], x[:, [4, -1, 0]], x[torch.tensor(2)], x[[0, 1], [2, 3]]), X)
    check(lambda x: (x[mask], x[plane], x[:, mask[[0, 1, 2, 3, 0]]], x[mask, 1:], x[mask, [0, 1, 2]],
                     x[torch.arange(4) > 1], x[:, torch.ones(5, 6).tril().bool()], torch.masked_select(x, plane[..., None])), X)
    check(lambda x: x.repeat_interleave(torch.tensor([1, 0, 2, 3]), 0), X)


def test_conditions_on_constants():
    limit = torch.tensor([3, 5])

    def run(x):
        kept = torch.arange(6) < limit.max() - 1
        kept.logical_and_(torch.ones(6).bool())
        n = int(limit.min())
        return x[..., kept] * n if limit[0] < 4 and torch.equal(limit, limit + 0) else x
    check(run, X)

    def written(x):
        mask = torch.tensor([True, True, False, False])
        mask[0] = x[0, 0, 0] > 2
        return x[mask]
    with pytest.raises(Exception, match="shapes are fixed"):
        check(written, X)


def test_masks_that_are_computed_are_refused():
    with pytest.raises(Exception, match="shapes are fixed"):
        check(lambda x: x[x > 0], rand(4))


def test_places_that_move():
    def run(x, i, j):
        j = j[0]
        y = x.clone()
        y[j] = 1.5
        y[:, j:j + 2] *= 2
        y[..., 1 + j] = y[0, 0, j]
        return x[j], x[:, j:j + 2], x[..., j - 1:j + 1], x[i[0], 1:, j], x[j, None, i], y, x[:, j:j + 4:2]
    check(run, X, I, torch.tensor([2]))
    check(lambda x, j: x[j[0]], X, torch.tensor([-1]))


def test_index_of_no_elements():
    check(lambda x, i: (x[i[:0]], x[:, i[:0]]), X, I, gradient=False)


def put(x, *at, value, accumulate=False):
    return x.index_put(tuple(at), value, accumulate)


def test_index_put():
    i, j = torch.tensor([2, 0, 3], dtype=torch.long), torch.tensor([1, 4, -2], dtype=torch.long)
    check(lambda x, i, v: (put(x, i, value=v), put(x, i, value=v[0, 0, 0]), put(x, i, value=v[0])), X, i,
          rand(3, 5, 6))
    check(lambda x, i, j, v: (put(x, i, j, value=v), put(x, i[:, None], j[None], value=v[0])), X, i, j, rand(3, 6))

    def items(x, i, j, v):
        a, b = x.clone(), x.clone()
        a[i, :, j] = v
        b[:, i, j] = v[0, 0]
        return a, b
    check(items, X, i, j, rand(3, 5))


def test_index_put_accumulates():
    i = torch.tensor([1, 1, 3, 1], dtype=torch.long)
    check(lambda x, i, v: (put(x, i, value=v, accumulate=True), put(x, i, i, value=v[:, 0], accumulate=True)), X, i,
          rand(4, 5, 6))
    check(lambda x, i, v: put(x, i, value=v, accumulate=True), ints(4, 2, dtype=torch.short), i,
          ints(4, 2, dtype=torch.short))


def test_index_put_with_masks():
    known = torch.tensor([True, False, True, True])

    def constant(x, v):
        a, b = x.clone(), x.clone()
        a[known] = v
        b[known] = 2.0
        return a, b
    check(constant, X, rand(3, 5, 6))

    def computed(x, y):
        a, b, c = x.clone(), x.clone(), x.clone()
        a[y > 0] = 3.0
        b[y[:, 0] > 0] = y[0]
        c[y > 0.5] = y[0, 0]
        return a, b, c
    check(computed, rand(4, 5), rand(4, 5))


def test_index_select():
    check(lambda x, i: (x.index_select(0, i), x.index_select(1, i), x.index_select(-1, i), x.index_select(0, i[:1].int())),
          X, I)
    check(lambda x, i: x.index_select(0, i), rand(), torch.zeros(1, dtype=torch.long))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gather_and_scatter(dim):
    x, i, s = rand(4, 5, 3), ints(2, 3, 2, high=3), rand(2, 3, 2)
    check(lambda x, i: x.gather(dim, i), x, i.long())
    unique = torch.arange(i.size(dim)).reshape([-1 if d == dim % 3 else 1 for d in range(3)]).expand(i.shape)
    check(lambda x, i, s: (x.scatter(dim, i, s), x.scatter(dim, i, 7.0)), x, unique, s)
    check(lambda x, i, s: x.scatter_add(dim, i, s), x, i.long(), s)
    check(lambda x, i, s: (x.scatter(dim, i, s), x.scatter_add(dim, i, s)), x, unique, rand(3, 4, 2), gradient=False)


def test_scatter_with_reduction():
    x, i, s = rand(4, 3), ints(5, 3, high=4).long(), rand(5, 3, low=0.5, high=2)
    check(lambda x, i, s: (x.scatter(0, i, s, reduce="add"), x.scatter(0, i, s, reduce="multiply"),
                           x.scatter(0, i, 2.0, reduce="add"), x.scatter(0, i, 2.0, reduce="multiply")), x, i, s,
          gradient=False)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_scatter_reduce(reduce, include_self):
    x, s = rand(4, 3, low=0.5, high=2), rand(5, 3, low=0.5, high=2)
    i = ints(5, 3, high=3).long()
    check(lambda x, i, s: (x.scatter_reduce(0, i, s, reduce, include_self=include_self),
                           x.scatter_reduce(0, i[:2, :2], s[:2, :2], reduce, include_self=include_self)), x, i, s)
    check(lambda x, i, s: x.scatter_reduce(0, i, s, reduce, include_self=include_self), ints(4, 3, low=-9), i,
          ints(5, 3, low=-9))


def test_gradients_of_products_with_zeros_and_of_equal_extremes():
    i, s = torch.tensor([[0, 0], [0, 1], [2, 1]]), torch.tensor([[0.0, 2], [3, 0], [5, 0]])
    check(lambda x, i, s: x.scatter_reduce(0, i, s, "prod"), rand(3, 2), i, s)
    check(lambda x, i, s: (x.scatter_reduce(0, i, s, "amax"), x.scatter_reduce(0, i, s, "amin")), torch.ones(3, 2), i,
          torch.tensor([[1.0, 2], [1, 1], [5, 1]]))


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
def test_index_reduce(reduce):
    i = torch.tensor([3, 0, 3, 1, 3]).long()
    for include_self in (True, False):
        check(lambda x, i, s: x.index_reduce(0, i, s, reduce, include_self=include_self), rand(4, 2, low=0.5, high=2),
              i, rand(5, 2, low=0.5, high=2))
    check(lambda x, i, s: x.index_reduce(1, i, s, reduce), rand(2, 4, low=0.5, high=2), i, rand(2, 5, low=0.5, high=2),
          gradient=False)


def test_entries_written():
    i = torch.tensor([2, 0, 2]).long()
    check(lambda x, i, s: (x.index_add(0, i, s), x.index_add(0, i, s, alpha=0.5), x.t().index_add(1, i, s.t()),
                           x.index_copy(0, i[:2], s[:2]), x.index_fill(0, i, 2.5), x.index_fill(1, i, s[0, 0]),
                           x.index_fill(-1, i, 1)), rand(4, 3), i, rand(3, 3))
    check(lambda x, i, s: (x.index_add(0, i, s), x.index_fill(0, i, 3), x.index_copy(0, i[:2], s[:2])),
          ints(4, 3, dtype=torch.int8), i, ints(3, 3, dtype=torch.int8))
    check(lambda x: (x.index_fill(0, torch.tensor([1]), 9.0), x.index_fill(0, torch.tensor([1, -1]), 9.0)), rand(4))


def test_flat_elements():
    check(lambda x, i, s: (x.take(i), x.put(i, s, True), torch.take_along_dim(x, i.abs() % 4, 0)), rand(4, 3),
          ints(2, 3, low=-12, high=12).long(), rand(2, 3))
    check(lambda x, i, s: x.put(i, s), rand(4, 3), torch.tensor([5, 0, -1]), rand(3))
    check(lambda x, i: torch.take_along_dim(x, i), rand(4, 3), ints(5, high=12).long())


def test_masked_scatter():
    check(lambda x, m, s: x.masked_scatter(m, s), rand(3, 4), ints(3, 4, high=2).bool(), rand(12))


def test_one_hot():
    check(lambda i: (torch.nn.functional.one_hot(i, 5), torch.nn.functional.one_hot(i[0, 0], 5)),
          ints(2, 3, high=5).long())
    with pytest.raises(Exception, match="num_classes"):
        check(torch.nn.functional.one_hot, ints(3).long())


def test_half():
    x, i = rand(4, 3, dtype=torch.half), torch.tensor([3, 0, 3], dtype=torch.long)
    check(lambda x, i: (x[i], x.index_select(1, i % 3), x.gather(0, i[:, None].long())), x, i, rtol=2e-3, atol=2e-3)


def test_results_of_unknown_size_are_refused():
    for function in (torch.nonzero, lambda x: torch.masked_select(x, x > 0), lambda x: torch.where(x > 0),
                     torch.unique):
        with pytest.raises(Exception, match="depends on values|shape of its result"):
            check(function, rand(4), gradient=False)


def test_filling_a_whole_dimension_behind_other_operators():
    check(lambda x: F.linear(F.local_response_norm(x, 2).index_fill(0, torch.tensor([0]), 0.3).permute(3, 2, 0, 1),
                             torch.ones(4, 4)), rand(1, 4, 5, 7))
