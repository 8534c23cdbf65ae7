# SPDX-License-Identifier: MIT
"""New tensors that are known when a model is captured."""
import poptorch
import torch
from harness import check, ints, rand

KINDS = [torch.float, torch.half, torch.int, torch.int16, torch.uint8, torch.bool, torch.long]


def test_filled_tensors():
    check(lambda x: [f(2, 3, dtype=k) for f in (torch.zeros, torch.ones) for k in KINDS]
          + [torch.full((2,), 1, dtype=k) for k in KINDS]
          + [torch.full((2, 2), 1.5), torch.full((), 3), torch.full((0, 2), 1.0), torch.full((2,), True)],
          rand(1), gradient=False)


def test_filled_like_others():
    check(lambda x, y: [torch.zeros_like(x), torch.ones_like(y), torch.full_like(x, 2.5), torch.full_like(y, 7),
                        torch.ones_like(x, dtype=torch.int), x.new_full((2,), 3), y.new_zeros(2, 2), x.new_ones(3),
                        y.new_ones(2, dtype=torch.float), torch.scalar_tensor(4.5), torch.tensor([1, 2]) + y[:2],
                        torch.zeros_like(x[:, 0])], rand(2, 3), ints(4), gradient=False)


def test_large_constants_are_views():
    check(lambda x: x + torch.zeros(300, 300) + torch.ones(300, 1), rand(300, 300))


def test_empty_tensors_have_shapes():
    check(lambda x: [torch.empty(2, 3).fill_(1), torch.empty_like(x).zero_(), x.new_empty(4).fill_(2),
                     torch.empty_strided((2, 3), (1, 2)).fill_(3)], rand(2), gradient=False)


def test_ranges():
    check(lambda x: [torch.arange(5), torch.arange(2, 9), torch.arange(9, 2, -2), torch.arange(0, 1, 0.1),
                     torch.arange(3.5), torch.arange(4, dtype=torch.float), torch.arange(1, 6, 2, dtype=torch.int16),
                     torch.arange(0), torch.arange(5, dtype=torch.half)], rand(1), gradient=False)
    check(lambda x: [torch.linspace(0, 1, 7), torch.linspace(-3, 9, 4), torch.linspace(2, 5, 1),
                     torch.linspace(0, 10, 5, dtype=torch.int), torch.logspace(-1, 2, 4),
                     torch.logspace(0, 3, 4, base=2), torch.linspace(1, 2, 0)], rand(1), gradient=False)


def test_spaced_numbers_have_the_bits_of_torch():
    class Model(torch.nn.Module):
        def forward(self, x):
            return ([torch.linspace(0, 1, n) + x for n in (3, 7, 11, 20, 100)]
                    + [torch.logspace(0, 1, 7), torch.linspace(-0.1, 0.7, 33, out=torch.empty(33))])

    for ours, host in zip(poptorch.inferenceModel(Model())(torch.zeros(1)), Model()(torch.zeros(1))):
        assert torch.equal(ours, host)


def test_matrices():
    check(lambda x: [torch.eye(3), torch.eye(2, 4), torch.eye(4, 2, dtype=torch.int), torch.tril_indices(3, 4),
                     torch.triu_indices(3, 3, 1), torch.tril_indices(4, 3, -1)], rand(1), gradient=False)


def test_constants_of_the_device():
    check(lambda x: (x * torch.tensor([1.0, 2], device=x.device), x + x.new_tensor(3.0),
                     x + torch.as_tensor(2, device=x.device), x + torch.zeros(2, device=x.device), 2 ** x), rand(3, 2))


def test_constants_take_part():
    def forward(x):
        mask = torch.ones(3, 4, dtype=torch.bool)
        mask[1] = False
        return torch.where(mask, x, torch.arange(4.0)) * torch.eye(4)[:3]
    check(forward, rand(3, 4))
