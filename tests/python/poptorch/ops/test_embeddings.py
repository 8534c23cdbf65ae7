# SPDX-License-Identifier: MIT
"""Rows of tables, one by one and in bags."""
import pytest
import torch
import torch.nn.functional as F

from harness import check, ints, rand

W = rand(7, 3)


def test_embedding():
    check(lambda w, i: (F.embedding(i, w), F.embedding(i[0, 0], w), F.embedding(i, w, padding_idx=2)), W,
          torch.tensor([[2, 0, 6], [2, 2, 1]]))
    check(lambda w, i: F.embedding(i, w, padding_idx=-1), W, ints(4, high=7))


def test_embedding_renormalises():
    check(lambda w, i: F.embedding(i, w.clone(), max_norm=0.5), W, torch.tensor([0, 3, 3]), gradient=False)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(mode):
    indices = torch.tensor([4, 1, 4, 0, 6, 6, 2, 3])
    offsets = torch.tensor([0, 3, 3, 7])
    check(lambda w, i: F.embedding_bag(i.view(2, 4), w, mode=mode), W, indices)
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode), W, indices, offsets)
    check(lambda w, i: (F.embedding_bag(i, w, offsets, mode=mode, padding_idx=6),
                        F.embedding_bag(i, w, torch.tensor([0, 3, 8]), mode=mode, include_last_offset=True)), W, indices)


def test_weighted_bags():
    check(lambda w, i, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s), W, ints(3, 2, high=7), rand(3, 2))


def test_modules():
    module = torch.nn.EmbeddingBag(7, 3)
    check(lambda i: torch.nn.Embedding.from_pretrained(W)(i), ints(3, high=7))
    check(lambda w, i: torch.nn.functional.embedding_bag(i, w), module.weight.detach(), ints(2, 3, high=7))


def test_gradients_by_frequency():
    check(lambda w: (F.embedding(torch.tensor([[0, 1], [1, 1]]), w, scale_grad_by_freq=True, padding_idx=0),
                     F.embedding_bag(torch.tensor([[0, 1], [1, 1]]), w, mode="mean", scale_grad_by_freq=True)), rand(5, 5))


def test_padding_of_bags_counts_from_the_end_too():
    offsets = torch.tensor([0, 3])
    check(lambda w, i: (F.embedding_bag(i, w, offsets, mode="max", padding_idx=-1),
                        F.embedding_bag(i, w, offsets, mode="sum", padding_idx=-3)), rand(5, 5),
          torch.tensor([0, 4, 2, 4, 4, 1]))
