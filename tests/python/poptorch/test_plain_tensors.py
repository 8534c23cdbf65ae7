# SPDX-License-Identifier: MIT
"""Tensors of a module that are no parameters and no buffers: constants of the model, which forward() writes on the host once."""
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
