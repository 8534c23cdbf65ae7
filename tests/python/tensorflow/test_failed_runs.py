# SPDX-License-Identifier: MIT
"""A training step that fails leaves variables that the next one goes on from."""
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python import ipu


@pytest.fixture(autouse=True)
def checked():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.floating_point_behaviour.inv = config.floating_point_behaviour.oflo = True
    config.floating_point_behaviour.div0 = True
    config.configure_ipu_system()
    yield
    ipu.config.reset_ipu_configuration()


def trained(bad_steps):
    with ipu.ipu_strategy.IPUStrategy().scope():
        weight = tf.Variable([2.0, 3.0])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)

        @tf.function(experimental_compile=True)
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weight * weight * x)
            optimizer.apply_gradients(zip(tape.gradient(loss, [weight]), [weight]))
            return loss

        strategy = tf.distribute.get_strategy()
        for i in range(4):
            if i in bad_steps:
                with pytest.raises(tf.errors.OpError, match="Floating point exception"):
                    strategy.run(step, [tf.constant([3e38, 3e38])])
            strategy.run(step, [tf.constant([1.0, -1.0])])
        return weight.numpy()


def test_training_goes_on_as_if_nothing_had_been():
    np.testing.assert_array_equal(trained({0, 2}), trained(set()))
