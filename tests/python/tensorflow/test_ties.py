# SPDX-License-Identifier: MIT
"""Equal values: who of them has the gradient, and who is among the largest. On the host, and on an IPU."""
import numpy as np
import on_ipus
import pytest
import tensorflow as tf

L = tf.keras.layers


def gradients(function, *values):
    """Of the sum of the results: at once, traced, and on an IPU."""
    values = [tf.constant(np.asarray(v, "float32")) for v in values]

    def derived(*tensors):
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            loss = tf.reduce_sum(function(*tensors))
        return tape.gradient(loss, list(tensors))
    found = [[g.numpy().reshape(-1).tolist() for g in made] for made in
             (derived(*values), tf.function(derived)(*values), on_ipus.strategy().run(tf.function(derived), values))]
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.parametrize("dims,pool", [(1, tf.nn.max_pool1d), (2, tf.nn.max_pool2d), (3, tf.nn.max_pool3d)])
def test_the_first_maximum_of_a_window_has_the_gradient(dims, pool):
    (found,) = gradients(lambda x: pool(x, 2, 2, "VALID"), np.ones([1, *[2] * dims, 1]))
    assert found == [1] + [0] * (2 ** dims - 1)


def test_overlapping_and_padded_windows_give_it_to_their_own_first():
    (found,) = gradients(lambda x: tf.nn.max_pool1d(x, 3, 1, "SAME"), np.reshape([0, 5, 5, 1], (1, 4, 1)))
    assert found == [0, 3, 1, 0]


def test_equal_operands_of_maximum_and_minimum():
    assert gradients(tf.maximum, [1, 2, 0], [1, 0, 2]) == [[1, 1, 0], [0, 0, 1]]
    assert gradients(tf.minimum, [1, 2, 0], [1, 0, 2]) == [[1, 0, 1], [0, 1, 0]]


def test_bounds_of_clips():
    assert gradients(lambda x: tf.clip_by_value(x, 0.0, 6.0), [-1, 0, 3, 6, 7]) == [[0, 1, 1, 1, 0]]
    assert gradients(tf.nn.relu6, [-1, 0, 3, 6, 7]) == [[0, 0, 1, 0, 0]]


def test_equal_extremes_of_a_reduction_share_the_gradient():
    assert gradients(lambda x: tf.reduce_max(x, -1), [[1, 4, 4, 0]]) == [[0, 0.5, 0.5, 0]]
    assert gradients(lambda x: tf.reduce_min(x, -1), [[4, 1, 1, 1]]) == [[0, *[np.float32(1 / 3)] * 3]]


def test_the_slope_of_a_cross_entropy_at_zero_is_that_of_the_sigmoid():
    found = gradients(lambda x: tf.nn.sigmoid_cross_entropy_with_logits([0.0, 0.5, 1.0], x), [0, 0, 0])
    assert found == [[0.5, 0, -0.5]]


@pytest.mark.parametrize("on_ipu", [False, True])
@pytest.mark.parametrize("layers,shape", [
    ([L.Dense, L.RepeatVector(2), L.MaxPooling1D(2)], (1,)), ([L.Conv2D, L.UpSampling2D(2), L.MaxPooling2D(2)], (1, 1, 1))],
    ids=["1D", "2D"])
def test_a_constant_background_does_not_make_steps_longer(layers, shape, on_ipu):
    import contextlib
    with on_ipus.strategy().scope() if on_ipu else contextlib.nullcontext():
        first = layers[0](*(1,) * (2 if layers[0] is L.Conv2D else 1), use_bias=False, kernel_initializer="ones")
        kinds = [type(layer).from_config(layer.get_config()) for layer in layers[1:]]
        model = tf.keras.Sequential([tf.keras.Input(shape, batch_size=1), first, *kinds, L.Flatten()])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        model.fit(np.ones((1, *shape), "float32"), np.zeros((1, 1), "float32"), batch_size=1, verbose=0)
    assert model.get_weights()[0].reshape(()) == pytest.approx(0.8)


def test_of_equal_scores_at_the_border_all_are_in_the_top_k():
    scores = np.array([[3, 1, 3, 2], [0, 0, 0, 0], [1, np.inf, 2, 3], [1, 2, 3, 4]], "float32")
    found = tf.math.in_top_k(np.array([2, 3, 1, 7], "int32"), scores, 1)
    assert found.numpy().tolist() == [True, True, False, False]
    assert tf.math.in_top_k(np.array([3, 0, 0, 2], "int32"), scores, 2).numpy().tolist() == [False, True, False, True]
