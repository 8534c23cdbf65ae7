# SPDX-License-Identifier: MIT
"""Functions that are written with others, at once and in a traced function, against loops over elements."""
import itertools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

RANDOM = np.random.default_rng(5)


def both(function, *args):
    """What it gives at once; in a function of a graph it must be the same."""
    now = np.asarray(function(*[tf.constant(a) for a in args]))
    traced = np.asarray(tf.function(function)(*[tf.constant(a) for a in args]))
    np.testing.assert_allclose(traced, now, rtol=1e-6)
    return now


@pytest.mark.parametrize("seq, batch", [(1, 0), (0, 1), (2, 1)])
def test_rows_that_end_early_are_reversed(seq, batch):
    x = RANDOM.normal(size=(3, 4, 5)).astype("f4")
    lengths = RANDOM.integers(1, x.shape[seq] + 1, x.shape[batch])
    expected = x.copy()
    for at in itertools.product(*map(range, x.shape)):
        n, place = lengths[at[batch]], list(at)
        if at[seq] < n:
            place[seq] = n - 1 - at[seq]
        expected[at] = x[tuple(place)]
    made = both(lambda v: tf.reverse_sequence(v, lengths, seq_axis=seq, batch_axis=batch), x)
    np.testing.assert_array_equal(made, expected)


def test_blocks_of_the_batch_go_and_come_back():
    x = RANDOM.normal(size=(2, 3, 4, 2)).astype("f4")
    made = both(lambda v: tf.space_to_batch(v, [2, 2], [[1, 0], [0, 0]]), x)
    padded = np.pad(x, ((0, 0), (1, 0), (0, 0), (0, 0)))
    expected = np.concatenate([padded[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])
    np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(both(lambda v: tf.batch_to_space(v, [2, 2], [[1, 0], [0, 0]]), expected), x)
    np.testing.assert_array_equal(tf1.space_to_batch(x, [[1, 0], [0, 0]], 2), expected)
    np.testing.assert_array_equal(tf1.batch_to_space(expected, [[1, 0], [0, 0]], 2), x)
    line = np.arange(12.0, dtype="f4").reshape(2, 6, 1)
    np.testing.assert_array_equal(both(lambda v: tf.space_to_batch_nd(v, [3], [[0, 0]]), line),
                                  np.concatenate([line[:, i::3] for i in range(3)]))
    with pytest.raises(ValueError, match="no whole blocks of 2"):
        tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size, stride, rate", [(2, 1, 1), (3, 2, 1), (2, 3, 2)])
def test_patches_of_images(size, stride, rate, padding):
    x = RANDOM.normal(size=(2, 7, 6, 3)).astype("f4")
    how = [1, size, size, 1], [1, stride, stride, 1], [1, rate, rate, 1], padding
    made = both(lambda v: tf.image.extract_patches(v, *how), x)
    field, pads = (size - 1) * rate + 1, []
    for n in (7, 6):
        out = -(-n // stride) if padding == "SAME" else (n - field) // stride + 1
        missing = max((out - 1) * stride + field - n, 0) if padding == "SAME" else 0
        pads.append((missing // 2, missing - missing // 2, out))
    padded = np.pad(x, ((0, 0), pads[0][:2], pads[1][:2], (0, 0)))
    assert made.shape == (2, pads[0][2], pads[1][2], size * size * 3)
    for i, j in itertools.product(range(pads[0][2]), range(pads[1][2])):
        window = padded[:, i * stride:i * stride + field:rate, j * stride:j * stride + field:rate]
        np.testing.assert_array_equal(made[:, i, j], window.reshape(2, -1))
    for again in (tf1.image.extract_image_patches, tf1.extract_image_patches):
        np.testing.assert_array_equal(again(x, *how), made)


@pytest.mark.parametrize("kind", ["f4", "i4"])
def test_extremes_of_segments(kind):
    x, at = RANDOM.integers(-9, 9, (6, 2)).astype(kind), np.array([2, 0, 2, 0, 3, 2])
    limits = np.finfo(kind) if kind == "f4" else np.iinfo(kind)
    for name, reduce, empty in (("max", np.max, limits.min), ("min", np.min, limits.max), ("prod", np.prod, 1)):
        rows = [reduce(x[at == i], axis=0) if (at == i).any() else np.full(2, empty, kind) for i in range(5)]
        made = both(lambda v: getattr(tf.math, f"unsorted_segment_{name}")(v, at, 5), x)
        np.testing.assert_array_equal(made, np.array(rows))
        ordered = np.array([0, 0, 1, 1, 1, 2])
        rows = [reduce(x[ordered == i], axis=0) for i in range(3)]
        np.testing.assert_array_equal(both(lambda v: getattr(tf.math, f"segment_{name}")(v, ordered), x), np.array(rows))
    y = x.astype("f4")
    rows = [y[at == i].sum(0) / np.sqrt(max((at == i).sum(), 1)) for i in range(5)]
    np.testing.assert_allclose(both(lambda v: tf.math.unsorted_segment_sqrt_n(v, at, 5), y), np.array(rows), rtol=1e-6)


def test_gradients_go_to_the_largest_of_a_segment():
    x = tf.Variable([1.0, 5.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.math.segment_max(x, [0, 0, 1, 1]) * [1.0, 10.0])
    np.testing.assert_array_equal(tape.gradient(y, x), [0, 1, 0, 10])


def test_places_histograms_and_shapes():
    made = both(lambda v: tf.unravel_index(v, [3, 4]), np.array([5, 11]))
    np.testing.assert_array_equal(made, np.unravel_index([5, 11], (3, 4)))
    values = np.array([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], "f4")
    np.testing.assert_array_equal(both(lambda v: tf.histogram_fixed_width(v, [0.0, 5.0], nbins=5), values), [2, 1, 1, 0, 2])
    assert tf.broadcast_static_shape([3, 1], [4]) == [3, 4]
    np.testing.assert_array_equal(tf.broadcast_dynamic_shape([3, 1], [4]), [3, 4])
    with pytest.raises(ValueError, match="Incompatible shapes"):
        tf.broadcast_static_shape([3], [4])
    np.testing.assert_array_equal(both(lambda v: tf.scalar_mul(2.0, v), values), 2 * values)
    with pytest.raises(ValueError, match="Only scalar multiply"):
        tf.scalar_mul([1.0, 2.0], values)
    made = both(lambda v: tf.tensor_scatter_nd_sub(v, [[1], [1]], [1.0, 2.0]), values)
    np.testing.assert_array_equal(made, values - [0, 3, 0, 0, 0, 0])


def test_functions_of_functions():
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "f4")
    np.testing.assert_array_equal(both(lambda v: tf.vectorized_map(lambda r: r * r[0], v), rows), rows * rows[:, :1])
    made = both(lambda v: tf.foldr(lambda a, r: 2 * a + r, v), rows)
    np.testing.assert_array_equal(made, 4 * rows[2] + 2 * rows[1] + rows[0])
    x = tf.Variable(2.6)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(tf.round)(tf.convert_to_tensor(x)) * 3
    assert float(y) == 9 and float(tape.gradient(y, x)) == 3
    with tf.GradientTape() as tape:
        y = tf.recompute_grad(lambda v: v * v)(tf.convert_to_tensor(x))
    np.testing.assert_allclose(tape.gradient(y, x), 5.2, rtol=1e-6)


def test_losses_of_a_batch_of_all_replicas():
    losses = np.array([1.0, 2.0, 6.0], "f4")
    assert float(tf.nn.compute_average_loss(losses)) == 3
    assert float(tf.nn.compute_average_loss(losses, global_batch_size=6)) == 1.5
    assert float(tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.0, 0.5])) == pytest.approx(4 / 3)
    assert float(tf.nn.scale_regularization_loss([1.0, 2.0])) == 3
