# SPDX-License-Identifier: MIT
"""Initialisers by their distributions; regularisers, constraints and activations against formulas, alone and in fit."""
import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from agree import check, normal
from tensorflow import keras

I, R, C, A = keras.initializers, keras.regularizers, keras.constraints, keras.activations
SHAPE = (3, 3, 64, 96)
IN, OUT = 9 * 64, 9 * 96


def values(initializer, shape=SHAPE):
    return initializer(shape).numpy().astype(np.float64)


@pytest.mark.parametrize("name,scale,n", [("glorot", 1, (IN + OUT) / 2), ("he", 2, IN), ("lecun", 1, IN)])
def test_the_family_of_variance_scaling(name, scale, n):
    tf.random.set_seed(1)
    wanted = np.sqrt(scale / n)
    uniform, cut = values(I.get(f"{name}_uniform")), values(I.get(f"{name}_normal"))
    limit = np.sqrt(3) * wanted
    for x in (uniform, cut):
        assert abs(x.mean()) < 0.02 * wanted and x.std() == pytest.approx(wanted, rel=0.02)
    assert np.abs(uniform).max() <= limit and np.abs(uniform).max() > 0.99 * limit
    assert np.abs(cut).max() <= 2 * wanted / 0.87962566 * 1.0001
    # flat: as much in each quarter; cut off: more in the middle than a flat one
    assert np.histogram(uniform, 4, (-limit, limit))[0].std() < 0.02 * uniform.size
    assert (np.abs(cut) < wanted).mean() == pytest.approx(0.9545 ** -1 * 0.6213, abs=0.02)


@pytest.mark.parametrize("mode,n", [("fan_in", IN), ("fan_out", OUT), ("fan_avg", (IN + OUT) / 2)])
@pytest.mark.parametrize("distribution", ["uniform", "truncated_normal", "untruncated_normal"])
def test_variance_scaling(mode, n, distribution):
    x = values(I.VarianceScaling(3.0, mode, distribution))
    assert x.std() == pytest.approx(np.sqrt(3.0 / n), rel=0.02)
    assert (np.abs(x).max() > 2.5 * x.std()) == (distribution == "untruncated_normal")


def test_plain_ones():
    assert (values(I.Zeros()) == 0).all() and (values(I.Ones()) == 1).all() and (values(I.Constant(3)) == 3).all()
    x = values(I.RandomNormal(1.0, 0.5))
    assert abs(x.mean() - 1) < 0.01 and abs(x.std() - 0.5) < 0.01
    x = values(I.TruncatedNormal(1.0, 0.5))
    assert np.abs(x - 1).max() <= 1.0 and x.std() == pytest.approx(0.5 * 0.8796, rel=0.02)
    x = values(I.RandomUniform(-0.1, 0.3))
    assert x.min() >= -0.1 and x.max() <= 0.3 and x.mean() == pytest.approx(0.1, abs=0.01)
    np.testing.assert_array_equal(values(I.Identity(2.0), (3, 4)), 2 * np.eye(3, 4))


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (2, 3, 4)])
def test_orthogonal(shape):
    x = values(I.Orthogonal(2.0), shape).reshape(-1, shape[-1])
    product = x @ x.T if x.shape[0] < x.shape[1] else x.T @ x
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


def test_seeds():
    for kind in (I.GlorotUniform, I.HeNormal, I.RandomNormal, I.TruncatedNormal, I.Orthogonal):
        a, b, c = (values(kind(seed=s), (6, 7)) for s in (3, 3, 4))
        np.testing.assert_array_equal(a, b)
        assert (a != c).any()
    tf.random.set_seed(5)
    first = values(I.GlorotUniform(), (6, 7))
    assert (first != values(I.GlorotUniform(), (6, 7))).any()
    tf.random.set_seed(5)
    np.testing.assert_array_equal(first, values(I.GlorotUniform(), (6, 7)))


def test_wrong_arguments():
    for make, text in ((lambda: I.VarianceScaling(-1.0), "scale"), (lambda: I.VarianceScaling(mode="fan"), "mode"),
                       (lambda: I.get("glorot"), "glorot"), (lambda: I.Identity()((2, 3, 4)), "2D"),
                       (lambda: I.Orthogonal()((4,)), "two-dim"), (lambda: A.get("rellu"), "relu")):
        with pytest.raises(ValueError, match=text):
            make()


@pytest.mark.parametrize("given,l1,l2",
                         [(R.L1(0.1), 0.1, 0), (R.l2(0.2), 0, 0.2), (R.L1L2(0.1, 0.2), 0.1, 0.2), ("l1", 0.01, 0),
                                         ("l2", 0, 0.01), ("l1_l2", 0.01, 0.01), (R.l1_l2(), 0.01, 0.01)])
def test_regularizers(given, l1, l2):
    w = normal(4, 5)
    regularizer = R.get(given)
    check(None, [w], lambda x, _: l1 * x[0].abs().sum() + l2 * x[0].square().sum(), call=lambda x: regularizer(x))
    x, y = normal(8, 4), normal(8, 2, seed=1)
    layer = keras.layers.Dense(2, kernel_regularizer=given, bias_regularizer=R.L2(0.5), bias_initializer="ones",
                               input_shape=(4,))
    model = keras.Sequential([layer])
    model.compile("sgd", "mse")
    kernel, bias = model.get_weights()
    expected = ((x @ kernel + bias - y) ** 2).mean() + l1 * np.abs(kernel).sum() + l2 * (kernel ** 2).sum() + 0.5 * 2
    assert model.evaluate(x, y, verbose=0) == pytest.approx(expected, rel=1e-4)
    assert R.deserialize(R.serialize(regularizer)).get_config() == regularizer.get_config()


def lengths(w, axis):
    return np.sqrt((w ** 2).sum(axis, keepdims=True))


@pytest.mark.parametrize("constraint,formula", [
    (C.NonNeg(), lambda w: np.maximum(w, 0)), (C.MaxNorm(0.7), lambda w: w * np.clip(lengths(w, 0), 0, 0.7) / lengths(w, 0)),
    (C.MaxNorm(0.7, 1), lambda w: w * np.clip(lengths(w, 1), 0, 0.7) / lengths(w, 1)),
    (C.UnitNorm(), lambda w: w / lengths(w, 0)), (C.MinMaxNorm(0.5, 0.6, 0.5), lambda w: w * (
        0.5 * np.clip(lengths(w, 0), 0.5, 0.6) + 0.5 * lengths(w, 0)) / lengths(w, 0))], ids=lambda c: type(c).__name__)
def test_constraints(constraint, formula):
    w = normal(4, 3)
    np.testing.assert_allclose(constraint(tf.constant(w)), formula(w), rtol=1e-5, atol=1e-6)
    assert type(C.deserialize(C.serialize(constraint))) is type(constraint)
    model = keras.Sequential([keras.layers.Dense(3, use_bias=False, kernel_constraint=constraint, input_shape=(4,))])
    x, y = normal(8, 4), normal(8, 3, seed=1)
    before = model.get_weights()[0]
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, y, batch_size=8, verbose=0, shuffle=False)
    stepped = before - 0.1 * 2 * x.T @ (x @ before - y) / 24
    np.testing.assert_allclose(model.get_weights()[0], formula(stepped), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name,function", [
    ("relu", torch.relu), ("elu", F.elu), ("selu", F.selu), ("softplus", F.softplus), ("softsign", F.softsign),
    ("swish", F.silu), ("silu", F.silu), ("gelu", F.gelu), ("tanh", torch.tanh), ("sigmoid", torch.sigmoid),
    ("exponential", torch.exp), ("linear", lambda x: x), ("hard_sigmoid", lambda x: torch.clip(0.2 * x + 0.5, 0, 1)),
    ("softmax", lambda x: x.softmax(-1))])
def test_activations(name, function):
    activation = A.get(name)
    check(None, [normal(3, 4, 5) * 2], lambda x, _: function(x[0]), call=lambda x: activation(x))
    assert A.deserialize(A.serialize(activation)) is activation


def test_activations_with_arguments():
    x = [normal(3, 4)]
    check(None, x, lambda t, _: F.elu(t[0], 0.5), call=lambda t: A.elu(t, 0.5))
    check(None, x, lambda t, _: F.gelu(t[0], approximate="tanh"), call=lambda t: A.gelu(t, True))
    check(None, x, lambda t, _: t[0].softmax(0), call=lambda t: A.softmax(t, 0))
    check(None, x, lambda t, _: torch.where(t[0] >= 0.3, t[0].clip(max=0.9), 0.1 * (t[0] - 0.3)),
          call=lambda t: A.relu(t, 0.1, 0.9, 0.3))
