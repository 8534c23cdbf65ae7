# SPDX-License-Identifier: MIT
"""Gradients of tensors within a model: grad_util_ops, and the layers that mark what they make."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from on_ipus import strategy
from tensorflow import keras
from tensorflow.python import ipu
from tensorflow.python.ipu.ops.grad_util_ops import GradientCaptureContext, capture_upstream_gradients

X = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")
LABELS = np.array([0, 1, 2, 0, 1, 2])


def test_outside_of_graphs():
    w = tf.Variable(2.0)
    with GradientCaptureContext() as captured, tf.GradientTape() as tape:
        y = capture_upstream_gradients(w * X, tag="y")
        gradient = tape.gradient(tf.reduce_sum(y ** 2), w)
    np.testing.assert_allclose(gradient, (2 * 2 * X * X).sum(), rtol=1e-5)
    np.testing.assert_allclose(captured.captured_gradients["y"], 2 * 2 * X, rtol=1e-6)


def test_in_programs_of_tensorflow_1():
    strategy()
    with tf.Graph().as_default(), tf1.Session() as session:
        def model(x):
            w = tf1.get_variable("w", initializer=2.0)
            with GradientCaptureContext() as captured:
                y = capture_upstream_gradients(x * w, tag="y")
                (gradient,) = tf1.gradients(tf.reduce_sum(y * y), [w])
            return gradient, captured.captured_gradients["y"]
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(model, [tf.constant(X)])
        session.run(tf1.global_variables_initializer())
        gradient, upstream = session.run(run)
    np.testing.assert_allclose(gradient, (4 * X * X).sum(), rtol=1e-5)
    np.testing.assert_allclose(upstream, 4 * X, rtol=1e-6)


def test_two_of_one_tag_and_none():
    capture_upstream_gradients(tf.constant(1.0))  # without a context it does nothing
    with GradientCaptureContext():
        capture_upstream_gradients(tf.constant(1.0), tag="a")
        with pytest.raises(ValueError, match="Two tensors have the tag 'a'"):
            capture_upstream_gradients(tf.constant(1.0), tag="a")


@pytest.mark.parametrize("on_ipu", [False, True])
def test_layers(on_ipu):
    """Of a layer's outputs, and of what goes into its activation."""
    layer = keras.layers.Dense(3, "relu", name="inner")
    layers = keras.ipu.layers
    outer, inner = layers.CaptureUpstreamGradients(layer), layers.CaptureActivationGradients(layer, tag="in")

    @tf.function
    def run(x):
        with GradientCaptureContext() as captured, tf.GradientTape() as tape:
            y = outer(x)
            z = inner(x)
            tape.gradient(tf.reduce_sum(y ** 2) + tf.reduce_sum(z ** 2), layer.trainable_variables)
        return y, captured.captured_gradients
    device = strategy()
    with device.scope():
        layer.build((None, 4))
        y, found = device.run(run, [tf.constant(X)]) if on_ipu else run(tf.constant(X))
    y = y.numpy()
    np.testing.assert_allclose(found["inner"], 2 * y, rtol=1e-5)
    np.testing.assert_allclose(found["in"], 2 * y * (y > 0), rtol=1e-5)
    again = layers.CaptureUpstreamGradients.from_config(outer.get_config())
    assert again.tag == "inner" and again.layer.units == 3
    with pytest.raises(ValueError, match="goes around a layer with an activation"):
        layers.CaptureActivationGradients(keras.layers.Flatten())
    with pytest.raises(ValueError, match="goes around a layer, not 3"):
        layers.CaptureUpstreamGradients(3)


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.ipu.layers.CaptureUpstreamGradients(keras.layers.Dense(3, kernel_initializer="zeros"), "logits")

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        x, y = data
        with GradientCaptureContext() as captured, tf.GradientTape() as tape:
            loss = self.compiled_loss(y, self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss, "largest": tf.reduce_max(captured.captured_gradients["logits"])}


def test_a_step_of_ones_own():
    """The logits are zeros, so that their gradient is (1/3 - label) / batch."""
    with strategy().scope():
        model = Own()
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(X, LABELS, batch_size=6, verbose=0).history
    np.testing.assert_allclose(history["largest"], [1 / 18], rtol=1e-5)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_jacobian_has_the_gradient_of_every_element(persistent):
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x + tf.reduce_sum(x)
    assert tape.jacobian(y, x).shape == (1, 3, 1, 3)
    if persistent:
        np.testing.assert_allclose(np.reshape(tape.jacobian(y, x), (3, 3)), np.diag([2.0, 4.0, 6.0]) + 1)
