# SPDX-License-Identifier: MIT
"""Keras models in graphs of TensorFlow 1: their variables are in the graph's collections, wherever the model is made."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope

layers = keras.layers


@pytest.fixture(autouse=True)
def graph():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    with tf.Graph().as_default() as g:
        yield g


def with_shape():
    return keras.Sequential([layers.Dense(4, input_shape=(3,), activation="tanh"), layers.Dense(1)])


def without_shape():
    return keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(1)])


def functional():
    x = keras.Input((3,))
    return keras.Model(x, layers.Dense(1)(layers.Dense(4, activation="tanh")(x)))


@pytest.mark.parametrize("make", [with_shape, without_shape, functional])
@pytest.mark.parametrize("inside", [False, True])
def test_a_model_in_a_compiled_function_is_trained(make, inside):
    fed, x = tf.placeholder(tf.float32, [2, 3]), np.array([[1, 2, 3], [0, 1, 0]], "float32")
    made = [] if inside else [make()]

    def step(x):
        if inside:
            made.append(make())
        loss = tf.reduce_sum(tf.square(made[0](x)))
        return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with ipu_scope("/device:IPU:0"):
        results = ipu.ipu_compiler.compile(step, [fed])
    assert {id(v) for v in tf.trainable_variables()} == {id(v) for v in made[0].trainable_variables}
    assert len(tf.trainable_variables()) == 4
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        w, b, u, c = session.run([v for v in made[0].trainable_variables])
        first = session.run(results, {fed: x})[0]
        h = np.tanh(x @ w + b)
        y = h @ u + c
        assert first == pytest.approx(float((y * y).sum()), rel=1e-4)
        np.testing.assert_allclose(session.run(made[0].trainable_variables[3]), c - 0.1 * (2 * y).sum(0), rtol=1e-3, atol=1e-5)


def test_a_model_in_a_session_of_the_host():
    model, x = functional(), tf.placeholder(tf.float32, [None, 3])
    y = model(x)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(y, {x: np.ones((2, 3))})
        session.run(tf.global_variables_initializer())
        assert session.run(y, {x: np.ones((2, 3))}).shape == (2, 1)
