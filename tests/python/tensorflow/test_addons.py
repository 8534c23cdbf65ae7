# SPDX-License-Identifier: MIT
"""ipu_tensorflow_addons: layers against Keras' own and numpy, optimisers against formulas, with accumulation and replicas."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from ipu_tensorflow_addons.keras import layers, optimizers
from ipu_tensorflow_addons.v1 import layers as v1_layers
from tensorflow import keras
from tensorflow.python import ipu

import on_ipus

RANDOM = np.random.default_rng(3)
SEQUENCE = RANDOM.normal(size=(4, 5, 3)).astype("float32")
X, Y = RANDOM.normal(size=(32, 6)).astype("float32"), RANDOM.normal(size=(32, 2)).astype("float32")


@pytest.mark.parametrize("own,other", [(layers.LSTM, keras.layers.LSTM),
                                       (layers.GRU, lambda *a, **k: keras.layers.GRU(*a, reset_after=False, **k))])
def test_recurrent_layers_are_keras(own, other):
    with on_ipus.strategy().scope():
        pair = [kind(4, return_sequences=True, return_state=True) for kind in (own, other)]
        models = []
        for layer in pair:
            x = keras.Input((5, 3), batch_size=4)
            models.append(keras.Model(x, layer(x)))
        models[1].set_weights(models[0].get_weights())
        for a, b in zip(models[0].predict(SEQUENCE, batch_size=4), models[1].predict(SEQUENCE, batch_size=4)):
            np.testing.assert_array_equal(a, b)
    assert layers.LSTM is layers.PopnnLSTM and layers.GRU is layers.PopnnGRU


@pytest.mark.parametrize("kind", ["PopnnLSTM", "PopnnGRU"])
def test_recurrent_layers_of_graphs(kind):
    """Time comes first; the state goes in and out."""
    with tf.Graph().as_default():
        on_ipus.strategy()
        layer = getattr(v1_layers, kind)(4)
        x = tf1.placeholder(tf.float32, [5, 4, 3])
        start = np.full((4, 4), 0.25, "float32")

        def run(x):
            state = v1_layers.LSTMStateTuple(tf.constant(start), tf.constant(2 * start)) if kind == "PopnnLSTM" else \
                tf.constant(start)
            out, state = layer(x, initial_state=state)
            return (out, *state) if kind == "PopnnLSTM" else (out, state)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            made = ipu.ipu_compiler.compile(run, [x])
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            found = session.run(made, {x: SEQUENCE.transpose(1, 0, 2)})
            weights = [session.run(w) for w in layer.variables]
    plain = (keras.layers.LSTM if kind == "PopnnLSTM" else keras.layers.GRU)(
        4, return_sequences=True, return_state=True, **({} if kind == "PopnnLSTM" else {"reset_after": False}))
    plain.build((4, 5, 3))
    plain.set_weights(weights)
    states = [tf.constant(2 * start), tf.constant(start)] if kind == "PopnnLSTM" else [tf.constant(start)]
    out, *states = plain(tf.constant(SEQUENCE), initial_state=states)
    np.testing.assert_allclose(found[0].transpose(1, 0, 2), out, rtol=1e-4, atol=1e-6)
    for a, b in zip(found[1:], states[::-1]):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("shape,along,factor", [((8, 6), "input_columns", 4), ((8, 6), "input_rows_kernel_columns", 3),
                                                ((8, 6), "kernel_rows", 2), ((2, 4, 6), "input_columns", 2),
                                                ((2, 4, 6), "input_rows_kernel_columns", 2), ((2, 4, 6), "kernel_rows", 4)])
def test_a_dense_layer_in_parts(shape, along, factor):
    x = RANDOM.normal(size=shape).astype("float32")
    with on_ipus.strategy().scope():
        serial = keras.Sequential([layers.SerialDense(4, factor, along, activation="tanh", input_shape=shape[1:])])
        plain = keras.Sequential([keras.layers.Dense(4, activation="tanh", input_shape=shape[1:])])
        for model in (serial, plain):
            model.compile("sgd", "mse")
        plain.set_weights(serial.get_weights())
        for model in (serial, plain):
            model.fit(x, np.ones((*shape[:-1], 4), "float32"), batch_size=shape[0], epochs=3, verbose=0)
        for a, b in zip(serial.get_weights(), plain.get_weights()):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(serial.predict(x, batch_size=shape[0]), plain.predict(x, batch_size=shape[0]), rtol=1e-4,
                                   atol=1e-6)


def adam(steps, gradient, start, rate, b1, b2, eps, debias, decay=0.0, lamb=False, top=None, half=False):
    w, m, v = start.astype(float), np.zeros_like(start, float), np.zeros_like(start, float)
    for t in range(1, steps + 1):
        g = gradient(w)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        c1, c2 = (1 - b1 ** t, 1 - b2 ** t) if debias else (1, 1)
        if not lamb:
            w = w - rate * np.sqrt(c2) / c1 * m / (np.sqrt(v) + eps)
        else:
            u = m / c1 / (np.sqrt(v / c2) + eps) + decay * w
            norm = np.linalg.norm(w) if top is None else min(np.linalg.norm(w), top)
            w = w - rate * norm / np.linalg.norm(u) * u
        if half:
            m, v = m.astype("float16").astype(float), v.astype("float16").astype(float)
    return w


def linear(optimizer, ipus=1, accumulation=1, batch=32, epochs=5):
    """Weights of y = x w after steps with the whole data each."""
    with on_ipus.strategy(ipus).scope():
        model = keras.Sequential([keras.layers.Dense(2, use_bias=False, input_shape=(6,), kernel_initializer="ones")])
        model.compile(optimizer(), "mse", steps_per_execution=accumulation)
        if accumulation > 1:
            model.set_gradient_accumulation_options(accumulation, gradient_accumulation_reduction_method="mean")
        model.fit(X, Y, batch_size=batch, epochs=epochs, shuffle=False, verbose=0)
        return model.get_weights()[0]


def slope(w):
    return X.astype(float).T @ (X @ w - Y) / 32  # of the mean over 32 x 2 squares


RATES = (0.05, 0.8, 0.9, 1e-3)


@pytest.mark.parametrize("make,formula", [
    (lambda: optimizers.AdamIpuOptimizer(*RATES), dict(debias=True)),
    (lambda: optimizers.AdamIpuOptimizer(*RATES, debiasing=False), dict(debias=False)),
    (lambda: optimizers.AdamIpuOptimizer(*RATES, m_dtype=tf.float16, v_dtype=tf.float16), dict(debias=True, half=True)),
    (lambda: optimizers.LAMBIpuOptimizer(*RATES, weight_decay_rate=0.1), dict(debias=True, decay=0.1, lamb=True)),
    (lambda: optimizers.LAMBIpuOptimizer(*RATES, debiasing=False, weight_norm_clip=1.5),
     dict(debias=False, lamb=True, top=1.5))])
def test_adam_and_lamb(make, formula):
    wanted = adam(5, slope, np.ones((6, 2)), *RATES, **formula)
    np.testing.assert_allclose(linear(make), wanted, rtol=2e-4, atol=1e-5)
    np.testing.assert_allclose(linear(make, 2, 2, 8), wanted, rtol=2e-4, atol=1e-5)  # replicas and accumulation


@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_with_a_velocity_of_another_type(nesterov):
    w, v = np.ones((6, 2)), np.zeros((6, 2))
    for _ in range(5):
        step = 0.1 * slope(w)
        v = (0.9 * v - step)
        w = w + (0.9 * v - step if nesterov else v)
        v = v.astype("float16").astype(float)
    kinds = []

    def make():
        kinds.append(optimizers.SGDIpuOptimizer(0.1, 0.9, tf.float16, nesterov))
        return kinds[-1]
    np.testing.assert_allclose(linear(make), w, rtol=2e-4, atol=1e-5)
    assert [s.dtype.name for s in kinds[0].weights[1:]] == ["float16"]


def test_a_scaled_loss_is_scaled_back():
    def scaled(y_true, y_pred):
        return 64.0 * keras.losses.mse(y_true, y_pred)

    def trained(optimizer, loss):
        with on_ipus.strategy().scope():
            model = keras.Sequential([keras.layers.Dense(2, input_shape=(6,), kernel_initializer="ones")])
            model.compile(optimizer, loss)
            model.fit(X, Y, batch_size=32, epochs=4, verbose=0)
            return model.get_weights()[0]
    np.testing.assert_allclose(trained(optimizers.SGDIpuOptimizer(0.1, loss_scaling=64.0), scaled),
                               trained(keras.optimizers.SGD(0.1), "mse"), rtol=1e-5)


def test_lamb_changes_weights_of_halves():
    changed = []
    for kind in ("float32", "float16"):
        w = tf.Variable(np.array([0.5, -1.0, 0.25], kind), name="kernel")
        optimizer = optimizers.LAMBIpuOptimizer(0.25, weight_decay_rate=0.125, exclude_from_weight_decay=["bias"])
        for step in range(2):
            optimizer.apply_gradients([(tf.constant(np.array([0.5, 0.25, step], kind)), w)])
        changed.append(w.numpy())
    assert changed[1].dtype == np.float16
    np.testing.assert_allclose(changed[1], changed[0], atol=1e-3)


def test_variables_that_lamb_leaves_out():
    """bias: no decay and no ratio, which is Adam with epsilon on the corrected root."""
    def trained(**own):
        with on_ipus.strategy().scope():
            model = keras.Sequential([keras.layers.Dense(2, input_shape=(6,), bias_initializer=keras.initializers.Constant(2.0),
                                                         kernel_initializer="ones")])
            model.compile(optimizers.LAMBIpuOptimizer(0.1, weight_decay_rate=0.5, **own), "mse")
            model.fit(X, Y, batch_size=32, verbose=0)
            return model.get_weights()
    (kernel, bias), (other_kernel, other_bias) = trained(), trained(exclude_from_weight_decay=["bias"])
    np.testing.assert_allclose(kernel, other_kernel, rtol=1e-6)
    np.testing.assert_allclose(np.abs(other_bias - 2), 0.1, rtol=1e-3)  # |m / sqrt(v)| of the first step is 1
    assert np.abs(bias - other_bias).max() > 0.01


@pytest.mark.parametrize("make", [lambda: optimizers.SGDIpuOptimizer(0.1, 0.9, tf.float16),
                                  lambda: optimizers.AdamIpuOptimizer(0.2, debiasing=False, v_dtype=tf.float16),
                                  lambda: optimizers.LAMBIpuOptimizer(0.3, weight_decay_rate=0.1, loss_scaling=2.0,
                                                                      exclude_from_weight_decay=["bias"])])
def test_configurations_come_back(make):
    config = keras.optimizers.serialize(make())
    again = keras.optimizers.deserialize(config)
    assert again.get_config() == make().get_config() and again.hyper() == make().hyper()


def test_what_is_refused():
    with pytest.raises(ValueError, match="does not support recurrent_dropout"):
        layers.PopnnLSTM(4, recurrent_dropout=0.5)
    with pytest.raises(ValueError, match="does not support unroll"):
        layers.PopnnGRU(4, unroll=True)
    with pytest.raises(NotImplementedError, match="a seed of its own"):
        layers.PopnnGRU(4, seed=3)
    with pytest.raises(ValueError, match="Invalid serialization_dimension 'rows'"):
        layers.SerialDense(4, 2, "rows")
    with pytest.raises(ValueError, match="serialization_factor 4 does not divide 6"):
        layers.SerialDense(4, 4, "input_rows_kernel_columns")(tf.constant(X))
    with pytest.raises(ValueError, match="the state m is kept in float32 or float16, not int32"):
        optimizers.AdamIpuOptimizer(m_dtype=tf.int32)
    with pytest.raises(NotImplementedError, match="updates are computed in float32"):
        optimizers.AdamIpuOptimizer(optimizer_compute_precisions=(tf.float16, tf.float32))
    with pytest.raises(ValueError, match="loss_scaling must be positive"):
        optimizers.SGDIpuOptimizer(loss_scaling=0)
    with pytest.raises(AttributeError, match="has no attribute 'EffectiveTransformer'.*docs/tensorflow.md"):
        layers.EffectiveTransformer
