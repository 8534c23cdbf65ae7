# SPDX-License-Identifier: MIT
"""tf.print, tf.Print and assertions on values: at once outside of graphs, and when the program runs in them."""
import io
import sys

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from on_ipus import strategy as configured


def test_values_structures_and_long_tensors(capsys):
    tf.print("a", tf.constant([1, 2]), {"b": tf.constant(3.0), "c": [tf.constant(1), "d"]}, 7)
    tf.print(tf.range(100), tf.range(8), sep=";", end="!\n", output_stream=sys.stdout)
    tf.print(tf.range(8), summarize=-1, output_stream=sys.stdout)
    tf.print(1e-5, *(tf.constant(v) for v in (0.1, 1e20, 16777216.0, np.nan)), output_stream=sys.stdout)
    tf.print(tf.reshape(tf.range(12) * 9, [2, 2, 3]), output_stream=sys.stdout)
    shown = capsys.readouterr()
    assert shown.err == "a [1 2] {'b': 3, 'c': [1, 'd']} 7\n"
    assert shown.out == "[0 1 2 ... 97 98 99];[0 1 2 ... 5 6 7]!\n[0 1 2 3 4 5 6 7]\n" \
        "1e-05 0.1 1e+20 16777216 nan\n" "[[[0 9 18]\n  [27 36 45]]\n\n [[54 63 72]\n  [81 90 99]]]\n"


def test_a_function_prints_whenever_it_runs():
    out = io.StringIO()

    @tf.function
    def twice(x):
        tf.print("x:", x, output_stream=out)
        return x * 2
    for value in (1.0, 2.0, 2.0):
        twice(tf.constant([value, 5.0]))
    assert out.getvalue() == "x: [1 5]\nx: [2 5]\nx: [2 5]\n"
    strategy, out2 = configured(1), io.StringIO()
    with strategy.scope():
        @tf.function(experimental_compile=True)
        def on_ipu(x):
            for i in tf.range(3):
                tf.print(x, output_stream=out2)
                x += 1.0
            return x
        assert float(strategy.run(on_ipu, [tf.constant(1.0)])) == 4
    assert out2.getvalue() == "1\n2\n3\n"


def test_of_tensorflow_1(capfd):
    with tf1.Graph().as_default():
        x = tf1.placeholder(tf1.float32, [2])
        y = tf1.Print(x, [x, tf1.reduce_sum(x)], "seen: ", first_n=2) * 2
        with tf1.Session() as session:
            for _ in range(3):
                np.testing.assert_array_equal(session.run(y, {x: [1, 2]}), [2, 4])
            assert capfd.readouterr().err.count("seen: [[1 2]][3]\n") == 2
            session.run(x + 1, {x: [1, 2]})  # needs no printing
            assert "seen" not in capfd.readouterr().err


def test_assertions_on_what_a_program_computes():
    tf.debugging.assert_equal(tf.constant([1, 2]), [1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="x assert_less y did not hold"):
        tf.debugging.assert_less(tf.constant(2), 1)

    @tf.function
    def root(x):
        tf.debugging.assert_greater_equal(x, 0.0, message="roots of negative numbers:")
        return tf.sqrt(x)
    assert float(root(tf.constant(4.0))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="roots of negative numbers:.*-4"):
        root(tf.constant(-4.0))
    assert float(root(tf.constant(9.0))) == 3
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [2])
        with tf1.control_dependencies([tf1.assert_equal(x[0], x[1]), tf1.Assert(x[0] < 5, ["too large:", x])]):
            y = tf1.reduce_sum(x)
        assert session.run(y, {x: [2, 2]}) == 4
        with pytest.raises(tf1.errors.InvalidArgumentError):
            session.run(y, {x: [2, 3]})
        with pytest.raises(tf1.errors.InvalidArgumentError, match=r"too large:\n\[7. 7.\]"):
            session.run(y, {x: [7, 7]})


def test_a_layer_that_prints_trains(capfd):
    class Told(tf.keras.layers.Layer):
        def call(self, x):
            tf.print("batch", tf.shape(x)[0])
            return x * 1.0
    strategy = configured(1)
    with strategy.scope():
        model = tf.keras.Sequential([Told(input_shape=(3,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse", steps_per_execution=2)
        model.fit(np.ones((8, 3), "f4"), np.ones((8, 1), "f4"), batch_size=2, verbose=0)
    assert capfd.readouterr().err.count("batch 2\n") == 4
