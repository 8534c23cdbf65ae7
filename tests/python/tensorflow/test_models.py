# SPDX-License-Identifier: MIT
"""Keras models as users write them: functional ones with several inputs, outputs and shared layers, nested ones, classes of
their own with layers, losses, metrics and steps of their own. Numbers against numpy and torch."""
import numpy as np
import pytest
import tensorflow as tf
import torch
from agree import normal, rng
from tensorflow import keras
from tensorflow.keras import layers

L = layers


@pytest.fixture(autouse=True)
def seeded():
    tf.random.set_seed(1)


def test_several_inputs_and_outputs():
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    both = L.Concatenate()([L.Dense(5, "relu", name="left")(a), L.Dense(5, "relu", name="right")(b)])
    one, two = L.Dense(2, name="one")(both), L.Dense(1, "sigmoid", name="two")(both)
    model = keras.Model([a, b], [one, two])
    xa, xb = normal(16, 4), normal(16, 3, seed=1)
    y1, y2 = normal(16, 2, seed=2), rng(3).integers(0, 2, (16, 1)).astype("float32")
    w = {layer.name: layer.get_weights() for layer in model.layers if layer.weights}
    hidden = np.concatenate([np.maximum(x @ w[n][0] + w[n][1], 0) for x, n in ((xa, "left"), (xb, "right"))], 1)
    out1 = hidden @ w["one"][0] + w["one"][1]
    out2 = 1 / (1 + np.exp(-(hidden @ w["two"][0] + w["two"][1])))
    for given in ([xa, xb], {"a": xa, "b": xb}):
        for got, want in zip(model.predict(given), (out1, out2)):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    mse = ((out1 - y1) ** 2).mean()
    ce = -(y2 * np.log(out2) + (1 - y2) * np.log(1 - out2)).mean()
    model.compile("sgd", {"one": "mse", "two": "binary_crossentropy"}, loss_weights={"one": 0.5, "two": 2.0},
                  metrics={"one": ["mae"], "two": ["accuracy"]})
    for labels in ([y1, y2], {"one": y1, "two": y2}):
        logs = model.evaluate([xa, xb], labels, batch_size=8, verbose=0, return_dict=True)
        assert logs == pytest.approx({"loss": 0.5 * mse + 2 * ce, "one_loss": mse, "two_loss": ce,
                                      "one_mae": abs(out1 - y1).mean(), "two_accuracy": ((out2 > 0.5) == y2).mean()}, rel=1e-4)
    history = model.fit({"a": xa, "b": xb}, [y1, y2], epochs=12, batch_size=8, verbose=0).history
    assert history["loss"][-1] < history["loss"][0] and "two_accuracy" in history


def test_shared_layers_and_nested_models():
    """Weights are there once, and get the gradients of both uses."""
    shared = keras.Sequential([L.Dense(6, "tanh", input_shape=(4,)), L.Dense(3)], name="tower")
    a, b = keras.Input((4,)), keras.Input((4,))
    distance = L.Lambda(lambda v: tf.reduce_sum((v[0] - v[1]) ** 2.0, -1, keepdims=True))([shared(a), shared(b)])
    model = keras.Model([a, b], distance)
    assert len(model.weights) == 4 and model.count_params() == 4 * 6 + 6 + 6 * 3 + 3
    x1, x2, y = normal(8, 4), normal(8, 4, seed=1), normal(8, 1, seed=2)
    weights = [torch.tensor(w, requires_grad=True) for w in model.get_weights()]

    def tower(x):
        return torch.tanh(torch.tensor(x) @ weights[0] + weights[1]) @ weights[2] + weights[3]

    loss = (((tower(x1) - tower(x2)) ** 2).sum(-1, keepdim=True) - torch.tensor(y)).square().mean()
    loss.backward()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    assert model.train_on_batch([x1, x2], y) == pytest.approx(loss.item(), rel=1e-4)
    for got, w in zip(model.get_weights(), weights):
        np.testing.assert_allclose(got, (w - 0.1 * (w.grad if w.grad is not None else 0)).detach(), rtol=1e-3, atol=1e-5)


def test_operations_between_layers():
    x = keras.Input((6,))
    h = L.Dense(6, "relu")(x)
    y = tf.concat([h + x * 2.0, tf.nn.relu(h) - 1.0], axis=-1)
    y = tf.reshape(y, [-1, 3, 4])
    y = tf.reduce_mean(y, axis=1) / 2.0
    model = keras.Model(x, y[:, :2])
    data = normal(5, 6)
    kernel, bias = model.get_weights()
    hidden = np.maximum(data @ kernel + bias, 0)
    expected = np.concatenate([hidden + data * 2, hidden - 1], -1).reshape(-1, 3, 4).mean(1)[:, :2] / 2
    np.testing.assert_allclose(model.predict(data), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model(data), expected, rtol=1e-4, atol=1e-5)


def test_residual_blocks_with_normalisation_learn():
    def block(x, filters, stride=1):
        y = L.Conv2D(filters, 3, stride, "same", use_bias=False)(x)
        y = L.ReLU()(L.BatchNormalization()(y))
        y = L.BatchNormalization()(L.Conv2D(filters, 3, padding="same", use_bias=False)(y))
        if stride != 1 or x.shape[-1] != filters:
            x = L.Conv2D(filters, 1, stride, use_bias=False)(x)
        return L.ReLU()(L.Add()([x, y]))

    inputs = keras.Input((8, 8, 2))
    x = block(block(inputs, 8), 12, 2)
    model = keras.Model(inputs, L.Dense(3, "softmax")(L.GlobalAveragePooling2D()(x)))
    labels = rng(0).integers(0, 3, 48)
    data = normal(48, 8, 8, 2) * 0.3 + np.eye(3)[labels][:, None, None, :2]
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(data, labels, batch_size=16, epochs=4, verbose=0).history
    assert history["accuracy"][-1] > 0.8 and history["loss"][-1] < 0.6 * history["loss"][0]


class Scaled(L.Layer):
    def __init__(self, units, factor=1.0, **kwargs):
        super().__init__(**kwargs)
        self.units, self.factor = units, factor

    def build(self, input_shape):
        self.w = self.add_weight("w", (input_shape[-1], self.units), initializer="random_normal", trainable=True)
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="b")
        self.calls = self.add_weight("calls", (), initializer="zeros", trainable=False)

    def call(self, inputs, training=None):
        if training:
            self.calls.assign_add(1.0)
        self.add_loss(self.factor * tf.reduce_sum(self.w ** 2.0))
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {**super().get_config(), "units": self.units, "factor": self.factor}


class Perceptron(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Scaled(5, 0.01), Scaled(4, 0.02)]
        self.last = L.Dense(1)
        self.drop = L.Dropout(0.0)

    def call(self, inputs, training=None):
        x = inputs
        for block in self.blocks:
            x = tf.nn.tanh(block(x))
        if training:
            x = self.drop(x, training=training)
        return self.last(x)


def test_a_class_of_layers_of_its_own():
    model = Perceptron()
    x, y = normal(16, 3), normal(16, 1, seed=1)
    model.compile(keras.optimizers.SGD(0.05), "mse")
    before = model.evaluate(x, y, batch_size=16, verbose=0)
    w = model.get_weights()
    assert len(w) == 8 and [v.name for v in model.trainable_weights][:2] == ["perceptron/scaled/w:0", "perceptron/scaled/b:0"]
    h = np.tanh(np.tanh(x @ w[0] + w[1]) @ w[2] + w[3]) @ w[4] + w[5]
    assert before == pytest.approx(((h - y) ** 2).mean() + 0.01 * (w[0] ** 2).sum() + 0.02 * (w[2] ** 2).sum(), rel=1e-4)
    history = model.fit(x, y, batch_size=8, epochs=5, verbose=0).history
    assert history["loss"][-1] < before
    assert float(model.blocks[0].calls.numpy()) == 10
    outside = model(x)
    np.testing.assert_allclose(outside, model.predict(x), rtol=1e-4, atol=1e-6)
    assert len(model.losses) == 2


class Steps(keras.Model):
    """Steps of its own, with metrics of its own."""

    def __init__(self):
        super().__init__()
        self.dense = L.Dense(1, use_bias=False, kernel_initializer="ones")
        self.loss_seen, self.error = keras.metrics.Mean(name="own_loss"), keras.metrics.MeanAbsoluteError(name="error")

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean((y - y_pred) ** 4.0)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_seen.update_state(loss)
        self.error.update_state(y, y_pred)
        return {"loss": self.loss_seen.result(), "error": self.error.result()}

    @property
    def metrics(self):
        return [self.loss_seen, self.error]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_steps_of_its_own(optimizer):
    x, y = normal(16, 3), normal(16, 1, seed=1)
    model = Steps()
    model.compile(keras.optimizers.SGD(0.01) if optimizer == "sgd" else keras.optimizers.Adam(0.01))
    w = np.ones((3, 1))
    if optimizer == "sgd":
        losses = []
        for i in (0, 8):
            e = x[i:i + 8] @ w - y[i:i + 8]
            losses.append((e ** 4).mean())
            w = w - 0.01 * x[i:i + 8].T @ (4 * e ** 3) / 8
        history = model.fit(x, y, batch_size=8, shuffle=False, verbose=0).history
        np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-3, atol=1e-5)
        assert history["loss"][0] == pytest.approx(np.mean(losses), rel=1e-3)
        assert set(history) == {"loss", "error"}
    else:
        history = model.fit(x, y, batch_size=8, epochs=10, verbose=0).history
        assert history["loss"][-1] < history["loss"][0]


class Sampling(L.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        return mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))


class Vae(keras.Model):
    def __init__(self):
        super().__init__()
        self.mean, self.log_var, self.sampling = L.Dense(2), L.Dense(2), Sampling()
        self.decoder = keras.Sequential([L.Dense(8, "relu"), L.Dense(6)])

    def call(self, x):
        mean, log_var = self.mean(x), self.log_var(x)
        self.add_loss(-0.5 * tf.reduce_mean(log_var - tf.square(mean) - tf.exp(log_var) + 1.0))
        return self.decoder(self.sampling((mean, log_var)))


def test_a_variational_autoencoder():
    x = normal(64, 2) @ normal(2, 6, seed=1)
    model = Vae()
    model.compile(keras.optimizers.Adam(0.02), "mse")
    history = model.fit(x, x, batch_size=16, epochs=15, verbose=0).history
    assert history["loss"][-1] < 0.9 * history["loss"][0]


def test_frozen_layers_and_parts_of_models():
    base = keras.Sequential([L.Dense(5, "relu", input_shape=(4,), name="first"), L.Dense(3, name="second")])
    base.trainable = False
    part = keras.Model(base.input, base.get_layer("first").output)
    model = keras.Sequential([base, L.Dense(1, name="head")])
    assert len(model.trainable_weights) == 2 and len(model.non_trainable_weights) == 4
    x, y = normal(8, 4), normal(8, 1, seed=1)
    kept, head = base.get_weights(), None
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=2, verbose=0)
    for a, b in zip(kept, base.get_weights()):
        np.testing.assert_array_equal(a, b)
    head = model.get_layer("head").get_weights()[0]
    base.trainable = True
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, y, epochs=2, verbose=0)
    assert (kept[0] != base.get_weights()[0]).any() and (head != model.get_layer("head").get_weights()[0]).any()
    kernel, bias = base.layers[0].get_weights()
    np.testing.assert_allclose(part.predict(x), np.maximum(x @ kernel + bias, 0), rtol=1e-4, atol=1e-5)


def test_a_loop_with_a_tape():
    model = keras.Sequential([L.Dense(4, "tanh", input_shape=(3,)), L.Dense(1)])
    optimizer, loss_fn = keras.optimizers.Adam(0.05), keras.losses.MeanSquaredError()
    x, y = tf.constant(normal(16, 3)), tf.constant(normal(16, 1, seed=1))

    def step():
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    start = model.get_weights()
    outside = [float(step()) for _ in range(5)]
    ended = model.get_weights()
    model.set_weights(start)
    optimizer = keras.optimizers.Adam(0.05)
    traced = tf.function(step)
    inside = [float(traced()) for _ in range(5)]
    np.testing.assert_allclose(inside, outside, rtol=1e-4)
    for a, b in zip(ended, model.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    assert outside[-1] < outside[0]


def test_weights_of_samples_and_classes():
    x, y = normal(12, 3), rng(0).integers(0, 3, 12)
    model = keras.Sequential([L.Dense(3, "softmax", input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.0), "sparse_categorical_crossentropy", weighted_metrics=["accuracy"])
    p = model.predict(x)
    each = -np.log(p[np.arange(12), y])
    w = np.linspace(0, 2, 12).astype("float32")
    loss, accuracy = model.evaluate(x, y, sample_weight=w, batch_size=12, verbose=0)
    assert loss == pytest.approx((each * w).mean(), rel=1e-4)
    assert accuracy == pytest.approx((w * (p.argmax(1) == y)).sum() / w.sum(), rel=1e-4)
    history = model.fit(x, y, batch_size=12, class_weight={0: 1.0, 1: 2.0, 2: 0.5}, verbose=0).history
    assert history["loss"][0] == pytest.approx((each * np.array([1, 2, 0.5])[y]).mean(), rel=1e-4)


def test_layers_that_add_metrics_and_losses_to_a_functional_model():
    class Watch(L.Layer):
        def call(self, x):
            self.add_metric(tf.reduce_mean(tf.abs(x)), name="size")
            self.add_loss(0.1 * tf.reduce_mean(x ** 2.0))
            return x

    inputs = keras.Input((3,))
    model = keras.Model(inputs, L.Dense(1)(Watch()(inputs)))
    x, y = normal(8, 3), normal(8, 1, seed=1)
    model.compile("sgd", "mse")
    kernel, bias = model.get_weights()
    logs = model.evaluate(x, y, batch_size=8, verbose=0, return_dict=True)
    assert logs["loss"] == pytest.approx(((x @ kernel + bias - y) ** 2).mean() + 0.1 * (x ** 2).mean(), rel=1e-4)
    assert logs["size"] == pytest.approx(np.abs(x).mean(), rel=1e-4)


def test_a_text_classifier_learns():
    ids = rng(0).integers(1, 20, (64, 8))
    y = (ids > 14).any(1).astype("float32")
    ids[:, 6:] = 0
    model = keras.Sequential([L.Embedding(20, 8, mask_zero=True), L.Bidirectional(L.LSTM(6)), L.Dense(1, "sigmoid")])
    model.compile(keras.optimizers.Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(ids, y, batch_size=16, epochs=8, verbose=0).history
    assert history["loss"][-1] < 0.7 * history["loss"][0]


def test_masked_steps_do_not_count_in_losses_and_metrics():
    ids, y = np.array([[3, 1, 0, 0], [2, 4, 1, 0]]), rng(0).integers(0, 3, (2, 4))
    model = keras.Sequential([L.Embedding(5, 4, mask_zero=True, input_length=4), L.LSTM(4, return_sequences=True),
                              L.TimeDistributed(L.Dense(3, "softmax"))])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    p, kept = model.predict(ids), ids != 0
    each = -np.log(np.take_along_axis(p, y[..., None], -1))[..., 0]
    loss, accuracy = model.evaluate(ids, y, verbose=0)
    assert loss == pytest.approx((each * kept).mean(), rel=1e-4)  # Keras divides by all steps
    assert accuracy == pytest.approx((p.argmax(-1) == y)[kept].mean(), rel=1e-4)


def test_a_transformer_block_learns():
    inputs = keras.Input((6,), dtype="int32")
    x = L.Embedding(12, 8)(inputs)
    x = x + L.Embedding(6, 8)(tf.range(6))
    x = L.LayerNormalization(epsilon=1e-6)(x + L.MultiHeadAttention(2, 4)(x, x))
    x = L.LayerNormalization(epsilon=1e-6)(x + L.Dense(8)(L.Dense(16, "gelu")(x)))
    model = keras.Model(inputs, L.Dense(2, "softmax")(L.GlobalAveragePooling1D()(x)))
    ids = rng(1).integers(0, 12, (64, 6)).astype("int32")
    y = (ids.sum(1) > 33).astype("int32")
    model.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(ids, y, batch_size=16, epochs=8, verbose=0).history
    assert history["loss"][-1] < 0.7 * history["loss"][0]


def test_mixed_precision():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = keras.Sequential([L.Conv2D(4, 3, input_shape=(6, 6, 1)), L.BatchNormalization(), L.ReLU(), L.Flatten(),
                                  L.Dense(3), L.Activation("softmax", dtype="float32")])
        assert model.layers[0].kernel.dtype.name == "float32" and model.layers[0].compute_dtype == "float16"
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
        x, y = normal(16, 6, 6, 1), rng(0).integers(0, 3, 16)
        history = model.fit(x, y, batch_size=8, epochs=6, verbose=0).history
        assert history["loss"][-1] < history["loss"][0] and model.predict(x).dtype == np.float32
    finally:
        keras.mixed_precision.set_global_policy("float32")
