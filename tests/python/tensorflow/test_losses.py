# SPDX-License-Identifier: MIT
"""Losses one by one against formulas in double precision: functions, classes, gradients, reductions, weights."""
import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from agree import check, normal, rng
from tensorflow import keras

K = keras.losses
E = 1e-7


def probabilities(n=5, classes=4, seed=0):
    e = np.exp(normal(n, classes, seed=seed))
    return (e / e.sum(-1, keepdims=True)).astype("float32")


def smooth(t, amount, binary=False):
    return t * (1 - amount) + (0.5 * amount if binary else amount / t.shape[-1])


def bce(t, p):
    p = p.clip(E, 1 - E)
    return -(t * torch.log(p + E) + (1 - t) * torch.log(1 - p + E)).mean(-1)


def cce(t, p):
    p = (p / p.sum(-1, keepdim=True)).clip(E, 1 - E)
    return -(t * p.log()).sum(-1)


ONE_HOT = np.eye(4, dtype="float32")[[0, 3, 1, 2, 3]]
BITS = rng(7).integers(0, 2, (5, 4)).astype("float32")
ROWS = [
    ("mean_squared_error", {}, lambda t, y: ((y - t) ** 2).mean(-1), normal(5, 4, seed=1), normal(5, 4)),
    ("mean_absolute_error", {}, lambda t, y: (y - t).abs().mean(-1), normal(5, 4, seed=1), normal(5, 4)),
    ("mean_absolute_percentage_error", {}, lambda t, y: 100 * ((y - t).abs() / t.abs().clip(E)).mean(-1),
     normal(5, 4, seed=1) + 3, normal(5, 4)),
    ("mean_squared_logarithmic_error", {}, lambda t, y: ((torch.log(y.clip(E) + 1) - torch.log(t.clip(E) + 1)) ** 2).mean(-1),
     normal(5, 4, seed=1) + 2, normal(5, 4) + 2),
    ("huber", {"delta": 0.7}, lambda t, y: F.huber_loss(y, t, reduction="none", delta=0.7).mean(-1), normal(5, 4, seed=1),
     normal(5, 4)),
    ("log_cosh", {}, lambda t, y: torch.log(torch.cosh(y - t)).mean(-1), normal(5, 4, seed=1), normal(5, 4)),
    ("poisson", {}, lambda t, y: (y - t * torch.log(y + E)).mean(-1), normal(5, 4, seed=1) + 5, normal(5, 4) + 5),
    ("cosine_similarity", {}, lambda t, y: -F.cosine_similarity(t, y, -1), normal(5, 4, seed=1), normal(5, 4)),
    ("cosine_similarity", {"axis": 0}, lambda t, y: -F.cosine_similarity(t, y, 0), normal(5, 4, seed=1), normal(5, 4)),
    ("hinge", {}, lambda t, y: torch.relu(1 - (2 * t - 1) * y).mean(-1), BITS, normal(5, 4)),
    ("hinge", {}, lambda t, y: torch.relu(1 - t * y).mean(-1), BITS * 2 - 1, normal(5, 4)),
    ("squared_hinge", {}, lambda t, y: (torch.relu(1 - (2 * t - 1) * y) ** 2).mean(-1), BITS, normal(5, 4)),
    ("categorical_hinge", {}, lambda t, y: torch.relu(((1 - t) * y).amax(-1) - (t * y).sum(-1) + 1), ONE_HOT, normal(5, 4)),
    ("kl_divergence", {}, lambda t, y: (t.clip(E, 1) * torch.log(t.clip(E, 1) / y.clip(E, 1))).sum(-1),
     probabilities(seed=1), probabilities()),
    ("binary_crossentropy", {}, bce, BITS, probabilities()),
    ("binary_crossentropy", {"label_smoothing": 0.2}, lambda t, y: bce(smooth(t, 0.2, True), y), BITS, probabilities()),
    ("binary_crossentropy", {"from_logits": True}, lambda t, y: F.binary_cross_entropy_with_logits(
        y, t, reduction="none").mean(-1), BITS, normal(5, 4) * 4),
    ("categorical_crossentropy", {}, cce, ONE_HOT, probabilities()),
    ("categorical_crossentropy", {}, cce, ONE_HOT, probabilities() * 3),
    ("categorical_crossentropy", {"label_smoothing": 0.1}, lambda t, y: cce(smooth(t, 0.1), y), ONE_HOT, probabilities()),
    ("categorical_crossentropy", {"from_logits": True}, lambda t, y: -(t * y.log_softmax(-1)).sum(-1), ONE_HOT,
     normal(5, 4) * 4),
]
CLASSES = {"huber": "Huber", "log_cosh": "LogCosh", "kl_divergence": "KLDivergence"}


def class_of(name):
    return getattr(K, CLASSES.get(name) or "".join(p.capitalize() for p in name.split("_")))


@pytest.mark.parametrize("name,arguments,formula,t,y", ROWS, ids=lambda v: v if isinstance(v, str) else "")
def test_functions(name, arguments, formula, t, y):
    function = getattr(K, name)
    check(None, [y], lambda x, w: formula(torch.tensor(t).double(), x[0]),
          call=lambda x: function(t, x, **arguments), atol=1e-5)
    loss = class_of(name)(**arguments)
    each = formula(torch.tensor(t).double(), torch.tensor(y).double()).numpy()
    np.testing.assert_allclose(loss(t, y), each.mean(), rtol=1e-4)
    weights = np.linspace(0, 2, len(each)).astype("float32")
    np.testing.assert_allclose(loss(t, y, weights), (each * weights).mean(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(class_of(name)(**arguments, reduction="sum")(t, y), each.sum(), rtol=1e-4)
    np.testing.assert_allclose(class_of(name)(**arguments, reduction="none")(t, y, weights), each * weights, rtol=1e-4,
                               atol=1e-5)


@pytest.mark.parametrize("shape", [(5,), (5, 1), (2, 3)])
@pytest.mark.parametrize("logits", [False, True])
def test_sparse_crossentropy(shape, logits):
    labels = rng(3).integers(0, 4, shape)
    n = shape if shape[-1] != 1 else shape[:-1]
    y = normal(*n, 4) if logits else probabilities(int(np.prod(n))).reshape(*n, 4)
    t = torch.tensor(labels).reshape(n)

    def reference(x, w):
        logs = x[0].log_softmax(-1) if logits else x[0].clip(E, 1 - E).log().log_softmax(-1)
        return -logs.gather(-1, t[..., None])[..., 0]

    check(None, [y], reference, call=lambda x: K.sparse_categorical_crossentropy(labels, x, from_logits=logits))
    np.testing.assert_allclose(K.SparseCategoricalCrossentropy(from_logits=logits)(labels, y),
                               reference([torch.tensor(y).double()], None).mean(), rtol=1e-4)


def test_losses_of_softmax_and_sigmoid_are_computed_from_what_they_were_made_of():
    """A probability of 0 in single precision still has its gradient."""
    logits = np.array([[100.0, -100.0]], "float32")
    for layer, loss, label in ((keras.layers.Activation("softmax"), K.categorical_crossentropy, [[0.0, 1.0]]),
                               (keras.layers.Activation("sigmoid"), K.binary_crossentropy, [[0.0, 1.0]])):
        x = tf.constant(logits)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(np.array(label, "float32"), layer(x))
        assert float(value[0]) > 90
        assert np.abs(tape.gradient(value, x)).max() > 0.4


def test_names_of_losses_are_found():
    for name in ("mse", "MSE", "mae", "mape", "msle", "kld", "huber", "logcosh", "log_cosh", "poisson", "hinge",
                 "cosine_similarity", "MeanSquaredError", "BinaryCrossentropy", "kullback_leibler_divergence"):
        assert callable(K.get(name)) or isinstance(K.get(name), K.Loss)
    with pytest.raises(ValueError, match="mean_squared_error"):
        K.get("mean_squred_error")
    with pytest.raises(ValueError, match="Reduction"):
        K.MeanSquaredError(reduction="mean")
    with pytest.raises(TypeError, match="MeanSquaredError.*smoothing"):
        K.MeanSquaredError(smoothing=1)


def test_an_own_loss_in_fit():
    class Cubed(K.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3.0, -1)

    x, y = normal(8, 3), normal(8, 2, seed=1)
    for loss in (Cubed(), lambda t, p: tf.reduce_mean(tf.abs(t - p) ** 3.0, -1)):
        model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
        model.compile("sgd", loss)
        expected = (np.abs(model.predict(x) - y) ** 3).mean()
        assert model.evaluate(x, y, verbose=0) == pytest.approx(expected, rel=1e-4)
        assert model.fit(x, y, epochs=3, verbose=0).history["loss"][-1] < expected


def test_configurations():
    loss = K.deserialize(K.serialize(K.CategoricalCrossentropy(label_smoothing=0.1, reduction="sum")))
    assert loss.get_config() == {"reduction": "sum", "name": "categorical_crossentropy", "from_logits": False,
                                 "label_smoothing": 0.1, "axis": -1}
