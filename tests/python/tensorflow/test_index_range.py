# SPDX-License-Identifier: MIT
"""Indices that are known when a program runs: on the host one that is not there is an error, as on TensorFlow's CPU."""
import numpy as np
import on_ipus
import pytest
import tensorflow as tf
from tensorflow import keras

X = tf.constant([[0.0, 1.0], [2.0, 3.0]])
LOGITS = tf.constant([[1.0, 2.0, 3.0]])
CASES = {
    "gather": (lambda i: tf.gather(X, i), 1, (2, -1)),
    "gather of batches": (lambda i: tf.gather(X, tf.stack([i, i]), batch_dims=1), 1, (2, -1)),
    "gather_nd": (lambda i: tf.gather_nd(X, tf.stack([i, i], 1)), 1, (2, -1)),
    "scatter_nd": (lambda i: tf.scatter_nd(tf.expand_dims(i, 1), [1.0], [3]), 2, (3, -1)),
    "scatter_update": (lambda i: tf.tensor_scatter_nd_update(tf.zeros([3]), tf.expand_dims(i, 1), [1.0]), 2, (3, -1)),
    "embedding_lookup": (lambda i: tf.nn.embedding_lookup(X, i), 1, (2, -1)),
    "slice": (lambda i: tf.slice(X, [i[0], 0], [1, 2]), 1, (2, -1)),
    "cross entropy": (lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=LOGITS), 2, (3, -1)),
}


@pytest.mark.parametrize("name", CASES)
def test_one_that_is_not_there_is_an_error_on_the_host(name):
    function, good, bad = CASES[name]
    program = tf.function(function)
    expected = function(tf.constant([good])).numpy()
    for i in bad:
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"index {i} .*it must be from 0 to {good}\."):
            program(tf.constant([i]))
        np.testing.assert_allclose(program(tf.constant([good])).numpy(), expected, rtol=1e-6)


def test_items_count_from_the_end_too():
    program = tf.function(lambda i: X[i])
    for i in (1, -1, -2):
        np.testing.assert_array_equal(program(tf.constant(i)).numpy(), X.numpy()[i])
    with pytest.raises(tf.errors.InvalidArgumentError, match="index 2 .*is out of range: it must be from -2 to 1"):
        program(tf.constant(2))


def test_a_negative_one_that_is_known_before_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="index -1 is out of range"):
        tf.function(lambda x: tf.gather(x, [-1]))(X)


def test_one_hot_rows_of_what_is_not_there_are_empty():
    numbers, program = tf.constant([0, -1, 3, 2, -3]), tf.function(lambda i: tf.one_hot(i, 3), experimental_compile=True)
    expected = [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]
    np.testing.assert_array_equal(tf.one_hot(numbers, 3).numpy(), expected)
    np.testing.assert_array_equal(program(numbers).numpy(), expected)
    strategy = on_ipus.strategy()
    with strategy.scope():
        np.testing.assert_array_equal(strategy.run(program, [numbers]).numpy(), expected)


def test_keras_refuses_words_and_labels_that_are_not_there():
    model = keras.Sequential([keras.Input((2,), dtype="int32"), keras.layers.Embedding(3, 2), keras.layers.Flatten(),
                              keras.layers.Dense(4, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    words, label = np.array([[0, 2]], np.int32), np.array([[3]])
    before = model.get_weights()
    for x, y in ((words + 1, label), (words, label + 1), (words, -label)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is out of range"):
            model.fit(x, y, verbose=0)
    for a, b in zip(before, model.get_weights()):
        np.testing.assert_array_equal(a, b)
    assert np.isfinite(model.fit(words, label, verbose=0).history["loss"]).all()
