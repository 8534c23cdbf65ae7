# SPDX-License-Identifier: MIT
"""Buffers that take each other's values, or their own in another order."""
import poptorch
import torch


class Swapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.tensor([1.0, 2.0]))
        self.register_buffer("b", torch.tensor([3.0, 4.0]))

    def forward(self, x):
        before = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(before)
        return self.a + x, self.b + x


class Turned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        self.c.copy_(self.c.flip(0))
        return self.c + x


class Shifted(torch.nn.Module):
    """The last three numbers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(3))

    def forward(self, x):
        self.h.copy_(torch.cat([self.h[1:], x]))
        return self.h * 1.0


def test_two_buffers_take_each_others_values():
    model, own = poptorch.inferenceModel(Swapped()), Swapped()
    for _ in range(3):
        for found, wanted in zip(model(torch.zeros(2)), own(torch.zeros(2))):
            assert torch.equal(found, wanted)


def test_a_buffer_is_turned_round():
    model, own = poptorch.inferenceModel(Turned()), Turned()
    for _ in range(3):
        assert torch.equal(model(torch.zeros(3)), own(torch.zeros(3)))


def test_a_buffer_moves_on():
    model, own = poptorch.inferenceModel(Shifted(), poptorch.Options().deviceIterations(2)), Shifted()
    found = model(torch.tensor([1.0, 2.0]))
    assert torch.equal(found.reshape(2, 3), torch.stack([own(torch.tensor([1.0])), own(torch.tensor([2.0]))]))


def test_a_loop_gives_back_its_inputs_in_other_places():
    class Loop(torch.nn.Module):
        def forward(self, x, y):
            return poptorch.for_loop(3, lambda a, b: (b, a), [x, y])
    found = poptorch.inferenceModel(Loop())(torch.tensor([1.0]), torch.tensor([2.0]))
    assert [t.tolist() for t in found] == [[2], [1]]
