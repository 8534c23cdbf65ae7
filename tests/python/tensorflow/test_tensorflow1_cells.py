# SPDX-License-Identifier: MIT
"""tf.nn.rnn_cell of TensorFlow 1, against numpy."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
UNITS = 4
CELLS = {"basic": lambda: tf.nn.rnn_cell.BasicRNNCell(UNITS), "gru": lambda: tf.nn.rnn_cell.GRUCell(UNITS),
         "lstm": lambda: tf.nn.rnn_cell.LSTMCell(UNITS, forget_bias=0.5),
         "basic_lstm": lambda: tf.nn.rnn_cell.BasicLSTMCell(UNITS)}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, w, x, state):
    """(output, state) by the formulas."""
    if kind == "basic":
        h = np.tanh(np.concatenate([x, state], 1) @ w["kernel"] + w["bias"])
        return h, h
    if kind == "gru":
        r, u = np.split(sigmoid(np.concatenate([x, state], 1) @ w["gates/kernel"] + w["gates/bias"]), 2, 1)
        c = np.tanh(np.concatenate([x, r * state], 1) @ w["candidate/kernel"] + w["candidate/bias"])
        h = u * state + (1 - u) * c
        return h, h
    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"], 4, 1)
    c = c * sigmoid(f + (0.5 if kind == "lstm" else 1.0)) + sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    return h, (c, h)


@pytest.mark.parametrize("lengths", [None, [5, 2]])
@pytest.mark.parametrize("kind", CELLS)
def test_cells_over_time(kind, lengths):
    strategy()
    with tf.Graph().as_default(), tf.Session() as session:
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(lambda x: tf.nn.dynamic_rnn(CELLS[kind](), x, lengths, dtype=tf.float32),
                                           [tf.constant(X)])
        session.run(tf.global_variables_initializer())
        outputs, state = session.run(run)
        prefix = tf.global_variables()[0].name.split("/", 2)
        assert prefix[0] == "rnn" and prefix[1].endswith("_cell")
        w = {v.name.split("/", 2)[2].split(":")[0]: session.run(v) for v in tf.global_variables()}
    first = np.zeros((2, UNITS), "float32")
    now, wanted = (first, first) if "lstm" in kind else first, []
    for t in range(5):
        out, made = step(kind, w, X[:, t], now)
        on = np.array([[t < n] for n in lengths or (5, 5)])
        wanted.append(np.where(on, out, 0))
        now = tuple(np.where(on, a, b) for a, b in zip(made, now)) if isinstance(made, tuple) else np.where(on, made, now)
    np.testing.assert_allclose(outputs, np.stack(wanted, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.stack(state) if isinstance(state, tuple) else state,
                               np.stack(now) if isinstance(now, tuple) else now,
                               rtol=1e-4, atol=1e-5)


def test_cells_upon_cells_are_trained():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(UNITS), tf.nn.rnn_cell.GRUCell(2)])
        outputs, state = tf.nn.static_rnn(cell, tf.unstack(tf.constant(X), axis=1), dtype=tf.float32)
        loss = tf.reduce_sum(outputs[-1] ** 2)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        assert len(tf.trainable_variables()) == 6 and len(outputs) == 5 and state[0].c.shape == (2, UNITS)
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(5):
            session.run(train)
        assert session.run(loss) < before


@pytest.mark.parametrize("lengths", [None, [5, 2]])
def test_both_directions(lengths):
    with tf.Graph().as_default(), tf.Session() as session:
        cells = [tf.nn.rnn_cell.BasicRNNCell(UNITS), tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.BasicRNNCell(3))]
        (there, back), last = tf.nn.bidirectional_dynamic_rnn(*cells, tf.constant(X), lengths, dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        names = [v.name for v in tf.global_variables()]
        assert names[0] == "bidirectional_rnn/fw/basic_rnn_cell/kernel:0" and names[3].startswith("bidirectional_rnn/bw/")
        w = [session.run(v) for v in tf.global_variables()]
        there, back, last = session.run([there, back, last])
    for sample, n in enumerate(lengths or (5, 5)):
        h, g = np.zeros((1, UNITS), "f4"), np.zeros((1, 3), "f4")
        for t in range(n):
            x, y = X[sample:sample + 1, t], X[sample:sample + 1, n - 1 - t]
            h, g = np.tanh(np.concatenate([x, h], 1) @ w[0] + w[1]), np.tanh(np.concatenate([y, g], 1) @ w[2] + w[3])
            np.testing.assert_allclose(there[sample, t], h[0], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(back[sample, n - 1 - t], (g + y)[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(last[0][sample], h[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(last[1][sample], g[0], rtol=1e-4, atol=1e-5)
        assert not there[sample, n:].any() and not back[sample, n:].any()


def test_what_is_dropped_of_a_cell():
    def run(**keep):
        with tf.Graph().as_default(), tf.Session() as session:
            rate = tf.placeholder_with_default(tf.constant(keep.pop("fed", 1.0)), [])
            cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(200), input_keep_prob=rate, **keep)
            out, state = cell(tf.ones([1, 1]), cell.zero_state(1, tf.float32))
            session.run(tf.global_variables_initializer())
            w = [session.run(v) for v in tf.global_variables()]
            assert [v.name.split("/")[-1] for v in tf.global_variables()] == ["kernel:0", "bias:0"]
            return session.run([out, state]), w
    (out, state), (kernel, bias) = run(output_keep_prob=0.5, state_keep_prob=0.25)
    zero = np.zeros((1, 200))
    i, j, f, o = np.split(np.concatenate([[[1.0]], zero], 1) @ kernel + bias, 4, 1)
    c = sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    np.testing.assert_allclose(state.c, c, rtol=1e-4, atol=1e-6)  # the cell stays
    for found, keep in ((out, 0.5), (state.h, 0.25)):
        kept = found != 0
        assert abs(kept.mean() - keep) < 0.15
        np.testing.assert_allclose(found[kept], (h / keep)[kept], rtol=1e-4, atol=1e-6)
    (out, state), _ = run(fed=1e-6)
    assert not out.any()  # the input was dropped, and biases are zeros


@pytest.mark.parametrize("make, message", [
    (lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), variational_recurrent=True), "variational_recurrent"),
    (lambda: tf.nn.rnn_cell.LSTMCell(2, use_peepholes=True), "use_peepholes"),
    (lambda: tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=False), "state_is_tuple"),
    (lambda: tf.nn.rnn_cell.GRUCell(2, bias_initializer="zeros"), "bias_initializer")])
def test_what_is_not_there(make, message):
    with pytest.raises(NotImplementedError, match=message):
        make()
