# SPDX-License-Identifier: MIT
"""BatchNormalization and LayerNormalization against torch; what training does to moving statistics."""
import numpy as np
import pytest
import tensorflow as tf
import torch
from agree import check, normal, perturb
from tensorflow import keras

L = keras.layers


def normalised(x, w, axes, channel, mean=None, variance=None, epsilon=1e-3):
    mean = x.mean(axes, keepdim=True) if mean is None else mean
    variance = x.var(axes, unbiased=False, keepdim=True) if variance is None else variance
    shape = [-1 if d == channel else 1 for d in range(x.ndim)]
    y = (x - mean) / torch.sqrt(variance + epsilon)
    return y * w["gamma"].reshape(shape) + w["beta"].reshape(shape)


@pytest.mark.parametrize("shape,axis", [((6, 5), -1), ((3, 4, 5), -1), ((3, 4, 5, 6), -1), ((3, 4, 5, 6), 1),
                                        ((3, 4, 5, 6), 2), ((2, 3, 3, 4, 5), -1), ((3, 4, 5), 1)])
def test_batch_norm_in_training(shape, axis):
    layer = L.BatchNormalization(axis=axis)
    at = axis % len(shape)
    axes = tuple(d for d in range(len(shape)) if d != at)
    check(layer, [normal(*shape)], lambda x, w: normalised(x[0], w, axes, at), call=lambda x: layer(x, training=True),
          atol=1e-4)


@pytest.mark.parametrize("shape,axis", [((6, 5), -1), ((3, 4, 5, 6), -1), ((3, 4, 5, 6), 1)])
def test_batch_norm_in_inference(shape, axis):
    layer = L.BatchNormalization(axis=axis)
    at = axis % len(shape)
    form = [-1 if d == at else 1 for d in range(len(shape))]
    check(layer, [normal(*shape)], lambda x, w: normalised(
        x[0], w, None, at, w["moving_mean"].reshape(form), w["moving_variance"].reshape(form)))


@pytest.mark.parametrize("shape,correction", [((6, 5), 0), ((3, 4, 5), 0), ((3, 4, 5, 6), 1)])
@pytest.mark.parametrize("traced", [False, True])
def test_moving_statistics(shape, correction, traced):
    layer = L.BatchNormalization(momentum=0.9)
    x = normal(*shape) * 3 + 1
    layer(x)
    perturb(layer)
    mean, variance = layer.moving_mean.numpy(), layer.moving_variance.numpy()
    run = tf.function(lambda t: layer(t, training=True)) if traced else lambda t: layer(t, training=True)
    for _ in range(3):
        run(tf.constant(x))
        axes = tuple(range(len(shape) - 1))
        mean = 0.9 * mean + 0.1 * x.mean(axes, dtype=np.float64)
        variance = 0.9 * variance + 0.1 * x.astype(np.float64).var(axes, ddof=correction)
    np.testing.assert_allclose(layer.moving_mean.numpy(), mean, rtol=1e-4)
    np.testing.assert_allclose(layer.moving_variance.numpy(), variance, rtol=1e-4)


def test_fit_moves_the_statistics_and_evaluate_uses_them():
    x = normal(24, 5) * 2 + 1
    y = normal(24, 1, seed=1)
    model = keras.Sequential([L.BatchNormalization(momentum=0.5, input_shape=(5,)), L.Dense(1)])
    model.compile(keras.optimizers.SGD(0.0), "mse")
    mean, variance = np.zeros(5), np.ones(5)
    model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    for _ in range(2):
        for i in range(0, 24, 8):
            mean = 0.5 * mean + 0.5 * x[i:i + 8].mean(0)
            variance = 0.5 * variance + 0.5 * x[i:i + 8].var(0)
    np.testing.assert_allclose(model.layers[0].moving_mean.numpy(), mean, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.layers[0].moving_variance.numpy(), variance, rtol=1e-4)
    kernel, bias = model.layers[1].get_weights()
    expected = (x - mean) / np.sqrt(variance + 1e-3) @ kernel + bias
    np.testing.assert_allclose(model.predict(x, batch_size=8), expected, rtol=1e-3, atol=1e-4)
    assert model.evaluate(x, y, batch_size=8, verbose=0) == pytest.approx(np.mean((expected - y) ** 2), rel=1e-3)


def test_a_frozen_batch_norm_infers():
    layer = L.BatchNormalization()
    x = normal(6, 5)
    layer(x)
    layer.trainable = False
    np.testing.assert_allclose(layer(x, training=True), x / np.sqrt(1 + 1e-3), rtol=1e-5)
    assert [v.name.split("/")[-1] for v in layer.weights] == ["gamma:0", "beta:0", "moving_mean:0", "moving_variance:0"]
    assert not layer.trainable_weights


def test_without_scale_and_offset():
    layer = L.BatchNormalization(center=False, scale=False)
    x = normal(6, 5)
    y = layer(x, training=True)
    np.testing.assert_allclose(y, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), rtol=1e-4, atol=1e-5)
    assert [v.name.split("/")[-1] for v in layer.weights] == ["moving_mean:0", "moving_variance:0"]


@pytest.mark.parametrize("axis", [-1, 1, [1, 2], [2, 1]])
def test_layer_norm(axis):
    layer = L.LayerNormalization(axis=axis)
    axes = sorted(a % 3 for a in (axis if isinstance(axis, list) else [axis]))

    def reference(x, w):
        t = x[0]
        y = (t - t.mean(axes, keepdim=True)) / torch.sqrt(t.var(axes, unbiased=False, keepdim=True) + 1e-3)
        gamma, beta = w["gamma"], w["beta"]
        if axis == [2, 1]:
            gamma, beta = gamma.T, beta.T
        shape = [t.shape[d] if d in axes else 1 for d in range(3)]
        return y * gamma.reshape(shape) + beta.reshape(shape)

    check(layer, [normal(3, 4, 5)], reference, atol=1e-4)


def test_mixed_precision_keeps_statistics_in_single():
    layer = L.BatchNormalization(dtype="mixed_float16")
    x = normal(8, 5)
    y = layer(x, training=True)
    assert y.dtype.name == "float16" and layer.gamma.dtype.name == "float32"
    np.testing.assert_allclose(y.numpy().astype("float32"), (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), rtol=2e-2, atol=5e-3)
