# SPDX-License-Identifier: MIT
"""Tensors, functions, gradients, and a small model that is trained: against torch, and on both devices."""
import re

import numpy as np
import pytest
import tensorflow as tf
import torch
from tensorflow import keras
from tensorflow.python import ipu


@pytest.fixture
def strategy():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def data(samples=48):
    rng = np.random.default_rng(1)
    return rng.normal(size=(samples, 4, 5)).astype("float32"), rng.integers(0, 3, samples).astype("int32")


def model_like(layers):
    """The same model in torch."""
    parts = []
    for layer in layers:
        if isinstance(layer, keras.layers.Dense):
            kernel, bias = (torch.tensor(w) for w in layer.get_weights())
            linear = torch.nn.Linear(*kernel.shape)
            linear.weight.data, linear.bias.data = kernel.T.clone(), bias.clone()
            parts.append(linear)
            if layer.activation.__name__ == "relu":
                parts.append(torch.nn.ReLU())
    return torch.nn.Sequential(torch.nn.Flatten(), *parts)


def small():
    return keras.Sequential([keras.layers.Flatten(input_shape=(4, 5)), keras.layers.Dense(8, activation="relu"),
                             keras.layers.Dense(3), keras.layers.Activation("softmax")])


def trained_with_torch(model, x, y, rate, batch, epochs):
    out = model_like(model.layers)
    optimizer = torch.optim.SGD(out.parameters(), lr=rate)
    losses = []
    for _ in range(epochs):
        each = []
        for i in range(0, len(x), batch):
            loss = torch.nn.functional.cross_entropy(out(torch.tensor(x[i:i + batch])), torch.tensor(y[i:i + batch]).long())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            each.append(loss.item())
        losses.append(np.mean(each))
    return out, losses


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("on_ipu", [False, True])
def test_fit_with_sgd_does_what_torch_does(strategy, on_ipu, steps):
    x, y = data()
    scope = strategy.scope() if on_ipu else tf.init_scope()
    with scope:
        model = small()
        peer, losses = trained_with_torch(model, x, y, 0.1, 8, 3)
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"],
                      steps_per_execution=steps)
        history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0).history
        np.testing.assert_allclose(history["loss"], losses, rtol=1e-5)
        for layer, linear in ((model.layers[1], peer[1]), (model.layers[2], peer[3])):
            np.testing.assert_allclose(layer.get_weights()[0], linear.weight.detach().numpy().T, rtol=1e-4, atol=1e-6)
        loss, accuracy = model.evaluate(x, y, batch_size=8, verbose=0)
        scores = peer(torch.tensor(x))
        assert loss == pytest.approx(torch.nn.functional.cross_entropy(scores, torch.tensor(y).long()).item(), rel=1e-4)
        assert accuracy == pytest.approx(float((scores.argmax(1).numpy() == y).mean()))
        np.testing.assert_allclose(model.predict(x, batch_size=8), scores.softmax(1).detach().numpy(), rtol=1e-4, atol=1e-6)


def test_a_partial_last_batch_counts_by_its_samples():
    x, y = data(20)
    model = small()
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    whole = model.evaluate(x, y, batch_size=20, verbose=0)
    np.testing.assert_allclose(model.evaluate(x, y, batch_size=8, verbose=0), whole, rtol=1e-5)


def test_the_bar_has_kerases_form(capsys):
    x, y = data()
    model = small()
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=8, epochs=2)
    out = capsys.readouterr().out
    assert "Epoch 1/2\n" in out and "Epoch 2/2\n" in out
    assert re.search(r"^6/6 \[={30}\] - \d+s \d+[mu]?s/step - loss: \d+\.\d{4} - accuracy: \d\.\d{4}$", out, re.M)


def test_the_summary_has_kerases_form(capsys):
    small().summary()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "_" * 65
    assert lines[2] == "Layer (type)                 Output Shape              Param #   "
    assert "Total params: 195" in lines


def test_a_function_is_traced_once_for_a_shape_and_changes_variables():
    v = tf.Variable([1.0, 2.0])
    traces = []

    @tf.function
    def step(x):
        traces.append(x.shape)
        v.assign_add(x)
        return v * 2.0

    np.testing.assert_allclose(step(tf.constant([1.0, 1.0])), [4, 6])
    np.testing.assert_allclose(step(tf.constant([1.0, 1.0])), [6, 8])
    np.testing.assert_allclose(v.numpy(), [3, 4])
    assert len(traces) == 1


def test_gradients_outside_and_inside_of_functions_agree_with_torch():
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=s).astype("float32") for s in ((2, 6, 6, 3), (3, 3, 3, 4)))
    kernel = tf.Variable(w)

    def loss():
        return tf.reduce_sum(tf.tanh(tf.nn.conv2d(x, kernel, 2, "SAME")) ** 2.0)

    with tf.GradientTape() as tape:
        value = loss()
    outside = tape.gradient(value, kernel)

    @tf.function
    def inside():
        with tf.GradientTape() as tape:
            value = loss()
        return tape.gradient(value, kernel)

    t = torch.tensor(w.transpose(3, 2, 0, 1), requires_grad=True)
    padded = torch.nn.functional.pad(torch.tensor(x.transpose(0, 3, 1, 2)), (0, 1, 0, 1))
    torch.tanh(torch.nn.functional.conv2d(padded, t, stride=2)).square().sum().backward()
    expected = t.grad.numpy().transpose(2, 3, 1, 0)
    np.testing.assert_allclose(outside, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(inside(), expected, rtol=1e-4, atol=1e-5)


def test_loops_and_conditions_in_functions():
    @tf.function
    def f(x):
        i, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2.0), [0, x])
        return tf.cond(tf.reduce_sum(s) > 10.0, lambda: s, lambda: -s)

    np.testing.assert_allclose(f(tf.constant([1.0, 2.0])), [32, 64])
    np.testing.assert_allclose(f(tf.constant([0.01, 0.02])), [-0.32, -0.64], rtol=1e-6)


def test_unknown_names_say_where_the_list_is():
    for module, name in ((tf, "reduce_meen"), (tf.nn, "fancy_op"), (keras.layers, "Dens")):
        with pytest.raises(AttributeError, match=name + r".*docs/tensorflow\.md"):
            getattr(module, name)
