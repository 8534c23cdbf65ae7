# SPDX-License-Identifier: MIT
"""SimpleRNN, LSTM, GRU and their wrappers against formulas of one step in torch: both ways that they run, all results."""
import numpy as np
import pytest
import tensorflow as tf
import torch
from agree import check, normal
from tensorflow import keras

L = keras.layers
UNITS = 4


def lstm_step(x, states, w, act=torch.tanh, gate=torch.sigmoid):
    h, c = states
    z = x @ w["kernel"] + h @ w["recurrent_kernel"] + w.get("bias", 0)
    i, f, g, o = z.split(UNITS, 1)
    c = gate(f) * c + gate(i) * act(g)
    h = gate(o) * act(c)
    return h, [h, c]


def gru_step(x, states, w, act=torch.tanh, gate=torch.sigmoid, after=True):
    h = states[0]
    kernel, recurrent = w["kernel"].split(UNITS, 1), w["recurrent_kernel"].split(UNITS, 1)
    bias = w.get("bias", torch.zeros(2, 3 * UNITS, dtype=torch.float64))
    own, inner = (bias[0], bias[1]) if after else (bias if bias.ndim == 1 else bias[0], torch.zeros(3 * UNITS))
    own, inner = own.split(UNITS), inner.split(UNITS)
    z = gate(x @ kernel[0] + own[0] + h @ recurrent[0] + inner[0])
    r = gate(x @ kernel[1] + own[1] + h @ recurrent[1] + inner[1])
    if after:
        g = act(x @ kernel[2] + own[2] + r * (h @ recurrent[2] + inner[2]))
    else:
        g = act(x @ kernel[2] + own[2] + (r * h) @ recurrent[2])
    h = z * h + (1 - z) * g
    return h, [h]


def simple_step(x, states, w, act=torch.tanh):
    h = act(x @ w["kernel"] + states[0] @ w["recurrent_kernel"] + w.get("bias", 0))
    return h, [h]


STEPS = {L.LSTM: (lstm_step, 2), L.GRU: (gru_step, 1), L.SimpleRNN: (simple_step, 1)}


def run(x, step, count, w, backwards=False, mask=None, states=None, **more):
    states = states or [torch.zeros(x.shape[0], UNITS, dtype=torch.float64) for _ in range(count)]
    outputs, out = [], torch.zeros(x.shape[0], UNITS, dtype=torch.float64)
    order = range(x.shape[1])
    for t in reversed(order) if backwards else order:
        made, new = step(x[:, t], states, w, **more)
        if mask is not None:
            m = mask[:, t:t + 1]
            made = torch.where(m, made, out)
            new = [torch.where(m, a, b) for a, b in zip(new, states)]
        out, states = made, new
        outputs.append(out)
    return torch.stack(outputs, 1), states


@pytest.mark.parametrize("kind", [L.SimpleRNN, L.LSTM, L.GRU])
@pytest.mark.parametrize("sequences,state", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("backwards", [False, True])
def test_layers(kind, sequences, state, backwards):
    step, count = STEPS[kind]
    layer = kind(UNITS, return_sequences=sequences, return_state=state, go_backwards=backwards)

    def reference(x, w):
        outputs, states = run(x[0], step, count, w, backwards)
        return [outputs if sequences else outputs[:, -1], *(states if state else [])]

    check(layer, [normal(3, 5, 2)], reference)


@pytest.mark.parametrize("layer,step,more", [
    (L.LSTM(UNITS, "relu", "sigmoid", return_sequences=True), lstm_step, {"act": torch.relu}),
    (L.LSTM(UNITS, recurrent_activation="hard_sigmoid"), lstm_step, {"gate": lambda x: torch.clip(0.2 * x + 0.5, 0, 1)}),
    (L.LSTM(UNITS, use_bias=False), lstm_step, {}), (L.GRU(UNITS, reset_after=False), gru_step, {"after": False}),
    (L.GRU(UNITS, "relu", reset_after=False), gru_step, {"after": False, "act": torch.relu}),
    (L.GRU(UNITS, "relu"), gru_step, {"act": torch.relu}), (L.GRU(UNITS, use_bias=False), gru_step, {}),
    (L.SimpleRNN(UNITS, "relu"), simple_step, {"act": torch.relu}),
    (L.SimpleRNN(UNITS, "sigmoid"), simple_step, {"act": torch.sigmoid}), (L.SimpleRNN(UNITS, use_bias=False), simple_step, {}),
    (L.RNN(L.LSTMCell(UNITS)), lstm_step, {}), (L.RNN(L.GRUCell(UNITS)), gru_step, {}),
    (L.RNN(L.SimpleRNNCell(UNITS)), simple_step, {})])
def test_settings(layer, step, more):
    def reference(x, w):
        outputs, _ = run(x[0], step, 2 if step is lstm_step else 1, w, **more)
        return outputs if layer.return_sequences else outputs[:, -1]
    check(layer, [normal(3, 5, 2)], reference)


@pytest.mark.parametrize("kind", [L.LSTM, L.GRU, L.SimpleRNN])
def test_states_that_are_given(kind):
    step, count = STEPS[kind]
    layer = kind(UNITS)
    states = [normal(3, UNITS, seed=i) for i in range(count)]
    check(layer, [normal(3, 5, 2), *states], lambda x, w: run(x[0], step, count, w, states=x[1:])[0][:, -1],
          call=lambda x, *s: layer(x, initial_state=list(s)))


@pytest.mark.parametrize("kind", [L.LSTM, L.GRU, L.SimpleRNN])
@pytest.mark.parametrize("sequences", [False, True])
def test_masks(kind, sequences):
    step, count = STEPS[kind]
    layer = kind(UNITS, return_sequences=sequences)
    mask = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 1, 1, 0, 0]], bool)

    def reference(x, w):
        outputs, _ = run(x[0], step, count, w, mask=torch.tensor(mask))
        return outputs if sequences else outputs[:, -1]

    check(layer, [normal(3, 5, 2)], reference, call=lambda x: layer(x, mask=tf.constant(mask)))


def test_an_embedding_masks_what_follows():
    model = keras.Sequential([L.Embedding(7, 3, mask_zero=True, input_length=5), L.LSTM(UNITS), L.Dense(2)])
    ids = np.array([[3, 1, 4, 0, 0], [2, 6, 5, 3, 1]], "int32")
    table, kernel, recurrent, bias, dense, offset = (torch.tensor(w).double() for w in model.get_weights())
    w = {"kernel": kernel, "recurrent_kernel": recurrent, "bias": bias}
    rows = [run(table[torch.tensor(ids[i:i + 1, :n]).long()], lstm_step, 2, w)[0][:, -1] for i, n in enumerate((3, 5))]
    expected = torch.cat(rows) @ dense + offset
    np.testing.assert_allclose(model.predict(ids), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_masking_layer():
    x = normal(2, 4, 3)
    x[0, 2:] = 0
    model = keras.Sequential([L.Masking(input_shape=(4, 3)), L.GRU(UNITS)])
    short = model.layers[1](x[:1, :2])
    np.testing.assert_allclose(model.predict(x)[:1], short, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", ["concat", "sum", "mul", "ave"])
@pytest.mark.parametrize("sequences", [False, True])
def test_bidirectional(mode, sequences):
    layer = L.Bidirectional(L.LSTM(UNITS, return_sequences=sequences), merge_mode=mode)

    def reference(x, w):
        both = []
        for name in ("forward", "backward"):
            own = {k.split("/")[-1]: v for k, v in w.items() if f"/{name}_" in k}
            outputs, _ = run(x[0], lstm_step, 2, own, name == "backward")
            outputs = outputs.flip(1) if name == "backward" and sequences else outputs
            both.append(outputs if sequences else outputs[:, -1])
        a, b = both
        return {"concat": torch.cat(both, -1), "sum": a + b, "mul": a * b, "ave": (a + b) / 2}[mode]

    check(layer, [normal(3, 5, 2)], reference)
    assert len(layer.weights) == 6


def test_weights_as_keras_has_them():
    keras.backend.clear_session()
    layer = L.LSTM(UNITS)
    layer(normal(1, 3, 2))
    assert [(w.name, tuple(w.shape)) for w in layer.weights] == [
        ("lstm/lstm_cell/kernel:0", (2, 16)), ("lstm/lstm_cell/recurrent_kernel:0", (4, 16)),
        ("lstm/lstm_cell/bias:0", (16,))]
    np.testing.assert_array_equal(layer.get_weights()[2], [0] * 4 + [1] * 4 + [0] * 8)
    gru = L.GRU(UNITS)
    gru(normal(1, 3, 2))
    assert tuple(gru.weights[2].shape) == (2, 12)
    recurrent = layer.get_weights()[1]
    np.testing.assert_allclose(recurrent @ recurrent.T, np.eye(4), atol=1e-5)


def test_stateful_layers_go_on_where_they_were():
    layer = L.LSTM(UNITS, stateful=True, batch_input_shape=(2, 3, 2))
    model = keras.Sequential([layer])
    x = normal(2, 6, 2)
    model.predict(x[:, :3], batch_size=2)
    second = model.predict(x[:, 3:], batch_size=2)
    whole = L.LSTM(UNITS, weights=layer.get_weights())(x)
    np.testing.assert_allclose(second, whole, rtol=1e-4, atol=1e-6)
    layer.reset_states()
    np.testing.assert_allclose(model.predict(x[:, :3], batch_size=2), L.LSTM(UNITS, weights=layer.get_weights())(x[:, :3]),
                               rtol=1e-4, atol=1e-6)


def test_stacked_and_own_cells():
    layer = L.RNN([L.LSTMCell(UNITS), L.GRUCell(3)])
    assert layer(normal(2, 5, 2)).shape == (2, 3)

    class Sum(L.Layer):
        state_size = 2

        def call(self, inputs, states):
            out = inputs + states[0] if isinstance(states, (list, tuple)) else inputs + states
            return out, [out]

    x = normal(2, 5, 2)
    np.testing.assert_allclose(L.RNN(Sum(), return_sequences=True)(x), np.cumsum(x, 1), rtol=1e-5, atol=1e-6)


def test_time_distributed():
    dense = L.Dense(4, activation="tanh")
    check(L.TimeDistributed(dense), [normal(3, 5, 2)], lambda x, w: torch.tanh(x[0] @ w["kernel"] + w["bias"]))
    outer = L.TimeDistributed(L.Conv2D(3, 2))
    assert outer(normal(2, 3, 5, 5, 1)).shape == (2, 3, 4, 4, 3)


@pytest.mark.parametrize("kind", [L.LSTM, L.GRU])
def test_a_model_with_a_recurrent_layer_learns(kind):
    tf.random.set_seed(1)
    x = normal(64, 6, 3)
    y = (x.sum((1, 2)) > 0).astype("float32")[:, None]
    model = keras.Sequential([kind(8, input_shape=(6, 3), dropout=0.1, recurrent_dropout=0.1), L.Dense(1, "sigmoid")])
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, batch_size=16, epochs=8, verbose=0).history
    assert history["loss"][-1] < 0.6 * history["loss"][0]


def test_dropout_is_the_same_at_every_step():
    tf.random.set_seed(3)
    layer = L.SimpleRNN(3, "linear", kernel_initializer="identity", recurrent_initializer="zeros", dropout=0.5,
                        return_sequences=True)
    y = layer(np.ones((8, 4, 3), "float32"), training=True).numpy()
    assert set(np.unique(y.round(5))) == {0.0, 2.0}
    np.testing.assert_array_equal(y, np.repeat(y[:, :1], 4, 1))
    np.testing.assert_allclose(layer(np.ones((8, 4, 3), "float32")), 1)


@pytest.mark.parametrize("layer", [L.LSTM(4, return_sequences=True), L.GRU(4, "relu", return_sequences=True),
                                   L.Bidirectional(L.LSTM(4, return_sequences=True)), L.RNN(L.LSTMCell(4))])
def test_numbers_of_steps_that_are_not_known_yet(layer):
    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, layer(inputs))
    width = 8 if isinstance(layer, L.Bidirectional) else 4
    assert tuple(model.output.shape) == ((None, None, width) if getattr(layer, "return_sequences", True) else (None, width))
    for steps in (3, 5):
        x = normal(2, steps, 3)
        np.testing.assert_allclose(model.predict(x), layer(x), rtol=1e-4, atol=1e-6)
