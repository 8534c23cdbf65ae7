# SPDX-License-Identifier: MIT
"""Writes in place, through views of every kind, behave as torch's."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, ints, rand


def on_a_copy(*writes):
    """Each write gets a copy of x and y; the results are the copies."""
    def run(x, y):
        results = []
        for write in writes:
            z = x.clone()
            also = write(z, y)
            results.append(z if also is None else (z, also))
        return results
    return run


def assign(place):
    def write(x, y):
        place(x).copy_(y)
    return write


def test_items():
    def column(x, y):
        x[:, 1] = y

    def number(x, y):
        x[1:, 2] = 7.0

    def negative(x, y):
        x[-1] = y[0]

    def stepped(x, y):
        x[::2, 1::2] = y[:2, None]

    def ellipsis(x, y):
        x[..., -1] = y

    def everything(x, y):
        x[:] = 3
    check(on_a_copy(column, number, negative, stepped, ellipsis, everything), rand(3, 4), rand(3))


def test_views():
    def transposed(x, y):
        x.t()[0] += 1

    def permuted(x, y):
        x.permute(1, 0)[2].mul_(y)

    def reshaped(x, y):
        x.view(-1)[3:9].neg_()

    def diagonal(x, y):
        x.diagonal().copy_(y)

    def nested(x, y):
        x[1:][:, 1:3].t()[1] = 5

    def unsqueezed(x, y):
        x.unsqueeze(0)[0, :, 0].add_(y)

    def parts(x, y):
        a, b = x.chunk(2, 1)
        a.mul_(2)
        b[0] = a[0]

    def unbound(x, y):
        x.unbind(0)[1].zero_()

    def split(x, y):
        x.split([1, 3], 1)[1].fill_(1.5)

    def unfolded(x, y):
        x.unfold(1, 2, 2)[:, 1, 0] = y

    def strided(x, y):
        x.as_strided((2, 2), (4, 1), 1).mul_(3)

    def narrowed(x, y):
        x.narrow(0, 1, 2).narrow(1, 0, 2).exp_()
    check(on_a_copy(transposed, permuted, reshaped, diagonal, nested, unsqueezed), rand(3, 4), rand(3))
    check(on_a_copy(unfolded, strided, narrowed), rand(3, 4), rand(3))
    # torch has no gradient for writes to one of several views
    check(on_a_copy(parts, unbound, split), rand(3, 4), rand(3), gradient=False)


def test_other_views_see_writes():
    def run(x, y):
        z = x.clone()
        row, flat, corner = z[1], z.view(-1), z[1:, 1:]
        z[:, 2] = y
        first = flat.clone(), row.clone()
        corner *= 2
        second = flat.clone(), row.clone()
        flat[5] = 9
        third = row.clone()
        z.add_(1)
        return first, second, third, row, flat, corner, z
    check(run, rand(3, 4), rand(3))


def test_a_view_made_before_a_write_to_its_view():
    def run(x, y):
        z = x.clone()
        t = z.t()
        part = t[1:]
        part[0] = y
        part.mul_(2)
        z[0, 0] = 4
        return z, t, part
    check(run, rand(3, 4), rand(3))


def test_masks():
    known = torch.tensor([[True, False], [False, True]])

    def constant(x, y):
        x[known] = 2.0

    def values(x, y):
        x[known] = y

    def computed(x, y):
        x[x > 0] = 0.5

    def filled(x, y):
        x.masked_fill_(known, 1.0)
        x[0][known[1]] += 1
    check(on_a_copy(constant, values, computed, filled), rand(2, 2), rand(2))


def test_indices():
    i = torch.tensor([2, 0])

    def entries(x, y):
        x[i] = y

    def added(x, y):
        x[i, 1] += y[0]

    def column(x, y):
        x[:, 1:][:, i] = 4

    def operators(x, y):
        x.index_add_(0, i, torch.stack([y, y])).index_fill_(1, i, 2.0)
        x.scatter_(0, torch.tensor([[1, 2, 0, 1]]), 8.0)

    def part(x, y):
        x[1].index_copy_(0, i, y[:2])
    check(on_a_copy(entries, added, column, operators, part), rand(3, 4), rand(4))


def test_integers_and_bools():
    def run(x, b):
        x, b = x.clone(), b.clone()
        x[:, 0] = 7
        x[1] += x[0]
        x[b] = -1
        b[0] = True
        b[:, 1] ^= True
        return x, b
    check(run, ints(3, 4, dtype=torch.short), ints(3, 4, high=2).bool())


def test_types_are_kept():
    def run(x, y):
        z = x.clone()
        z[0] = y
        z.add_(y)
        h = x.half()
        h[1] = y
        h += y
        return z, h.float()
    check(run, ints(2, 3).float(), ints(3).float(), atol=1e-2)


def test_results_of_writes_are_the_tensor():
    def run(x):
        z = x.clone()
        a = z.mul_(2)
        z.add_(1)
        return a, z
    check(run, rand(3, 4))

    def into(x):
        out, part = torch.empty(3, 4), torch.zeros(2, 4)
        torch.add(x, 1, out=out)
        torch.mul(x[0], 2, out=part[1])
        return out, part
    check(into, rand(3, 4), gradient=False)


def test_broadcast_and_expanded_values():
    def run(x, y):
        z = torch.zeros(2, 3, 4)
        z[:] = x
        z[..., 0] = y
        z[1, :, 1:3] += y[:, None]
        return z
    check(run, rand(3, 4), rand(3))


def test_shape_changes_in_place():
    def run(x):
        a, b, c, d = x.clone(), x.clone(), x.clone(), x.clone()
        view = a.view(-1)
        a.t_()
        a[0] = 2
        b.unsqueeze_(0)
        b[0, 0] = 3
        c.transpose_(0, 1).add_(1)
        d.squeeze_()
        return a, view, b, c, d
    check(run, rand(3, 4))


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int))
        self.register_buffer("seen", torch.zeros(3, 2))
        self.register_buffer("row", torch.zeros(4))

    def forward(self, x):
        self.calls += 1
        self.seen[1] = x
        self.seen[:, 0] += 1
        self.row[1::2] = x * 2
        return x + self.calls, self.seen.sum()


def test_buffers_persist():
    model, reference = Counting(), Counting()
    wrapped = poptorch.inferenceModel(model)
    for i in range(3):
        x = torch.tensor([1.0, 2.0]) * (i + 1)
        for a, e in zip(wrapped(x), reference(x)):
            torch.testing.assert_close(a, e)
    wrapped.copyWeightsToHost()
    for name, buffer in reference.named_buffers():
        torch.testing.assert_close(dict(model.named_buffers())[name], buffer)


def test_inputs_written_change_on_the_host():
    def run(x):
        x.mul_(2)
        x[0] = 1
        return x + 0
    check(run, rand(3), gradient=False)
    x = rand(3)
    expected = run(x.clone())

    class Model(torch.nn.Module):
        def forward(self, x):
            return run(x)

    poptorch.inferenceModel(Model())(x)
    assert torch.equal(x, expected)


def test_writes_without_gradient():
    def run(x):
        z = x * 2
        with torch.no_grad():
            z[0] = 5
        return z * x
    check(run, rand(3, 2), gradient=False)


@pytest.mark.parametrize("drop", [lambda h: F.dropout(h, 0.5, training=False), lambda h: F.dropout(h, 0.0),
                                  lambda h: F.dropout2d(h, 0.5, training=False),
                                  lambda h: F.alpha_dropout(h, 0.5, training=False),
                                  lambda h: F.feature_alpha_dropout(h, 0.5, training=False),
                                  lambda h: F.dropout(h, p=0.5, training=False, inplace=True)])
def test_a_dropout_that_drops_nothing_shares_memory(drop):
    def run(x):
        h = x * 2
        d = drop(h)
        d += 10
        h[0] = 3
        return h, d
    check(run, rand(3, 2, 2, 2))


def test_an_inference_drops_nothing_and_shares_memory():
    class Drops(torch.nn.Module):
        def forward(self, x):
            h = x * 2
            F.dropout(h, 0.5, training=True).add_(10)
            return h

    torch.testing.assert_close(poptorch.inferenceModel(Drops())(torch.ones(3)), torch.full((3,), 12.0))


def _steps(make, optimizer, x):
    """The weights after two steps, by torch and by the IPU."""
    out = []
    for wrap in (False, True):
        torch.manual_seed(1)
        module = make()
        rule = optimizer(module.parameters())
        if wrap:
            training = poptorch.trainingModel(module, optimizer=rule)
        for _ in range(2):
            if wrap:
                training(x)
            else:
                rule.zero_grad()
                module(x).backward()
                rule.step()
        out.append({name: p.detach().clone() for name, p in module.named_parameters()})
    return out


@pytest.mark.parametrize("write", [lambda y: y.zero_(), lambda y: y.fill_(2.0), lambda y: y.copy_(torch.ones(3)),
                                   lambda y: y.view(3, 1)[:, 0].zero_(), lambda y: y.__setitem__(slice(None), 1.0)])
@pytest.mark.parametrize("optimizer", [lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.5),
                                       lambda p: torch.optim.AdamW(p, lr=0.1, weight_decay=0.5)])
def test_a_weight_whose_value_was_overwritten_has_a_gradient_of_zero(write, optimizer):
    class Overwrites(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gone, self.used, self.apart = (torch.nn.Parameter(torch.full((3,), 2.0)) for _ in range(3))

        def forward(self, x):
            y = (x * self.gone).sin()
            write(y)
            y += x * self.used
            self.apart * 2  # never part of the loss
            return poptorch.identity_loss(y.sum(), "none") if poptorch.isRunningOnIpu() else y.sum()

    expected, actual = _steps(Overwrites, optimizer, torch.ones(3))
    assert not torch.equal(expected["gone"], torch.full((3,), 2.0))
    for name, value in expected.items():
        torch.testing.assert_close(actual[name], value, msg=lambda m: f"{name}: {m}")


@pytest.mark.parametrize("term", [lambda w, x: torch.addmm(x, w, x, alpha=0), lambda w, x: torch.addmm(w, x, x, beta=0),
                                  lambda w, x: torch.copysign(x, w)])
def test_a_weight_that_counts_zero_times_decays(term):
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.none, self.one = (torch.nn.Parameter(torch.full((2, 2), 2.0)) for _ in range(2))

        def forward(self, x):
            y = term(self.none, x * self.one).sum()
            return poptorch.identity_loss(y, "none") if poptorch.isRunningOnIpu() else y

    expected, actual = _steps(Counts, lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.5), torch.ones(2, 2))
    for name, value in expected.items():
        torch.testing.assert_close(actual[name], value, msg=lambda m: f"{name}: {m}")
