# SPDX-License-Identifier: MIT
"""Tensors of a module that are no parameters and no buffers: constants, which forward() writes on the host once."""
import poptorch
import pytest
import torch


class Counter(torch.nn.Module):
    def __init__(self, buffer=False):
        super().__init__()
        if buffer:
            self.register_buffer("count", torch.zeros(1))
        else:
            self.count = torch.zeros(1)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.count += 1
        return self.count + 0 * x


def test_a_plain_tensor_is_written_when_the_model_is_captured():
    """As what else forward() does on the host."""
    counter = Counter()
    plain, x = counter.count, torch.zeros(1)
    model = poptorch.inferenceModel(counter)
    assert [float(model(x)) for _ in range(3)] == [1, 1, 1]
    assert counter.count == 1 and counter.count is plain and model.model.calls == 1
    model.destroy()
    assert float(model(x)) == 2 and counter.count == 2  # captured again


def test_a_buffer_is_written_by_every_call():
    counter = Counter(buffer=True)
    model = poptorch.inferenceModel(counter)
    assert [float(model(torch.zeros(1))) for _ in range(3)] == [1, 2, 3]
    assert counter.count == 3


def test_a_capture_that_fails_writes_nothing():
    class Fails(Counter):
        def forward(self, x):
            return super().forward(x).item()

    counter = Fails()
    with pytest.raises(poptorch.Error):
        poptorch.inferenceModel(counter)(torch.zeros(1))
    assert counter.count == 0


def test_values_of_inputs_stay_on_the_device():
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.last = torch.zeros(1)

        def forward(self, x):
            self.last.copy_(x)
            return self.last * 2

    module = Keeps()
    model = poptorch.inferenceModel(module)
    assert float(model(torch.full((1,), 3.0))) == 6 and float(model(torch.full((1,), 4.0))) == 8
    assert module.last == 0  # they are known only when the model runs


class Sees(torch.nn.Module):
    """A member that sees the memory of a parameter or a buffer."""

    def __init__(self, see):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(1., 5.))
        self.register_buffer("b", torch.zeros(4))
        self.seen = see(self)

    def forward(self, x):
        loss = (self.w * x).sum() + (self.seen ** 2).sum() * 0.5
        return self.seen * 1, poptorch.identity_loss(loss, "none") if poptorch.isRunningOnIpu() else loss


@pytest.mark.parametrize("see", [lambda m: m.w.data, lambda m: m.w.detach()[:], lambda m: m.w.data[1:3],
                                 lambda m: m.w.data[::2],
                                 lambda m: m.w.data.view(2, 2).t(), lambda m: m.b[1:], lambda m: m.b.view(2, 2)])
def test_members_that_see_a_weight_follow_it_without_gradient(see):
    host, ours, x = Sees(see), Sees(see), torch.full((4,), 0.5)
    optimizer = torch.optim.SGD(host.parameters(), lr=0.1)
    training = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.1))
    for _ in range(3):
        optimizer.zero_grad()
        seen, loss = host(x)
        loss.backward()
        ours_seen, ours_loss = training(x)
        torch.testing.assert_close(ours_seen, seen)
        torch.testing.assert_close(ours_loss, loss.detach())
        optimizer.step()
    torch.testing.assert_close(ours.w.detach(), host.w.detach())


def test_a_write_to_a_member_that_sees_a_buffer_is_one_to_the_buffer():
    class Writes(Sees):
        def forward(self, x):
            self.seen += 1
            return x + self.b

    for see in (lambda m: m.b[:2], lambda m: m.b.data, lambda m: m.b.view(2, 2)[:, 1]):
        host, module = Writes(see), Writes(see)
        model = poptorch.inferenceModel(module)
        for _ in range(2):
            assert torch.equal(model(torch.ones(4)), host(torch.ones(4)))
        assert torch.equal(module.b, host.b)


def test_data_of_a_parameter_has_no_gradient():
    class Data(Sees):
        def forward(self, x):
            self.w.data.clamp_(max=3.5)
            loss = (self.w * x).sum() + (self.w.data ** 2).sum()
            return self.w * 1, poptorch.identity_loss(loss, "none") if poptorch.isRunningOnIpu() else loss

    module = Data(lambda m: None)
    training = poptorch.trainingModel(module, optimizer=torch.optim.SGD(module.parameters(), lr=1.0))
    assert training(torch.ones(4))[0].tolist() == [1, 2, 3, 3.5]
    assert module.w.tolist() == [0, 1, 2, 2.5]


def test_memory_that_cannot_be_followed_is_refused():
    class Shares(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = torch.zeros(4)
            self.first, self.last = self.whole[:2], self.whole[2:]
            memory = torch.zeros(6)
            self.register_buffer("b", memory[:4])
            self.around = memory

        def forward(self, x):
            return self.does(x)

    def run(does):
        module = Shares()
        module.does = does.__get__(module)
        return poptorch.inferenceModel(module)(torch.zeros(2))

    with pytest.raises(poptorch.Error, match=r"writes to a tensor of shape \[2\] .* shares memory with another of shape \[4\]"):
        run(lambda self, x: self.first.add_(1) + self.whole[:2] + x)
    with pytest.raises(poptorch.Error, match=r"shape \[6\] shares some of its memory with b"):
        run(lambda self, x: x + self.around[:2])
    assert run(lambda self, x: self.first.add_(1) + self.last.add_(2) + x).tolist() == [3, 3]  # they do not overlap
    assert run(lambda self, x: self.first + self.whole[1:3] + x).tolist() == [0, 0]  # nobody writes


def test_buffers_that_are_sparse_are_refused():
    module = Sees(lambda m: None)
    module.register_buffer("sparse", torch.eye(2).to_sparse())
    with pytest.raises(poptorch.Error, match="Sparse tensors are not supported: sparse has the layout torch.sparse_coo. Use"):
        poptorch.inferenceModel(module)(torch.ones(4))
