# SPDX-License-Identifier: MIT
"""Scopes that say how the operations in them are computed."""
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python import ipu


def computed(function, *inputs, usual=False):
    """What a function on an IPU gives that rounds at random, as usual, or not."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.floating_point_behaviour.esr = ipu.config.StochasticRoundingBehaviour.from_bool(usual)
    config.configure_ipu_system()
    on = ipu.ipu_strategy.IPUStrategy()

    @tf.function
    def program(*values):
        return function(*values)
    with on.scope():
        return [t.numpy() for t in on.run(program, [tf.constant(i) for i in inputs])]


ROUNDED = np.full(4000, 1 + 2.0 ** -12, "float32")  # a quarter of the way from one half to the next


@pytest.mark.parametrize("usual", [False, True])
def test_a_part_of_a_program_rounds_at_random(usual):
    scope = ipu.scopes.stochastic_rounding

    def f(x):
        with scope(True):
            inside = tf.cast(x * 1.0, tf.float16)
        with scope(False):
            nearest = tf.cast(x * 1.0, tf.float16)
            with scope(True):
                both = tf.while_loop(lambda i, y: i < 1, lambda i, y: [i + 1, tf.cast(x, tf.float16)],
                                     [0, tf.zeros(4000, tf.float16)])[1]
            again = tf.cast(x * 1.0, tf.float16)
        return inside, nearest, both, again, tf.cast(x * 1.0, tf.float16)
    inside, nearest, both, again, others = (t.astype("float32") for t in computed(f, ROUNDED, usual=usual))
    for random, is_so in ((inside, True), (nearest, False), (both, True), (again, False), (others, usual)):
        if is_so:
            assert set(np.unique(random)) == {1, np.float32(1 + 2.0 ** -10)}
            assert random.mean() == pytest.approx(ROUNDED[0], abs=1e-4)
        else:
            np.testing.assert_array_equal(random, 1)


def test_a_part_of_a_program_gathers_sums_in_halves():
    a = np.full((2, 4096), 1, "float16")
    b = np.full((4096, 2), 1.0009765625, "float16")

    def f(x, y):
        with ipu.scopes.partials_type(tf.float16):
            half = tf.matmul(x, y)
        return half, tf.matmul(x, y)
    half, whole = computed(f, a, b)
    np.testing.assert_array_equal(whole, 4100)
    with pytest.raises(ValueError, match="partials_type is float16 or float32, not int32"), ipu.scopes.partials_type(tf.int32):
        pass
