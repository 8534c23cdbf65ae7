# SPDX-License-Identifier: MIT
"""LSTM, GRU and plain recurrent layers, and their single steps."""
import gc

import pytest
import torch

import poptorch
from harness import check, rand
from modules import check_inference, check_module

nn = torch.nn

LAYERS = [
    dict(),
    dict(batch_first=True, bias=False),
    dict(bidirectional=True),
    dict(num_layers=2, bidirectional=True, batch_first=True),
    dict(num_layers=3),
]


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("keywords", LAYERS, ids=str)
def test_layers(kind, keywords):
    check_module(kind(3, 4, **keywords), rand(5, 2, 3))


def test_relu_and_one_sequence():
    check_module(nn.RNN(3, 4, nonlinearity="relu"), rand(5, 2, 3))
    check_module(nn.LSTM(3, 4), rand(5, 3))


def test_initial_states_have_gradients():
    lstm, gru, rnn = nn.LSTM(3, 4, 2), nn.GRU(3, 4), nn.RNN(3, 4, bidirectional=True)
    check(lambda x, h, c: lstm(x, (h, c)), rand(4, 2, 3), rand(2, 2, 4), rand(2, 2, 4))
    check(lambda x, h: gru(x, h), rand(4, 2, 3), rand(1, 2, 4))
    check(lambda x, h: rnn(x, h), rand(4, 2, 3), rand(2, 2, 4))


def test_only_the_last_state_is_used():
    lstm, gru = nn.LSTM(3, 4), nn.GRU(3, 4)
    check(lambda x: (lstm(x)[1][0], gru(x)[1]), rand(4, 2, 3))
    check(lambda x: lstm(x)[1][1], rand(4, 2, 3))


def test_cells():
    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.gru, self.tanh = nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4)
            self.relu = nn.RNNCell(3, 4, bias=False, nonlinearity="relu")

        def forward(self, x):
            state, h, t, r = None, None, None, None
            for step in x:
                state, h, t, r = self.lstm(step, state), self.gru(step, h), self.tanh(step, t), self.relu(step, r)
            return state[0], state[1], h, t, r

    limits = gc.get_threshold()
    gc.set_threshold(1)  # while torch takes cells apart, their tensors are nobody's in Python
    try:
        check_module(Steps(), rand(3, 2, 3))
    finally:
        gc.set_threshold(*limits)


def test_dropout_between_layers():
    """In an inference nothing is dropped; in a training the loss is another one."""
    check_inference(nn.LSTM(3, 4, 2, dropout=0.5), rand(5, 2, 3))

    class Loss(nn.Module):
        def __init__(self, p):
            super().__init__()
            torch.manual_seed(3)
            self.lstm = nn.LSTM(3, 64, 2, dropout=p)

        def forward(self, x):
            y = self.lstm(x)[0]
            return y, poptorch.identity_loss(y, "mean")

    x = rand(5, 4, 3)
    losses = []
    for p in (0.0, 0.5):
        module = Loss(p)
        losses.append(poptorch.trainingModel(module, optimizer=torch.optim.SGD(module.parameters(), lr=0.1))(x)[1])
    assert losses[0] != losses[1]


def test_halves():
    lstm, x = nn.LSTM(3, 4), rand(5, 2, 3)
    expected = lstm(x)[0]
    for weights in (torch.float, torch.half):
        module = nn.LSTM(3, 4)
        module.load_state_dict(lstm.state_dict())
        module.to(weights)
        state = torch.zeros(1, 2, 4).half()
        actual = poptorch.inferenceModel(module)(x.half(), (state, state))[0]
        torch.testing.assert_close(actual.float(), expected, rtol=1e-2, atol=5e-3)


class Packed(nn.Module):
    """A layer on sequences of four lengths that are known."""

    def __init__(self, layer, lengths=(4, 2, 2, 5), **keywords):
        super().__init__()
        self.layer, self.lengths, self.keywords = layer, lengths, keywords

    def forward(self, x):
        first = self.layer.batch_first
        packed = nn.utils.rnn.pack_padded_sequence(x, list(self.lengths), first, enforce_sorted=False)
        y, last = self.layer(packed)
        return nn.utils.rnn.pad_packed_sequence(y, first, **self.keywords), last


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_packed_sequences(kind):
    check_module(Packed(kind(3, 4)), rand(6, 4, 3))
    layer = kind(3, 4, 2, bidirectional=True, batch_first=True, bias=False)
    check_module(Packed(layer, padding_value=-1.5, total_length=7), rand(4, 5, 3))


def test_lengths_of_packed_sequences_must_be_known():
    class Unknown(nn.Module):
        def forward(self, x, lengths):
            return nn.utils.rnn.pack_padded_sequence(x, lengths).data
    with pytest.raises(poptorch.Error, match=r"_pack_padded_sequence \(at .*test_recurrent.py:\d+\): The lengths"):
        poptorch.inferenceModel(Unknown())(rand(4, 2, 3), torch.tensor([3, 2]))


@pytest.mark.parametrize("keywords", [dict(), dict(bidirectional=True, num_layers=2),
                                      dict(batch_first=True, bias=False)], ids=str)
def test_projections(keywords):
    check_module(nn.LSTM(3, 4, proj_size=2, **keywords), rand(5, 2, 3))


def test_packed_sequences_and_projections():
    check_module(Packed(nn.LSTM(3, 4, proj_size=2, bidirectional=True)), rand(6, 4, 3))
