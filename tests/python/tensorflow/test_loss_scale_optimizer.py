# SPDX-License-Identifier: MIT
"""keras.mixed_precision.LossScaleOptimizer: the same training as without it, small gradients that float16 keeps, and the rule
of the dynamic scale."""
import numpy as np
import pytest
import tensorflow as tf
from on_ipus import strategy as configured
from tensorflow import keras
from tensorflow.keras.mixed_precision import LossScaleOptimizer
from tensorflow.python import ipu

RANDOM = np.random.default_rng(2)
X, Y = RANDOM.normal(size=(16, 3)).astype("f4"), RANDOM.normal(size=(16, 1)).astype("f4")


def trained(optimizer, on_ipu, **more):
    strategy = configured(1)
    with strategy.scope() if on_ipu else tf.init_scope():
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
        model.set_weights([np.array([[1.0], [2.0], [3.0]]), np.array([0.5])])
        model.compile(optimizer, "mse", **more)
        losses = model.fit(X, Y, batch_size=4, epochs=3, shuffle=False, verbose=0).history["loss"]
        return [*model.get_weights(), losses]


@pytest.mark.parametrize("on_ipu", [False, True])
@pytest.mark.parametrize("how", [{"dynamic": False, "initial_scale": 64}, {}])
def test_a_training_is_that_of_the_inner_optimizer(on_ipu, how):
    plain = trained(keras.optimizers.SGD(0.05, momentum=0.5), on_ipu)
    scaled = trained(LossScaleOptimizer(keras.optimizers.SGD(0.05, momentum=0.5), **how), on_ipu)
    for a, b in zip(plain, scaled):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-6)


def test_small_gradients_are_not_lost():
    """2^-26 is nothing in float16; times 2^10 it is something."""
    def moved(optimizer):
        with configured(1).scope():
            mixed = keras.mixed_precision.Policy("mixed_float16")
            model = keras.Sequential([keras.layers.Dense(1, use_bias=False, dtype=mixed, input_shape=(1,))])
            model.set_weights([np.zeros((1, 1))])
            model.compile(optimizer, lambda y, p: tf.cast(tf.reduce_mean(p), "float16") * 2.0**-13)
            model.fit(np.full((2, 1), 2.0**-13, "float16"), np.zeros((2, 1), "float16"), batch_size=2, verbose=0)
            return model.get_weights()[0].item()
    assert moved(keras.optimizers.SGD(1024.0)) == 0
    assert moved(LossScaleOptimizer(keras.optimizers.SGD(1024.0), dynamic=False, initial_scale=1024)) == -2.0**-16


def test_the_dynamic_scale_follows_what_is_finite():
    variable = tf.Variable(1.0)
    optimizer = LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=4, dynamic_growth_steps=2)
    seen = []
    for gradient in (1.0, 1.0, np.inf, 1.0, np.nan, np.nan, np.nan, np.nan, np.nan, 1.0):
        optimizer.apply_gradients([(tf.constant(gradient, tf.float32), variable)])
        seen.append((float(optimizer.loss_scale), int(optimizer.dynamic_counter), float(variable)))
    assert seen == [(4, 1, 0.5), (8, 0, 0), (4, 0, 0), (4, 1, -0.5), (2, 0, -0.5), *[(1, 0, -0.5)] * 4, (1, 1, -1)]
    assert int(optimizer.iterations) == 4


@pytest.mark.parametrize("how", [{"dynamic": False, "initial_scale": 8}, {}])
def test_steps_of_ones_own(how):
    variable, optimizer = tf.Variable(3.0), LossScaleOptimizer(keras.optimizers.SGD(0.1), **how)
    scale = how.get("initial_scale", 2.0**15)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = variable * variable
            scaled = optimizer.get_scaled_loss(loss)
        scaled_gradients = tape.gradient(scaled, [variable])
        optimizer.apply_gradients(zip(optimizer.get_unscaled_gradients(scaled_gradients), [variable]))
        return scaled, scaled_gradients[0]
    scaled, gradient = step()
    assert float(scaled) == 9 * scale and float(gradient) == 6 * scale
    np.testing.assert_allclose(float(variable), 2.4, rtol=1e-6)
    optimizer.minimize(lambda: variable * 2.0, [variable])
    np.testing.assert_allclose(float(variable), 2.2, rtol=1e-6)


@pytest.mark.parametrize("around", [
    lambda o: keras.ipu.optimizers.ALSOptimizer(o, initial_loss_scaling_factor=8),
    lambda o: LossScaleOptimizer(o, dynamic=False, initial_scale=16), LossScaleOptimizer])
def test_pipelines_train_with_the_scaled_loss(around):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(2, drop_remainder=True)

    def train(optimizer):
        strategy = configured(2)
        with strategy.scope():
            first, second = tf.Variable(np.full((3, 1), 0.5, "f4")), tf.Variable(np.ones((1, 1), "f4"))
            outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

            @tf.function(experimental_compile=True)
            def step():
                ipu.pipelining_ops.pipeline(
                    [lambda x, y: (tf.matmul(x, first), y), lambda h, y: tf.reduce_mean((tf.matmul(h, second) - y) ** 2)], 4,
                    infeed_queue=iter(data), outfeed_queue=outfeed, outfeed_loss=True, reduction_method="mean",
                    optimizer_function=lambda loss: ipu.pipelining_ops.OptimizerFunctionOutput(optimizer, loss))
            strategy.run(step)
            return first.numpy(), second.numpy(), np.ravel(outfeed.dequeue())
    for a, b in zip(train(keras.optimizers.SGD(0.1)), train(around(keras.optimizers.SGD(0.1)))):
        np.testing.assert_allclose(b, a, rtol=1e-5)


def test_settings():
    again = keras.optimizers.deserialize(keras.optimizers.serialize(LossScaleOptimizer(keras.optimizers.Adam(0.1), True, 2, 5)))
    assert (again.initial_scale, again.dynamic_growth_steps) == (2, 5)
    assert isinstance(again.inner_optimizer, keras.optimizers.Adam)
    for arguments, message in (({"dynamic": False}, '"initial_scale" must be specified'),
                               ({"dynamic": False, "initial_scale": 1, "dynamic_growth_steps": 2}, "must be None")):
        with pytest.raises(ValueError, match=message):
            LossScaleOptimizer(keras.optimizers.SGD(), **arguments)
