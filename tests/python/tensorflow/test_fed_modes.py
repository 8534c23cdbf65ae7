# SPDX-License-Identifier: MIT
"""Layers whose `training` is a tensor, which is known when a session runs."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope

X = np.random.default_rng(3).normal(2, 3, size=(16, 4)).astype("float32")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.mark.parametrize("shape", [[], None])
def test_batch_norm_on_the_host(shape):
    flag = tf.placeholder(tf.bool, shape)
    y = tf.layers.batch_normalization(tf.constant(X), training=flag, momentum=0.5)
    gradient = tf.gradients(tf.reduce_sum(y * X), tf.trainable_variables())
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        loss = tf.reduce_sum(y)
    moving = [v for v in tf.global_variables() if "moving" in v.name]
    trained, plain = (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3), X / np.sqrt(1 + 1e-3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for mode, expected in ((False, plain), (True, trained)):
            found, (gamma, beta) = session.run([y, gradient], {flag: mode})
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(gamma, (expected * X).sum(0), rtol=1e-4)
            np.testing.assert_allclose(beta, X.sum(0), rtol=1e-5)
        session.run(loss, {flag: False})
        np.testing.assert_array_equal(session.run(moving), [[0] * 4, [1] * 4])
        session.run(loss, {flag: True})
        np.testing.assert_allclose(session.run(moving), [X.mean(0) / 2, 0.5 + X.var(0) / 2], rtol=1e-5)


def test_batch_norm_in_a_compiled_function():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    x, flag = tf.placeholder(tf.float32, X.shape), tf.placeholder(tf.bool, [])
    with ipu_scope("/device:IPU:0"):
        [y] = ipu.ipu_compiler.compile(lambda x, flag: tf.layers.batch_normalization(x, training=flag), [x, flag])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, {x: X, flag: False}), X / np.sqrt(1 + 1e-3), rtol=1e-5)
        np.testing.assert_allclose(session.run(y, {x: X, flag: True}), (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-3), rtol=1e-4,
                                   atol=1e-5)
        mean = next(v for v in tf.global_variables() if "moving_mean" in v.name)
        np.testing.assert_allclose(session.run(mean), X.mean(0) / 100, rtol=1e-3)


@pytest.mark.parametrize("layer", [lambda x, f: tf.layers.dropout(x, 0.5, training=f),
                                   lambda x, f: tf.keras.layers.GaussianNoise(1.0)(x, training=f),
                                   lambda x, f: tf.keras.layers.Dropout(0.5)(x, training=f)])
def test_layers_of_chance(layer):
    flag = tf.placeholder(tf.bool)
    y = layer(tf.constant(X), flag)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {flag: False}), X)
        assert np.any(session.run(y, {flag: True}) != X)


def test_conditions_on_a_placeholder_without_a_shape():
    flag, x = tf.placeholder(tf.bool), tf.placeholder(tf.float32, [2])
    y = tf.cond(flag, lambda: x + 1, lambda: x * 2)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {flag: True, x: [1, 2]}), [2, 3])
        np.testing.assert_array_equal(session.run(y, {flag: False, x: [1, 2]}), [2, 4])
