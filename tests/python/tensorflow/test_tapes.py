# SPDX-License-Identifier: MIT
"""Tapes: several reads of variables, values that change meanwhile, gradients of gradients, constants that are watched."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from on_ipus import strategy as configured


def gradient(function, source):
    with tf.GradientTape() as tape:
        y = function()
    return float(tape.gradient(y, source))


def test_a_program_of_gradients_is_not_that_of_other_variables():
    """Products of one variable and of two have the same operations and shapes."""
    v, w = tf.Variable(3.0), tf.Variable(5.0)
    assert [gradient(lambda: v * v, v), gradient(lambda: v * w, v), gradient(lambda: v * v, v)] == [6, 5, 6]
    assert [gradient(lambda: w * v, w), gradient(lambda: w * w, w)] == [3, 10]


def changing(v):
    with tf.GradientTape() as tape:
        y = v * v  # 4
        v.assign(v * 3.0)  # 6
        y += v * v * v  # 108
        v.assign_add(1.0)
        y += 5 * v
    return y, tape.gradient(y, v)


def two_steps(v):
    with tf.GradientTape(persistent=True) as tape:
        first, second = v * v, v * 3
    a = tape.gradient(first, v)
    v.assign_sub(0.1 * a)
    b = tape.gradient(second, v)
    v.assign_sub(0.1 * b)
    return a, b, v.read_value()


@pytest.mark.parametrize("traced", [False, True, "ipu"])
def test_every_read_has_the_value_of_its_time(traced):
    strategy = configured(1)
    with strategy.scope():
        def run(function):
            v = tf.Variable(2.0)
            step = tf.function(lambda: function(v), experimental_compile=traced == "ipu") if traced else lambda: function(v)
            return [float(t) for t in (strategy.run(step) if traced == "ipu" else step())]
        assert run(changing) == [4 + 216 + 35, 4 + 108 + 5]
        np.testing.assert_allclose(run(two_steps), [4, 3, 2 - 0.4 - 0.3], rtol=1e-6)


CASES = {"cube": (lambda x: x ** 3, lambda x: 3 * x ** 2, lambda x: 6 * x),
         "power": (lambda x: tf.pow(x, 2.5), lambda x: 2.5 * x ** 1.5, lambda x: 3.75 * x ** 0.5),
         "sine": (lambda x: tf.sin(x) * tf.cos(x), lambda x: np.cos(2 * x), lambda x: -2 * np.sin(2 * x)),
         "sigmoid": (tf.sigmoid, lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
                     lambda x: np.exp(-x) * (np.exp(-x) - 1) / (1 + np.exp(-x)) ** 3)}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_gradients_of_gradients(case, traced):
    function, first, second = CASES[case]
    x = tf.Variable(1.3)

    def both():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = function(x)
            dy = inner.gradient(y, x)
        return dy, outer.gradient(dy, x)
    step = tf.function(both) if traced else both
    for value in (1.3, 0.4):  # the second time with the compiled program
        x.assign(value)
        np.testing.assert_allclose([float(g) for g in step()], [first(value), second(value)], rtol=1e-5)


def test_the_third_gradient_and_one_tape_for_all():
    x = tf.Variable(3.0)
    with tf.GradientTape() as a:
        with tf.GradientTape() as b:
            with tf.GradientTape() as c:
                y = x ** 4
            dy = c.gradient(y, x)
        ddy = b.gradient(dy, x)
    assert float(a.gradient(ddy, x)) == 72
    with tf.GradientTape(persistent=True) as tape:
        y = x ** 3
        dy = tape.gradient(y, x)
    assert float(tape.gradient(dy, x)) == 18 and float(tape.gradient(y, x)) == 27


def test_a_penalty_on_gradients_trains():
    """Against differences of the penalty."""
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=(5, 3)).astype("f4"))
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh", input_shape=(3,)), tf.keras.layers.Dense(1)])

    def penalty():
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = model(x)
        size = tf.sqrt(tf.reduce_sum(inner.gradient(y, x) ** 2, 1))
        return tf.reduce_mean((size - 1.0) ** 2)
    with tf.GradientTape() as outer:
        total = penalty()
    kernel, bias, last, _ = model.trainable_variables
    found = outer.gradient(total, [kernel, bias, last])
    for variable, slope in zip((kernel, bias, last), found):
        where, before = np.unravel_index(1, variable.shape.as_list()), variable.numpy()
        sides = []
        for step in (1e-2, -1e-2):
            moved = before.copy()
            moved[where] += step
            variable.assign(moved)
            sides.append(float(penalty()))
        variable.assign(before)
        np.testing.assert_allclose(slope.numpy()[where], (sides[0] - sides[1]) / 2e-2, rtol=2e-2, atol=1e-3)


def test_constants_of_a_graph():
    @tf.function
    def watched():
        with tf.GradientTape() as tape:
            c = tf.constant([10.0, 3.0])
            tape.watch(c)
            y = tf.reduce_sum(c * c)
        return tape.gradient(y, c)
    for _ in range(2):
        np.testing.assert_array_equal(watched(), [20, 6])
    with tf1.Graph().as_default():
        c = tf1.constant([10.0, 3.0])
        with pytest.raises(NotImplementedError, match="Gradients by a constant"):
            tf1.gradients(c * c, c)
        assert tf1.gradients(tf1.placeholder(tf.float32, [2]) * 2.0, c) == [None]
