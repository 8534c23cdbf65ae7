# SPDX-License-Identifier: MIT
"""Embeddings, merges, activations, attention, noise and preprocessing, against torch and formulas."""
import contextlib

import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from agree import check, normal, rng
from on_ipus import strategy
from tensorflow import keras

L = keras.layers


@pytest.fixture(params=["host", "IPU"])
def scope(request):
    return contextlib.nullcontext if request.param == "host" else strategy().scope


def test_embedding():
    layer = L.Embedding(7, 3)
    ids = np.array([[1, 6, 0], [1, 1, 4]], "int32")
    check(layer, [ids], lambda x, w: w["embeddings"][x[0].long()])
    check(layer, [ids.astype("float32")], lambda x, w: w["embeddings"][x[0].long()])
    assert np.abs(L.Embedding(50, 40)(ids)).max() <= 0.05


@pytest.mark.parametrize("kind,function", [
    ("Add", lambda a, b: a + b), ("Subtract", lambda a, b: a - b), ("Multiply", lambda a, b: a * b),
    ("Average", lambda a, b: (a + b) / 2), ("Maximum", torch.maximum), ("Minimum", torch.minimum)])
def test_merges(kind, function):
    check(getattr(L, kind)(), [normal(3, 4, 5), normal(3, 4, 5, seed=1)], lambda x, w: function(*x))
    check(getattr(L, kind)(), [normal(3, 4, 5), normal(3, 5, seed=1)], lambda x, w: function(x[0], x[1][:, None]))
    a, b = normal(2, 3), normal(2, 3, seed=1)
    np.testing.assert_allclose(getattr(L, kind.lower())([a, b]), function(torch.tensor(a), torch.tensor(b)), rtol=1e-6)


def test_three_inputs():
    xs = [normal(2, 3, seed=i) for i in range(3)]
    np.testing.assert_allclose(L.Add()(xs), sum(xs), rtol=1e-5)
    np.testing.assert_allclose(L.Average()(xs), sum(xs) / 3, rtol=1e-5)
    for wrong in (L.Subtract, L.Dot):
        with pytest.raises(ValueError, match="2 inputs"):
            (wrong() if wrong is L.Subtract else wrong(1))(xs)
    with pytest.raises(ValueError, match="list of inputs"):
        L.Add()(xs[0])


@pytest.mark.parametrize("axis", [-1, 1, 2])
def test_concatenate(axis):
    shapes = [[3, 4, 5], [3, 4, 5]]
    shapes[1][axis] = 2
    check(L.Concatenate(axis), [normal(*s, seed=i) for i, s in enumerate(shapes)], lambda x, w: torch.cat(x, axis))
    with pytest.raises(ValueError, match="matching shapes"):
        L.Concatenate(1)([normal(2, 3, 4), normal(2, 3, 5)])


@pytest.mark.parametrize("shapes,axes,equation", [
    (((3, 4), (3, 4)), 1, "ab,ab->a"), (((3, 4, 5), (3, 6, 5)), 2, "abc,adc->abd"),
    (((3, 4, 5), (3, 5, 2)), (2, 1), "abc,acd->abd"), (((3, 4, 5), (3, 4)), (1, 1), "abc,ab->ac")])
@pytest.mark.parametrize("normalize", [False, True])
def test_dot(shapes, axes, equation, normalize):
    both = (axes, axes) if isinstance(axes, int) else axes

    def reference(x, w):
        if normalize:
            x = [t / t.norm(dim=a, keepdim=True) for t, a in zip(x, both)]
        y = torch.einsum(equation, *x)
        return y[:, None] if y.ndim == 1 else y

    check(L.Dot(axes, normalize), [normal(*s, seed=i) for i, s in enumerate(shapes)], reference)


@pytest.mark.parametrize("layer,function", [
    (L.LeakyReLU(), lambda x: F.leaky_relu(x, 0.3)), (L.LeakyReLU(0.1), lambda x: F.leaky_relu(x, 0.1)),
    (L.ELU(), F.elu), (L.ELU(0.5), lambda x: F.elu(x, 0.5)), (L.ThresholdedReLU(0.4), lambda x: x * (x > 0.4)),
    (L.Softmax(), lambda x: x.softmax(-1)), (L.Softmax(1), lambda x: x.softmax(1)),
    (L.Softmax((1, 2)), lambda x: x.flatten(1).softmax(-1).reshape(x.shape)), (L.ReLU(), torch.relu),
    (L.ReLU(6), lambda x: torch.clip(x, 0, 6)), (L.ReLU(negative_slope=0.2), lambda x: F.leaky_relu(x, 0.2)),
    (L.ReLU(0.7, 0.1, 0.2), lambda x: torch.where(x >= 0.7, torch.full_like(x, 0.7),
                                                  torch.where(x >= 0.2, x, 0.1 * (x - 0.2))))])
def test_activations(layer, function):
    check(layer, [normal(3, 4, 5)], lambda x, w: function(x[0]))


@pytest.mark.parametrize("shared", [None, [1], [1, 2]])
def test_prelu(shared):
    layer = L.PReLU(shared_axes=shared)
    check(layer, [normal(3, 4, 5, 6)], lambda x, w: torch.relu(x[0]) - w["alpha"] * torch.relu(-x[0]))
    assert tuple(layer.alpha.shape) == tuple(1 if shared and d + 1 in shared else n for d, n in enumerate((4, 5, 6)))


@pytest.mark.parametrize("layer,shape,function", [
    (L.Reshape((5, -1)), (3, 4, 5), lambda x: x.reshape(3, 5, 4)),
    (L.Permute((3, 1, 2)), (2, 3, 4, 5), lambda x: x.permute(0, 3, 1, 2)),
    (L.RepeatVector(4), (3, 5), lambda x: x[:, None].repeat(1, 4, 1)), (L.Flatten(), (3, 4, 5), lambda x: x.reshape(3, -1)),
    (L.Flatten("channels_first"), (3, 4, 5, 2), lambda x: x.permute(0, 2, 3, 1).reshape(3, -1)),
    (L.Lambda(lambda x: x * 2.0), (3, 4), lambda x: x * 2), (L.Activation("tanh"), (3, 4), torch.tanh),
    (L.Rescaling(1 / 255.0, -0.5), (2, 3), lambda x: x / 255 - 0.5),
    (L.CenterCrop(2, 3), (2, 5, 6, 1), lambda x: x[:, 1:3, 1:4]),
    (L.Resizing(8, 3), (2, 4, 6, 2), lambda x: F.interpolate(x.movedim(-1, 1), (8, 3), mode="bilinear").movedim(1, -1))])
def test_shapes(layer, shape, function):
    check(layer, [normal(*shape)], lambda x, w: function(x[0]))


def attended(q, k, v, kept=None, scale=1.0):
    scores = q @ k.transpose(-1, -2) * scale
    scores = scores if kept is None else scores + (1 - kept.double()) * -1e9
    return scores.softmax(-1) @ v


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(scale, causal):
    layer = L.Attention(use_scale=scale, causal=causal)
    kept = torch.tril(torch.ones(4, 5)) if causal else None
    check(layer, [normal(2, 4, 3), normal(2, 5, 3, seed=1), normal(2, 5, 3, seed=2)],
          lambda x, w: attended(x[0], x[2], x[1], kept, w.get("scale", 1.0)))


def test_attention_with_masks():
    layer = L.Attention()
    masks = [np.array([[1, 0, 1, 1], [1, 1, 1, 0]], bool), np.array([[1, 1, 0, 0, 1], [0, 1, 1, 1, 1]], bool)]
    check(layer, [normal(2, 4, 3), normal(2, 5, 3, seed=1)],
          lambda x, w: attended(x[0], x[1], x[1], torch.tensor(masks[1])[:, None]) * torch.tensor(masks[0])[..., None],
          call=lambda q, v: layer([q, v], mask=[tf.constant(m) for m in masks]))


def test_additive_attention():
    check(L.AdditiveAttention(), [normal(2, 4, 3), normal(2, 5, 3, seed=1)], lambda x, w: (
        (torch.tanh(x[0][:, :, None] + x[1][:, None]) * w["scale"]).sum(-1)).softmax(-1) @ x[1])


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention(masked):
    layer = L.MultiHeadAttention(2, 3, value_dim=4)
    mask = rng(4).integers(0, 2, (2, 4, 5)).astype(bool) | np.eye(4, 5, dtype=bool)

    def reference(x, w):
        q, k, v = ((torch.einsum("abc,cde->adbe", t, w[f"multi_head/{n}/kernel"]) + w[f"multi_head/{n}/bias"][:, None])
                   for t, n in zip((x[0], x[1], x[1]), ("query", "key", "value")))
        kept = torch.tensor(mask)[:, None] if masked else None
        y = attended(q / np.sqrt(3), k, v, kept)
        return torch.einsum("adbe,def->abf", y, w["multi_head/attention_output/kernel"]) + \
            w["multi_head/attention_output/bias"]

    layer._name = "multi_head"
    check(layer, [normal(2, 4, 6), normal(2, 5, 7, seed=1)], reference, call=lambda q, v: layer(
        q, v, attention_mask=tf.constant(mask) if masked else None))
    assert [tuple(w.shape) for w in layer.weights] == [(6, 2, 3), (2, 3), (7, 2, 3), (2, 3), (7, 2, 4), (2, 4), (2, 4, 6),
                                                       (6,)]
    _, scores = layer(normal(2, 4, 6), normal(2, 5, 7), return_attention_scores=True)
    np.testing.assert_allclose(tf.reduce_sum(scores, -1), np.ones((2, 2, 4)), rtol=1e-5)


@pytest.mark.parametrize("traced", [False, True])
def test_noise(traced):
    tf.random.set_seed(1)
    x = np.full((64, 64, 16), 2.0, "float32")

    def values(layer):
        run = tf.function(lambda t: layer(t, training=True)) if traced else lambda t: layer(t, training=True)
        np.testing.assert_array_equal(layer(x), x)
        return run(tf.constant(x)).numpy()

    y = values(L.GaussianNoise(0.5))
    assert abs(y.mean() - 2) < 0.02 and abs(y.std() - 0.5) < 0.02
    y = values(L.GaussianDropout(0.2))
    assert abs(y.mean() - 2) < 0.03 and abs(y.std() - 2 * np.sqrt(0.2 / 0.8)) < 0.03
    y = values(L.Dropout(0.25))
    assert set(np.unique(y.round(4))) == {0, np.float32(2 / 0.75).round(4)} and abs((y == 0).mean() - 0.25) < 0.02
    y = values(L.SpatialDropout1D(0.25))
    assert set(np.unique(y.round(4))) == {0, np.float32(2 / 0.75).round(4)}
    assert all(len(np.unique(y[i, :, j])) == 1 for i in range(8) for j in range(16))
    z = normal(200, 200)
    layer = L.AlphaDropout(0.3)
    y = layer(z, training=True).numpy()
    assert abs(y.mean() - z.mean()) < 0.05 and abs(y.std() - z.std()) < 0.05


def test_activity_regularization():
    layer, x = L.ActivityRegularization(l1=0.1, l2=0.01), normal(3, 4)
    layer(x)
    np.testing.assert_allclose(layer.losses[0], (0.1 * np.abs(x).sum() + 0.01 * (x ** 2).sum()) / 3, rtol=1e-5)


def test_a_regularizer_of_activities_counts_samples_not_batches(scope):
    x = normal(8, 3).astype("float32")
    with scope():
        model = keras.Sequential([L.Dense(2, kernel_initializer="ones", activity_regularizer="l1", input_shape=(3,))])
        model.compile(keras.optimizers.SGD(0.5), "mse")
        for batch in (2, 8):
            found = model.evaluate(x, np.zeros((8, 2), "float32"), batch_size=batch, verbose=0)
            rows = x.sum(1)
            assert found == pytest.approx((rows ** 2).mean() + 0.01 * 2 * np.abs(rows).mean(), rel=1e-5)


def test_the_mean_of_a_sequence_is_of_what_its_mask_keeps(scope):
    ids, table = np.array([[1, 2, 0, 0], [3, 1, 2, 0]]), normal(4, 5).astype("float32")
    with scope():
        model = keras.Sequential([L.Embedding(4, 5, mask_zero=True, input_length=4), L.GlobalAveragePooling1D()])
        model.set_weights([table])
        found = model.predict(ids, batch_size=2)
    kept = (ids != 0).astype("float32")[..., None]
    np.testing.assert_allclose(found, (table[ids] * kept).sum(1) / kept.sum(1), rtol=1e-5)
    rows = normal(2, 3, 4).astype("float32")
    layer = L.GlobalAveragePooling1D("channels_first", keepdims=True)
    mask = np.array([[True, False, True, True], [False, False, True, False]])
    np.testing.assert_allclose(layer(rows, mask=mask), [[[r[[0, 2, 3]].mean()] for r in rows[0]], [[r[2]] for r in rows[1]]],
                               rtol=1e-5)


def test_normalization_layer():
    x = normal(50, 3) * [1, 2, 3] + [4, 5, 6]
    layer = L.Normalization()
    layer.adapt(x.astype("float32"))
    np.testing.assert_allclose(layer(x.astype("float32")), (x - x.mean(0)) / x.std(0), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(L.Normalization(mean=3.0, variance=4.0)(np.ones((2, 3), "float32")), -np.ones((2, 3)))
    with pytest.raises(RuntimeError, match="adapt"):
        L.Normalization()(np.ones((2, 3), "float32"))


def test_category_encoding():
    ids = np.array([[0, 2], [2, 2], [1, 3]])
    np.testing.assert_array_equal(L.CategoryEncoding(4)(ids), [[1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 1]])
    np.testing.assert_array_equal(L.CategoryEncoding(4, "count")(ids), [[1, 0, 1, 0], [0, 0, 2, 0], [0, 1, 0, 1]])


def test_random_flip():
    x = np.arange(64 * 4, dtype="float32").reshape(64, 1, 4, 1)
    y = L.RandomFlip("horizontal")(x, training=True).numpy()
    same = (y == x).all((1, 2, 3))
    assert 15 < same.sum() < 50 and ((y == x[:, :, ::-1]).all((1, 2, 3)) | same).all()


def configured():
    return [L.Dense(3, "relu"), L.Conv2D(3, 3, padding="same"), L.Conv1DTranspose(3, 3), L.DepthwiseConv2D(3),
            L.SeparableConv2D(3, 3), L.ZeroPadding2D(((1, 0), (0, 1))), L.Cropping1D((1, 2)), L.UpSampling2D(3),
            L.BatchNormalization(momentum=0.5), L.LayerNormalization(axis=[1, 2]), L.SpatialDropout2D(0.2),
            L.GaussianNoise(0.1), L.AlphaDropout(0.1), L.Embedding(5, 4, mask_zero=True), L.Masking(-1.0),
            L.LSTM(4, return_sequences=True, go_backwards=True), L.GRU(4, reset_after=False), L.SimpleRNN(4, "relu"),
            L.RNN([L.LSTMCell(3), L.GRUCell(2)]), L.Bidirectional(L.LSTM(4), merge_mode="sum"),
            L.TimeDistributed(L.Dense(3)), L.Attention(True, causal=True), L.MultiHeadAttention(2, 4, dropout=0.1),
            L.Concatenate(1), L.Dot((1, 2), True), L.LeakyReLU(0.2), L.PReLU(shared_axes=[1]), L.ReLU(6.0),
            L.Reshape((2, 3)), L.MaxPooling2D(3, 2, "same"), L.GlobalAveragePooling1D(keepdims=True), L.Rescaling(0.1),
            L.ActivityRegularization(0.1, 0.2), L.RandomFlip("vertical"), L.Resizing(2, 3)]


@pytest.mark.parametrize("layer", configured(), ids=lambda layer: type(layer).__name__)
def test_configurations_come_back(layer):
    import json
    config = layer.get_config()
    json.dumps(config)
    again = L.deserialize(L.serialize(layer))
    assert type(again) is type(layer) and again.get_config() == config


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_dropout_drops_whoever_makes_the_update(optimizer):
    """Also where gradients and updates are written out instead of fused."""
    x = np.ones((16, 64), "float32")
    model = keras.Sequential([L.Dropout(0.5, input_shape=(64,)), L.Lambda(lambda t: t * 1.0)])
    model.add(L.Dense(1, use_bias=False, kernel_initializer="ones"))
    model.compile(keras.optimizers.get({"class_name": optimizer, "config": {"learning_rate": 0.0}}), "mse")
    losses = [model.train_on_batch(x, np.full((16, 1), 64.0)) for _ in range(3)]
    assert min(losses) > 5 and len(set(losses)) == 3  # a sum of 64 that are 0 or 2 has variance 64
    assert model.evaluate(x, np.full((16, 1), 64.0), verbose=0) == 0


def test_the_gradient_of_a_dropout_drops_the_same():
    @tf.function
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.dropout(x, 0.5)
            total = tf.reduce_sum(y)
        return y, tape.gradient(total, x)

    y, gradient = both(tf.ones([200]))
    np.testing.assert_array_equal(y, gradient)
    assert 60 < (y.numpy() == 0).sum() < 140
    assert (both(tf.ones([200]))[0].numpy() != y.numpy()).any()


@pytest.mark.parametrize("equation,shape,bias,kernel", [
    ("abc,cd->abd", (None, 6), "d", (5, 6)), ("abc,cde->abde", (None, 2, 3), "de", (5, 2, 3)),
    ("abc,bcd->ad", 6, None, (4, 5, 6))])
def test_einsum_dense(equation, shape, bias, kernel):
    layer = L.experimental.EinsumDense(equation, shape, bias_axes=bias, activation="tanh")
    check(layer, [normal(3, 4, 5)], lambda x, w: torch.tanh(torch.einsum(equation, x[0], w["kernel"]) + w.get("bias", 0)))
    assert tuple(layer.kernel.shape) == kernel
    assert L.experimental.preprocessing.Rescaling is L.Rescaling


@pytest.mark.parametrize("make", [lambda: L.Dense(3), lambda: L.Conv1D(3, 2), lambda: L.Conv1DTranspose(3, 2),
                                  lambda: L.SeparableConv1D(3, 2), lambda: L.LSTM(3), lambda: L.GRU(3, "relu")])
def test_integers_are_computed_in_floating_point(make):
    x = rng(0).integers(0, 9, (2, 5, 4)).astype("int32")
    layer = make()
    y = layer(x)
    assert y.dtype.name == "float32"
    np.testing.assert_allclose(y, layer(x.astype("float32")), rtol=1e-5)
    inputs = keras.Input((5, 4))
    model = keras.Model(inputs, layer(inputs))
    np.testing.assert_allclose(model.predict(x.astype("uint8")), y, rtol=1e-4, atol=1e-5)


def test_the_backend():
    K, x = keras.backend, normal(3, 4)
    for got, want in ((K.mean(x, axis=0), x.mean(0)), (K.sum(x, 1, keepdims=True), x.sum(1, keepdims=True)),
                      (K.max(x), x.max()),
                      (K.square(x), x ** 2), (K.clip(x, -0.5, 0.5), x.clip(-0.5, 0.5)), (K.dot(x, x.T), x @ x.T),
                      (K.concatenate([x, x]), np.concatenate([x, x], -1)), (K.flatten(x), x.ravel()),
                      (K.permute_dimensions(x, [1, 0]), x.T), (K.std(x), x.std()), (K.exp(x), np.exp(x))):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert K.random_normal((3, 2)).shape == (3, 2) and K.ndim(K.constant(x)) == 2
    with pytest.raises(AttributeError, match="docs/tensorflow.md"):
        K.ctc_decode
