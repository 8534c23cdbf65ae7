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


def test_of_activations_whose_channels_come_first():
    """Convolutions have their channels second inside: tf.gradients means what others see."""
    image, filters = X.reshape(1, 2, 3, 4), np.random.default_rng(1).normal(size=(1, 1, 4, 2)).astype("float32")

    @tf.function
    def run(x, w):
        with GradientCaptureContext() as captured, tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.nn.conv2d(x, w, 1, "SAME")
            z = tf.nn.relu(capture_upstream_gradients(tf.nn.relu(y), tag="z"))
            loss = tf.reduce_sum(z * z)
            by_w, by_y = tape.gradient(loss, [w, y])
        return y, by_w, by_y, captured.captured_gradients["z"]
    y, by_w, by_y, upstream = (t.numpy() for t in run(tf.constant(image), tf.constant(filters)))
    np.testing.assert_allclose(upstream, 2 * y * (y > 0), rtol=1e-5)
    np.testing.assert_allclose(by_y, 2 * y * (y > 0), rtol=1e-5)
    np.testing.assert_allclose(by_w[0, 0], X.T @ (2 * y * (y > 0)).reshape(6, 2), rtol=1e-4)


@pytest.mark.parametrize("method", ["sum", "mean"])
@pytest.mark.parametrize("optimizer", [lambda: tf1.train.GradientDescentOptimizer(0.25),
                                       lambda: tf1.train.MomentumOptimizer(0.25, 0.5)])
@pytest.mark.parametrize("schedule", [0, 1, 2])
def test_of_pipelines(schedule, optimizer, method):
    """Every batch's gradient by what the first stage makes."""
    strategy(2)
    inputs = np.random.default_rng(1).normal(size=(8, 4)).astype("float32")
    queue, losses = ipu.ipu_outfeed_queue.IPUOutfeedQueue(), ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with tf.Graph().as_default(), tf1.Session() as session:
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(tf.data.Dataset.from_tensor_slices(inputs))

        def first(x):
            return capture_upstream_gradients(x * tf1.get_variable("v", initializer=np.ones(4, "float32")), tag="hidden")

        def second(y):
            return tf.reduce_sum(y * y * tf1.get_variable("w", initializer=3.0))

        def program():
            with GradientCaptureContext() as captured:
                return ipu.pipelining_ops.pipeline(
                    [first, second], 8, infeed_queue=infeed, outfeed_queue=losses, reduction_method=method,
                    pipeline_schedule=ipu.pipelining_ops.PipelineSchedule(schedule),
                    optimizer_function=lambda loss: ipu.pipelining_ops.OptimizerFunctionOutput(
                        optimizer(), loss, gradient_capture_context=captured, captured_gradient_outfeed=queue))
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(program)
        dequeued = queue.dequeue(), losses.dequeue()
        session.run(tf1.global_variables_initializer())
        session.run(infeed.initializer)
        session.run(run)
        found, loss = session.run(dequeued)
    np.testing.assert_allclose(loss, (3 * inputs ** 2).sum(1), rtol=1e-5)
    np.testing.assert_allclose(found["hidden"], 6 * inputs, rtol=1e-5)


def test_what_pipelines_capture_goes_to_an_outfeed():
    output = ipu.pipelining_ops.OptimizerFunctionOutput
    with pytest.raises(ValueError, match="gradient_capture_context and captured_gradient_outfeed belong together"):
        output("sgd", 1.0, gradient_capture_context=GradientCaptureContext())


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
