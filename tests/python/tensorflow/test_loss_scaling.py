# SPDX-License-Identifier: MIT
"""Automatic loss scaling: the same training, gradients of a scaled loss, and the factor by its rule."""
import numpy as np
import pytest
import tensorflow as tf
from on_ipus import strategy as configured
from tensorflow import keras
from tensorflow.keras.ipu.optimizers import (ALSGradientAccumulationOptimizer, ALSOptimizer, GradientAccumulationOptimizer,
                                             MapGradientOptimizer)
from tensorflow.python.ipu.ops.grad_util_ops import GradientCaptureContext, capture_upstream_gradients

RANDOM = np.random.default_rng(9)
X, Y = RANDOM.normal(size=(32, 6)).astype("f4"), RANDOM.normal(size=(32, 2)).astype("f4")


def made(optimizer, dtype="float32", **more):
    model = keras.Sequential([keras.layers.Dense(5, "tanh", dtype=dtype, input_shape=(6,)), keras.layers.Dense(2, dtype=dtype)])
    model.set_weights([np.random.default_rng(i).normal(size=w.shape) for i, w in enumerate(model.weights)])
    model.compile(optimizer, "mse", **more)
    return model


def agree(model, other, tolerance=1e-5):
    for a, b in zip(model.get_weights(), other.get_weights()):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("ipus, stages, count", [(1, None, 1), (1, None, 2), (2, None, 1), (2, [0, 1], 4)],
                         ids=["one", "accumulating", "replicas", "pipeline"])
def test_a_scaled_loss_trains_alike_and_the_factor_grows(ipus, stages, count):
    replicas = ipus if stages is None else 1
    plain = made(keras.optimizers.Adam(0.01))
    plain.fit(X, Y, batch_size=4 * count * replicas, shuffle=False, verbose=0)
    with configured(ipus).scope():
        optimizer = ALSOptimizer(keras.optimizers.Adam(0.01), 16.0, update_frequency=2)
        model = made(optimizer, steps_per_execution=4)
        if stages:
            model.set_pipeline_stage_assignment(stages)
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=count,
                                         gradient_accumulation_reduction_method="mean")
        else:
            model.set_gradient_accumulation_options(count, "mean")
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
        agree(model, plain)
        updates = 32 // (4 * count * replicas)
        assert optimizer.loss_scaling_factor.numpy() == 16 * 2 ** (updates // 2)


def test_the_factor_shrinks_when_large_gradients_are_many():
    with configured().scope():
        optimizer = ALSOptimizer(keras.optimizers.SGD(0.0), 64.0, update_frequency=2, increase_factor=4,
                                 histogram_bin_edge=8.0, ratio_threshold=0.1)
        weight = tf.Variable(np.array([1.0, 0.01, 0.001], "f2"))
        scale = tf.constant(np.array([1.0, 0.01, 0.001], "f2"))

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weight * scale)
            optimizer.minimize(loss, [weight], tape=tape)

        strategy = tf.distribute.get_strategy()
        seen = []
        for _ in range(6):  # gradients of 64: 64, 0.64, 0.064: one of three is above 8
            strategy.run(step)
            seen.append((optimizer.loss_scaling_factor.numpy(), optimizer.histogram.numpy().tolist(),
                         int(optimizer.update_counter)))
        assert seen == [(64, [2, 1], 1), (16, [0, 0], 0), (16, [2, 1], 1), (4, [0, 0], 0), (4, [3, 0], 1), (16, [0, 0], 0)]


def test_losses_are_scaled_and_gradients_scaled_back():
    optimizer = ALSOptimizer(keras.optimizers.SGD(0.5), 8.0)
    weight = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(tf.reduce_sum(weight * weight))
    gradients = tape.gradient(loss, [weight])
    np.testing.assert_allclose(gradients[0].numpy(), [32, 48])
    np.testing.assert_allclose(optimizer.get_unscaled_gradients(gradients)[0].numpy(), [4, 6])
    optimizer.apply_gradients(zip(gradients, [weight]))
    np.testing.assert_allclose(weight.numpy(), [0, 0])
    weight.assign([2.0, 3.0])
    optimizer.apply_gradients(zip(optimizer.get_unscaled_gradients(gradients), [weight]))
    np.testing.assert_allclose(weight.numpy(), [0, 0])
    optimizer.minimize(lambda: tf.reduce_sum((weight - 1.0) ** 2), [weight])
    np.testing.assert_allclose(weight.numpy(), [1, 1])
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert again.get_config() == optimizer.get_config() and again.initial_loss_scaling_factor == 8
    optimizer.learning_rate = 0.25
    assert optimizer.rate_now() == 0.25 and optimizer.decrease_factor == 0.5


def test_gradients_of_several_batches_are_gathered():
    weight, other = tf.Variable([2.0, 3.0]), tf.Variable([2.0, 3.0])
    optimizer = ALSGradientAccumulationOptimizer(ALSOptimizer(keras.optimizers.SGD(0.1, momentum=0.5), 8.0), 2)
    plain = keras.optimizers.SGD(0.1, momentum=0.5)
    for i in range(2):
        for k in (1.0, 2.0):
            before = weight.numpy()
            optimizer.minimize(lambda k=k: tf.reduce_sum(weight * k), [weight])
            if k == 1:
                np.testing.assert_array_equal(weight.numpy(), before)
        plain.apply_gradients([(tf.constant([3.0, 3.0]), other)])
        np.testing.assert_allclose(weight.numpy(), other.numpy(), rtol=1e-6)
    assert optimizer.loss_scaling_factor.numpy() == 8
    plain = made(keras.optimizers.SGD(0.02))
    plain.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
    with configured().scope():
        model = made(ALSGradientAccumulationOptimizer(ALSOptimizer(keras.optimizers.SGD(0.01)), 2), steps_per_execution=4)
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
        agree(model, plain)


@pytest.mark.parametrize("arguments, text", [
    ({"update_frequency": 0}, "update_frequency must be an integer from 1 on, not 0"),
    ({"increase_factor": 1.0}, "greater than one"), ({"initial_loss_scaling_factor": 0.5}, "from 1 on, not 0.5"),
    ({"max_loss_scaling_factor": 2}, "must be greater than"), ({"ratio_threshold": 2.0}, "between 0 and 1, not 2.0")])
def test_what_makes_no_factor_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        ALSOptimizer(keras.optimizers.SGD(), **arguments)
    with pytest.raises(ValueError, match="around an optimizer of Keras"):
        ALSOptimizer("sgd")


def test_gradients_go_through_a_function():
    def clipped(gradient, variable):
        return tf.clip_by_value(gradient, -0.1, 0.1) + 0.5 * variable
    weight = tf.Variable([2.0, -3.0])
    MapGradientOptimizer(keras.optimizers.SGD(0.1), clipped).apply_gradients([(tf.constant([7.0, 0.05]), weight)])
    np.testing.assert_allclose(weight.numpy(), [2 - 0.1 * 1.1, -3 - 0.1 * (0.05 - 1.5)], rtol=1e-6)
    with configured().scope():
        plain = made(keras.optimizers.SGD(0.2))
        plain.fit(X, Y, batch_size=16, shuffle=False, verbose=0)
        doubled = MapGradientOptimizer(keras.optimizers.SGD(0.05), lambda g, v: g * 2.0)
        model = made(GradientAccumulationOptimizer(doubled, 2), steps_per_execution=4)
        model.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
        agree(model, plain)


@pytest.mark.parametrize("only, counted", [(False, [3, 1]), (True, [1, 1])])
def test_gradients_that_were_captured_are_counted(only, counted):
    """Of the loss times 4, the gradients of y = w h are 4 and 8, those of w 4 and 4."""
    optimizer = ALSOptimizer(keras.optimizers.SGD(0.5), 4.0, captured_grads_only=only, histogram_bin_edge=4.5)
    h = tf.constant([1.0, 0.5], tf.float16)
    w = tf.Variable(tf.constant([1.0, 1.0], tf.float16))
    with GradientCaptureContext() as captured, tf.GradientTape() as tape:
        y = capture_upstream_gradients(w * h, tag="y")
        loss = optimizer.get_scaled_loss(tf.reduce_sum(y * tf.constant([1.0, 2.0], tf.float16)))
        gradients = tape.gradient(loss, [w])
    optimizer.apply_gradients(zip(gradients, [w]), captured_grads=captured.captured_gradients)
    np.testing.assert_allclose(w.numpy(), [0.5, 0.5])
    assert optimizer.histogram.numpy().tolist() == counted
    if only:
        with pytest.raises(ValueError, match="captured_grads has no gradients"):
            optimizer.apply_gradients(zip(gradients, [w]))
        with pytest.raises(ValueError, match="for your own training step"):
            keras.Sequential([keras.layers.Dense(1)]).compile(optimizer, "mse")
