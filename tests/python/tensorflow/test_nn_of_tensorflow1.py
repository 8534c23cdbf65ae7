# SPDX-License-Identifier: MIT
"""tf.compat.v1.nn: names, order and defaults of arguments are TensorFlow 1's."""
import numpy as np
import pytest
import tensorflow as tf

nn = tf.compat.v1.nn
RNG = np.random.default_rng(0)
PICTURE = RNG.normal(size=(1, 6, 6, 2)).astype("float32")
FILTER = RNG.normal(size=(3, 3, 2, 4)).astype("float32")
LOGITS, LABELS = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]], "float32"), np.array([[0, 1, 0], [1, 0, 0]], "float32")


def equal(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-6, atol=1e-6)


def test_dropout_keeps_the_share_that_it_is_told():
    x = tf.ones([100, 100])
    for kept in (nn.dropout(x, 0.9), nn.dropout(x, keep_prob=0.9), nn.dropout(x, rate=0.1), nn.dropout(x, tf.constant(0.9))):
        assert 0.85 < np.count_nonzero(kept.numpy()) / 1e4 < 0.95
        assert np.max(kept) == pytest.approx(1 / 0.9)
    with pytest.raises(ValueError, match="keep_prob must be a scalar tensor or a float in the range"):
        nn.dropout(x, 0.0)
    with pytest.raises(ValueError, match="Cannot specify both"):
        nn.dropout(x, 0.9, rate=0.1)


def test_predictions_stand_before_targets():
    assert nn.in_top_k(LOGITS, np.array([1, 1], "int32"), 1).numpy().tolist() == [True, False]


def test_dim_is_axis():
    equal(nn.softmax(LOGITS, dim=0), tf.nn.softmax(LOGITS, 0))
    equal(nn.log_softmax(LOGITS, dim=0), tf.nn.log_softmax(LOGITS, 0))
    equal(nn.l2_normalize(LOGITS, dim=0), tf.nn.l2_normalize(LOGITS, 0))
    wanted = tf.nn.softmax_cross_entropy_with_logits(LABELS, LOGITS, 0)
    equal(nn.softmax_cross_entropy_with_logits(labels=LABELS, logits=LOGITS, dim=0), wanted)
    equal(nn.softmax_cross_entropy_with_logits_v2(LABELS, LOGITS, dim=0), wanted)


def test_losses_want_their_arguments_by_name():
    for loss, labels in ((nn.softmax_cross_entropy_with_logits, LABELS), (nn.sigmoid_cross_entropy_with_logits, LABELS),
                         (nn.sparse_softmax_cross_entropy_with_logits, np.array([1, 0]))):
        with pytest.raises(ValueError, match="with named arguments"):
            loss(labels, LOGITS)
        with pytest.raises(ValueError, match="Both labels and logits"):
            loss(labels=labels)
        assert loss(labels=labels, logits=LOGITS).shape[0] == 2


def test_the_older_softmax_loss_has_no_gradient_of_labels():
    labels = tf.constant(LABELS)
    for loss, there in ((nn.softmax_cross_entropy_with_logits, False), (nn.softmax_cross_entropy_with_logits_v2, True)):
        with tf.GradientTape() as tape:
            tape.watch(labels)
            y = tf.reduce_sum(loss(labels=labels, logits=LOGITS))
        found = tape.gradient(y, labels)
        assert (found is not None and bool(np.any(found.numpy()))) == there


def test_pools_and_convolutions():
    equal(nn.max_pool(value=PICTURE, ksize=2, strides=2, padding="VALID"), tf.nn.max_pool2d(PICTURE, 2, 2, "VALID"))
    equal(nn.avg_pool(value=PICTURE, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
          tf.nn.avg_pool2d(PICTURE, 2, 2, "SAME"))
    wanted = tf.nn.conv2d(PICTURE, FILTER, 2, "SAME")
    equal(nn.conv2d(PICTURE, filter=FILTER, strides=[1, 2, 2, 1], padding="SAME"), wanted)
    equal(nn.conv2d(PICTURE, FILTER, [1, 2, 2, 1], "SAME", True, "NHWC", [1, 1, 1, 1], "name"), wanted)
    equal(nn.convolution(PICTURE, FILTER, "VALID", dilation_rate=2), tf.nn.convolution(PICTURE, FILTER, None, "VALID",
                                                                                      dilations=2))
    equal(nn.conv1d(value=PICTURE[0], filters=FILTER[0], stride=1, padding="VALID"),
          tf.nn.conv1d(PICTURE[0], FILTER[0], 1, "VALID"))
    equal(nn.depthwise_conv2d(PICTURE, FILTER, [1, 1, 1, 1], "VALID", rate=[2, 2]),
          tf.nn.depthwise_conv2d(PICTURE, FILTER, 1, "VALID", dilations=2))
    back = FILTER.transpose(0, 1, 3, 2).copy()
    equal(nn.conv2d_transpose(value=PICTURE, filter=back, output_shape=[1, 8, 8, 4], strides=1, padding="VALID"),
          tf.nn.conv2d_transpose(PICTURE, back, [1, 8, 8, 4], 1, "VALID"))
    with pytest.raises(ValueError, match="'padding' is missing"):
        nn.conv2d(PICTURE, FILTER, 1)
    for pool in (nn.max_pool, nn.avg_pool):
        with pytest.raises(ValueError, match="'ksize' is missing"):
            pool(PICTURE, strides=2, padding="VALID")
    with pytest.raises(ValueError, match="'strides' is missing"):
        nn.conv2d_transpose(value=PICTURE, filter=back, output_shape=[1, 8, 8, 4])
    with pytest.raises(ValueError, match="'variance_epsilon' is missing"):
        nn.batch_norm_with_global_normalization(PICTURE, 0.0, 1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="needs ksizes, strides, rates and padding"):
        tf.compat.v1.extract_image_patches(PICTURE, [1, 2, 2, 1])


def test_arguments_that_changed_places():
    equal(nn.space_to_depth(PICTURE, 2, "name"), tf.nn.space_to_depth(PICTURE, 2))
    equal(nn.crelu(PICTURE, "name"), tf.nn.crelu(PICTURE))
    for found, wanted in zip(nn.moments(PICTURE, [0, 1], None, "name", True), tf.nn.moments(PICTURE, [0, 1], keepdims=True)):
        equal(found, wanted)
    equal(nn.embedding_lookup([LOGITS], [1, 0], "mod", "name"), LOGITS[[1, 0]])
    equal(nn.weighted_cross_entropy_with_logits(targets=LABELS, logits=LOGITS, pos_weight=2.0),
          tf.nn.weighted_cross_entropy_with_logits(LABELS, LOGITS, 2.0))


def test_layers_of_their_own():
    weights, bias = np.ones((3, 2), "float32"), np.array([1.0, -9.0], "float32")
    equal(nn.xw_plus_b(LOGITS, weights, bias), [[4, -6], [5, -5]])
    equal(nn.relu_layer(LOGITS, weights, bias), [[4, 0], [5, 0]])
    mean, variance = nn.weighted_moments(LOGITS, 1, np.array([1.0, 3.0, 0.0], "float32"))
    equal(mean, [1.75, 0.75])
    equal(variance, [0.1875, 0.1875])


def test_what_is_the_same_in_both_is_there():
    assert nn.relu is tf.nn.relu and nn.sigmoid is tf.nn.sigmoid


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_fused_batch_norm(data_format):
    """The variance that comes back is of n - 1 elements, that of the norm of n."""
    x = RNG.normal(2, 3, size=(4, 5, 6, 3)).astype("float32")
    scale, offset, mean, variance = (RNG.uniform(1, 2, 3).astype("float32") for _ in range(4))
    given = x if data_format == "NHWC" else x.transpose(0, 3, 1, 2)

    def call(**own):
        y, *rest = nn.fused_batch_norm(given, scale, offset, data_format=data_format, **own)
        return y.numpy() if data_format == "NHWC" else y.numpy().transpose(0, 2, 3, 1), *rest

    def wanted(mean, variance):
        return (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    y, new_mean, new_variance = call()
    now, spread, unbiased = x.mean((0, 1, 2)), x.var((0, 1, 2)), x.var((0, 1, 2), ddof=1)
    np.testing.assert_allclose(y, wanted(now, spread), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(new_mean, now, rtol=1e-5)
    np.testing.assert_allclose(new_variance, unbiased, rtol=1e-5)
    _, new_mean, new_variance = call(mean=mean, variance=variance, exponential_avg_factor=0.25)
    np.testing.assert_allclose(new_mean, 0.75 * mean + 0.25 * now, rtol=1e-5)
    np.testing.assert_allclose(new_variance, 0.75 * variance + 0.25 * unbiased, rtol=1e-5)
    y, same, _ = call(mean=mean, variance=variance, is_training=False)
    np.testing.assert_allclose(y, wanted(mean, variance), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(same, mean)


@pytest.mark.parametrize("strides, padding", [([1, 1, 1, 1], "SAME"), ([1, 2, 2, 1], "VALID")])
def test_gradients_of_convolutions(strides, padding):
    x, kernel = tf.constant(PICTURE), tf.constant(FILTER)
    with tf.GradientTape() as tape:
        tape.watch([x, kernel])
        y = tf.nn.conv2d(x, kernel, strides, padding)
    dy = RNG.normal(size=y.shape.as_list()).astype("float32")
    by_x, by_kernel = tape.gradient(y, [x, kernel], tf.constant(dy))
    np.testing.assert_allclose(nn.conv2d_backprop_input(PICTURE.shape, FILTER, dy, strides, padding), by_x, rtol=1e-4,
                               atol=1e-5)
    np.testing.assert_allclose(nn.conv2d_backprop_filter(PICTURE, FILTER.shape, dy, strides, padding), by_kernel, rtol=1e-4,
                               atol=1e-5)
