# SPDX-License-Identifier: MIT
"""Shapes and views: the same elements under other shapes, in other orders, in part and repeatedly."""
import pytest
import torch
import torch.nn.functional as F

from harness import check, ints, rand

X = rand(2, 3, 4)


def test_reshapes():
    check(lambda x: (x.view(6, 4), x.view(-1, 2), x.reshape(24), x.reshape(4, 3, 2), x.view_as(x.reshape(3, 8)),
                     x.reshape_as(torch.zeros(8, 3)), x.flatten(), x.flatten(1), x.flatten(0, -2), x.ravel(),
                     x.unflatten(2, (2, 2)), torch.atleast_1d(x), torch.atleast_3d(x[0])), X)
    check(lambda x: (x.squeeze(), x.squeeze(1), x.squeeze(0), x.unsqueeze(0), x.unsqueeze(-1), x.unsqueeze(2)),
          rand(3, 1, 2, 1))


def test_reshape_of_a_transposed_tensor_copies():
    check(lambda x: (x.t().reshape(-1), x.t().contiguous().view(2, 6), x.t().flatten()), rand(3, 4))


def test_expansion():
    check(lambda x: (x.expand(2, 3, 4), x.expand(-1, 4), x.expand_as(torch.zeros(5, 3, 4)), x.broadcast_to(3, 2),
                     torch.broadcast_tensors(x, torch.zeros(4))[0]), rand(3, 1))
    check(lambda x: x.expand(4), rand())


def test_permutations():
    check(lambda x: (x.permute(2, 0, 1), x.permute(-1, 1, 0), x.transpose(0, 2), x.transpose(-1, -2), x.movedim(0, 2),
                     x.movedim((0, 1), (1, 2)), x.swapaxes(0, 1), x.swapdims(1, 2), x.mT, x.adjoint(), x[0].T,
                     x[0].t(), x[0, 0].t(), x.moveaxis(2, 0)), X)
    check(lambda x: (x.transpose(0, 0), x.permute(()), x.unsqueeze(0)), rand())


def test_parts():
    check(lambda x: (x.select(1, 2), x.select(-1, -1), x[1], x[:, 1:], x[..., ::2], x[:, -2:-1], x[1:1], x[..., 3:100],
                     x[0, :, 1:3], x[None, 0, ..., None], x.narrow(2, 1, 2), x.narrow(1, -2, 2)), X)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_splits(dim):
    check(lambda x: (x.split(2, dim), x.chunk(3, dim), torch.tensor_split(x, 4, dim),
                     torch.tensor_split(x, (1, 3), dim), x.unbind(dim), torch.unsafe_chunk(x, 2, dim),
                     torch.unsafe_split(x, 3, dim)), rand(5, 4, 6))


def test_split_with_sizes():
    check(lambda x: (x.split([1, 0, 3], 1), x.split_with_sizes([2, 2], 1), torch.hsplit(x, 2), torch.vsplit(x, [1])),
          rand(2, 4))


def test_joins():
    a, b = rand(2, 3), rand(2, 3)
    check(lambda a, b: (torch.cat([a, b]), torch.cat([a, b, a], -1), torch.stack([a, b]), torch.stack([a, b], -1),
                        torch.concat([a, b], 1), torch.hstack([a, b]), torch.vstack([a, b]), torch.dstack([a, b]),
                        torch.column_stack([a, b]), torch.block_diag(a, b[0])), a, b)
    check(lambda a, i, h: (torch.cat([a, i]), torch.stack([a, i]), torch.cat([h, i]), torch.cat([a, h])),
          rand(3), ints(3), rand(3, dtype=torch.half), gradient=[0])
    check(lambda a: (torch.cat([a, a.new_zeros(0)]), torch.cat([a[:0], a])), rand(2, 3))
    check(lambda m: torch.cat([m, ~m]), ints(4, high=2).bool())


def test_repetitions():
    check(lambda x: (x.repeat(2, 1, 3), x.repeat(2, 1, 1, 1), x.tile(2), x.tile(2, 1, 1, 2),
                     x.repeat_interleave(2), x.repeat_interleave(3, 1), x.repeat_interleave(2, -1),
                     x.repeat(1, 0, 1)), X)


def test_order():
    check(lambda x: (x.roll(1), x.roll(-2, 0), x.roll((1, -1), (0, 2)), x.roll(7, -1), x.flip(0), x.flip(0, -1),
                     x.flip([]), torch.fliplr(x), x.rot90(), x.rot90(2, (0, 2)), x.rot90(-1, (2, 1)), x.rot90(4)), X)
    check(lambda x: (x.flip(0), x.roll(2, 0)), ints(5))


def test_strided_views():
    check(lambda x: (x.as_strided((3, 2), (1, 4)), x.as_strided((2, 2, 2), (5, 1, 2), 3), x.as_strided((), (), 4)), X)
    check(lambda x: (x.unfold(0, 2, 1), x.unfold(1, 3, 2), x.unfold(-1, 4, 1), x.unfold(0, 5, 5)), rand(5, 7))
    check(lambda x: x.unfold(0, 1, 1), rand())


@pytest.mark.parametrize("offset", [0, 1, -2, 3])
def test_diagonals(offset):
    check(lambda x: (x.diagonal(offset), x.diagonal(offset, 2, 1), x[0].diag(offset), x[0, 0].diag(offset),
                     torch.diag_embed(x, offset), torch.diag_embed(x, offset, 0, 2), torch.diagflat(x[0, 0], offset)),
          rand(2, 3, 4))


@pytest.mark.parametrize("k", [0, -1, 2])
def test_triangles(k):
    check(lambda x: (x.tril(k), x.triu(k)), rand(2, 3, 4))
    check(lambda x, b: (x.tril(k), b.triu(k)), ints(3, 3), ints(2, 3, high=2).bool())


def test_shuffles():
    check(lambda x: (F.pixel_shuffle(x, 2), F.pixel_shuffle(x[0], 2)), rand(2, 8, 3, 2))
    check(lambda x: F.pixel_unshuffle(x, 2), rand(2, 3, 4, 6))
    check(lambda x: F.channel_shuffle(x, 3), rand(2, 6, 3, 2), gradient=False)


def test_grids():
    check(lambda a, b: (torch.meshgrid(a, b, indexing="ij"), torch.meshgrid(a, b, indexing="xy"),
                        torch.cartesian_prod(a, b)), rand(3), rand(2))


def test_parts_written():
    check(lambda x, y: (torch.select_scatter(x, y, 1, -1), torch.slice_scatter(x, x[:, 1:3], 1, 0, 4, 2),
                        torch.diagonal_scatter(x, y, 1), torch.diagonal_scatter(x, y[:2], -1)),
          rand(3, 4), rand(3))
    check(lambda x, y: torch.as_strided_scatter(x, y[:2], (2,), (3,), 1), rand(3, 4), rand(3), gradient=False)


def no_rows(x):
    return (x.view(0), x.transpose(0, 1), x.expand(2, 0, 3), x.repeat(2, 1), x.flip(0), x.unbind(1), torch.cat([x, x]),
            x.tril(), x.roll(1, 0), x.diagonal(), x.t().diag())


def test_empty_and_scalar():
    check(lambda x: no_rows(x[:0]), rand(1, 3), gradient=False)
    check(lambda x: (x.view(1), x.view(1, 1), x.repeat(3), x.flatten(), x.reshape(())), rand())


@pytest.mark.parametrize("dtype", [torch.half, torch.int, torch.short, torch.int8, torch.uint8, torch.bool])
def test_types(dtype):
    x = ints(2, 4, high=2).to(dtype)
    check(lambda x: (x.view(8), x.t(), x[:, 1::2], x.repeat(2, 2), x.flip(1), x.diagonal(), torch.stack([x, x]),
                     x.expand(2, 2, 4), x.unfold(1, 2, 1), x.roll(1, 1)), x, gradient=False)


def test_half_gradients():
    check(lambda x: (x.t().reshape(-1), x[:, 1:], x.repeat(2, 1)), rand(3, 4, dtype=torch.half), atol=2e-3, rtol=2e-3)


def test_views_as_another_type_are_refused():
    with pytest.raises(Exception, match="another type"):
        check(lambda x: x.view(torch.int32), rand(3))
