# SPDX-License-Identifier: MIT
"""Metrics one by one against formulas: over several updates, with weights, and in evaluate() on a device."""
import numpy as np
import pytest
import tensorflow as tf
from agree import normal, rng
from tensorflow import keras

M = keras.metrics


def scores(n=40, seed=0):
    return rng(seed).random((n, 1)).astype("float32")


def bits(n=40, seed=1):
    return rng(seed).integers(0, 2, (n, 1)).astype("float32")


def one_hot(n=40, classes=6, seed=2):
    return np.eye(classes, dtype="float32")[rng(seed).integers(0, classes, n)]


def rows(n=40, classes=6, seed=3):
    e = np.exp(normal(n, classes, seed=seed))
    return (e / e.sum(1, keepdims=True)).astype("float32")


def counts(t, y, limit, w=None):
    w = np.ones(len(t)) if w is None else w
    t, yes = t[:, 0] > 0, y[:, 0] > limit
    return tuple((w * a).sum() for a in (t & yes, ~t & ~yes, ~t & yes, t & ~yes))


def roc(t, y, w=None):
    limits = np.array([-1e-7, *[(i + 1) / 199 for i in range(198)], 1 + 1e-7])
    points = [counts(t, y, limit, w) for limit in limits]
    return np.array([(fp / (fp + tn), tp / (tp + fn)) for tp, tn, fp, fn in points])


def area(t, y, w=None):
    p = roc(t, y, w)
    return np.sum((p[:-1, 0] - p[1:, 0]) * (p[:-1, 1] + p[1:, 1]) / 2)


def weighted(values, w):
    return values.mean() if w is None else (values * w).sum() / w.sum()


def top(t, y, k, w=None):
    return weighted((np.argsort(-y, 1)[:, :k] == t[:, None]).any(1), w)


CASES = {
    "BinaryAccuracy": (M.BinaryAccuracy, bits(), scores(), lambda t, y, w: weighted(((y > 0.5) == t)[:, 0], w)),
    "BinaryAccuracy(0.3)": (lambda: M.BinaryAccuracy(threshold=0.3), bits(), scores(),
                            lambda t, y, w: weighted(((y > 0.3) == t)[:, 0], w)),
    "CategoricalAccuracy": (M.CategoricalAccuracy, one_hot(), rows(),
                            lambda t, y, w: weighted(t.argmax(1) == y.argmax(1), w)),
    "SparseCategoricalAccuracy": (M.SparseCategoricalAccuracy, one_hot().argmax(1), rows(),
                                  lambda t, y, w: weighted(t == y.argmax(1), w)),
    "TopKCategoricalAccuracy": (lambda: M.TopKCategoricalAccuracy(2), one_hot(), rows(),
                                lambda t, y, w: top(t.argmax(1), y, 2, w)),
    "SparseTopKCategoricalAccuracy": (lambda: M.SparseTopKCategoricalAccuracy(3), one_hot().argmax(1), rows(),
                                      lambda t, y, w: top(t, y, 3, w)),
    "Accuracy": (M.Accuracy, one_hot().argmax(1), rows().argmax(1), lambda t, y, w: weighted(t == y, w)),
    "MeanSquaredError": (M.MeanSquaredError, bits(), scores(), lambda t, y, w: weighted(((y - t) ** 2)[:, 0], w)),
    "RootMeanSquaredError": (M.RootMeanSquaredError, bits(), scores(),
                             lambda t, y, w: np.sqrt(weighted(((y - t) ** 2)[:, 0], w))),
    "MeanAbsoluteError": (M.MeanAbsoluteError, bits(), scores(), lambda t, y, w: weighted(abs(y - t)[:, 0], w)),
    "MeanRelativeError": (lambda: M.MeanRelativeError([0.5]), bits(), scores(), lambda t, y,
                          w: weighted(abs(y - t)[:, 0] / 0.5, w)),
    "CosineSimilarity": (M.CosineSimilarity, rows(seed=5), rows(), lambda t, y, w: weighted(
        (t * y).sum(1) / np.linalg.norm(t, axis=1) / np.linalg.norm(y, axis=1), w)),
    "KLDivergence": (M.KLDivergence, rows(seed=5), rows(), lambda t, y, w: weighted((t * np.log(t / y)).sum(1), w)),
    "CategoricalCrossentropy": (M.CategoricalCrossentropy, one_hot(), rows(),
                                lambda t, y, w: weighted(-(t * np.log(y)).sum(1), w)),
    "SparseCategoricalCrossentropy": (M.SparseCategoricalCrossentropy, one_hot().argmax(1), rows(),
                                      lambda t, y, w: weighted(-np.log(y[np.arange(len(t)), t]), w)),
    "BinaryCrossentropy": (M.BinaryCrossentropy, bits(), scores(), lambda t, y, w: weighted(
        -(t * np.log(y + 1e-7) + (1 - t) * np.log(1 - y + 1e-7))[:, 0], w)),
    "TruePositives": (M.TruePositives, bits(), scores(), lambda t, y, w: counts(t, y, 0.5, w)[0]),
    "TrueNegatives": (M.TrueNegatives, bits(), scores(), lambda t, y, w: counts(t, y, 0.5, w)[1]),
    "FalsePositives": (lambda: M.FalsePositives(0.7), bits(), scores(), lambda t, y, w: counts(t, y, 0.7, w)[2]),
    "FalseNegatives": (lambda: M.FalseNegatives([0.2, 0.8]), bits(), scores(),
                       lambda t, y, w: [counts(t, y, 0.2, w)[3], counts(t, y, 0.8, w)[3]]),
    "Precision": (M.Precision, bits(), scores(), lambda t, y, w: (lambda c: c[0] / (c[0] + c[2]))(counts(t, y, 0.5, w))),
    "Recall": (M.Recall, bits(), scores(), lambda t, y, w: (lambda c: c[0] / (c[0] + c[3]))(counts(t, y, 0.5, w))),
    "Precision(top_k)": (lambda: M.Precision(top_k=2), one_hot(), rows(), lambda t, y, w: top(t.argmax(1), y, 2, w) / 2),
    "Recall(class_id)": (lambda: M.Recall(0.2, class_id=1), one_hot(), rows(), lambda t, y, w: (
        lambda c: c[0] / (c[0] + c[3]))(counts(t[:, 1:2], y[:, 1:2], 0.2, w))),
    "AUC": (M.AUC, bits(), scores(), area),
    "SensitivityAtSpecificity": (lambda: M.SensitivityAtSpecificity(0.6, 50), bits(), scores(), lambda t, y, w: max(
        c[0] / (c[0] + c[3]) for c in (counts(t, y, i / 49, w) for i in range(50)) if c[1] / (c[1] + c[2]) >= 0.6)),
    "SpecificityAtSensitivity": (lambda: M.SpecificityAtSensitivity(0.6, 50), bits(), scores(), lambda t, y, w: max(
        c[1] / (c[1] + c[2]) for c in (counts(t, y, i / 49, w) for i in range(50)) if c[0] / (c[0] + c[3]) >= 0.6)),
    "PrecisionAtRecall": (lambda: M.PrecisionAtRecall(0.5, 50), bits(), scores(), lambda t, y, w: max(
        c[0] / (c[0] + c[2]) for c in (counts(t, y, i / 49, w) for i in range(50)) if c[0] / (c[0] + c[3]) >= 0.5)),
}


def iou(t, y, w=None):
    w = np.ones(len(t)) if w is None else w
    out = []
    for c in range(6):
        either = (w * ((t == c) | (y == c))).sum()
        if either:
            out.append((w * ((t == c) & (y == c))).sum() / either)
    return np.mean(out)


CASES["MeanIoU"] = (lambda: M.MeanIoU(6), one_hot().argmax(1), rows().argmax(1), iou)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("with_weights", [False, True])
def test_metrics(name, with_weights):
    make, t, y, formula = CASES[name]
    metric = make()
    w = np.linspace(0.5, 1.5, len(t)).astype("float32") if with_weights else None
    for i in range(0, 40, 10):
        part = slice(i, i + 10)
        metric.update_state(t[part], y[part], **({} if w is None else {"sample_weight": w[part]}))
    np.testing.assert_allclose(metric.result(), formula(t, y, w), rtol=1e-4)
    metric.reset_state()
    metric.update_state(t[:20], y[:20])
    np.testing.assert_allclose(metric.result(), formula(t[:20], y[:20], None), rtol=1e-4)


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n][2].ndim == 2])
def test_metrics_while_a_model_is_evaluated(name):
    """The device adds up; batches, several of them a run, make no difference."""
    make, t, y, formula = CASES[name]
    model = keras.Sequential([keras.layers.Lambda(lambda x: x * 1.0, input_shape=y.shape[1:])])
    model.compile("sgd", "mse" if t.ndim == 2 else "sparse_categorical_crossentropy", metrics=[make()],
                  steps_per_execution=2)
    for _ in range(2):
        np.testing.assert_allclose(model.evaluate(y, t, batch_size=10, verbose=0)[1], formula(t, y, None), rtol=1e-4)


def test_the_area_under_precision_and_recall():
    """Many thresholds: between two there is hardly a sample, so that all ways of summing agree."""
    t, y = bits(400), scores(400)
    limits = np.unique(y)
    points = [counts(t, y, limit) for limit in [-1.0, *limits]]
    recall = np.array([tp / (tp + fn) for tp, _, _, fn in points])
    precision = np.array([tp / (tp + fp) if tp + fp else 1.0 for tp, _, fp, _ in points])
    expected = np.sum((recall[:-1] - recall[1:]) * (precision[:-1] + precision[1:]) / 2)
    metric = M.AUC(4000, curve="PR")
    metric.update_state(t, y)
    assert float(metric.result()) == pytest.approx(expected, abs=5e-3)
    for method in ("minoring", "majoring"):
        other = M.AUC(4000, curve="ROC", summation_method=method)
        other.update_state(t, y)
        assert float(other.result()) == pytest.approx(area(t, y), abs=2e-2)


def test_means():
    mean, total, tensor = M.Mean(), M.Sum(), M.MeanTensor()
    for values, w in (([1.0, 3.0], [1.0, 0.0]), ([5.0, 7.0], [2.0, 1.0])):
        mean.update_state(values, sample_weight=w)
        total.update_state(values)
        tensor.update_state(values)
    assert float(mean.result()) == pytest.approx((1 + 10 + 7) / 4)
    assert float(total.result()) == 16
    np.testing.assert_allclose(tensor.result(), [3, 5])
    assert float(M.Mean()([2.0, 4.0])) == 3


def test_metrics_by_name_and_in_history():
    x, t = normal(32, 3), bits(32)
    model = keras.Sequential([keras.layers.Dense(1, "sigmoid", input_shape=(3,))])
    model.compile("sgd", "binary_crossentropy", metrics=["accuracy", "mse", "AUC", M.Precision(name="p"), M.Recall(), "mae"])
    history = model.fit(x, t, batch_size=8, epochs=2, verbose=0, validation_data=(x, t)).history
    assert list(history)[:7] == ["loss", "accuracy", "mse", "AUC", "p", "recall", "mae"] or "recall" in list(history)[5]
    y = model.predict(x)
    assert history["val_accuracy"][-1] == pytest.approx(((y > 0.5) == t).mean())
    assert history["val_mse"][-1] == pytest.approx(((y - t) ** 2).mean(), rel=1e-4)
    assert history["val_AUC"][-1] == pytest.approx(area(t, y), rel=1e-4)


def test_an_own_metric():
    class Largest(M.Metric):
        def __init__(self, name="largest", **kwargs):
            super().__init__(name=name, **kwargs)
            self.value = self.add_weight("value", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.value.assign(tf.maximum(self.value, tf.reduce_max(y_pred)))

        def result(self):
            return self.value

    y = scores(40)
    model = keras.Sequential([keras.layers.Lambda(lambda x: x * 1.0, input_shape=(1,))])
    model.compile("sgd", "mse", metrics=[Largest(), lambda t, p: tf.reduce_mean(tf.abs(t - p), -1)])
    logs = model.evaluate(y, bits(), batch_size=10, verbose=0, return_dict=True)
    assert logs["largest"] == pytest.approx(y.max())
    assert list(logs.values())[2] == pytest.approx(abs(y - bits()).mean(), rel=1e-5)


def test_wrong_arguments_are_named():
    for make, text in ((lambda: M.AUC(curve="XY"), "curve"), (lambda: M.AUC(1), "num_thresholds"),
                       (lambda: M.Precision(1.5), "Threshold"), (lambda: M.AUC(multi_label=True), "multi_label"),
                       (lambda: M.get("acuracy"), "acuracy"), (lambda: M.BinaryAccuracy(limit=1), "limit")):
        with pytest.raises((ValueError, TypeError, NotImplementedError), match=text):
            make()


def test_metrics_of_one_name_are_told_apart():
    x, y, weights = np.array([[2.0], [-1.0]], np.float32), np.ones((2, 1), np.float32), np.array([1.0, 3.0], np.float32)
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", input_shape=(1,))])
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"])
    found = model.evaluate(x, y, sample_weight=weights, verbose=0, return_dict=True)
    np.testing.assert_allclose([found["mae"], found["weighted_mae"]], [1.5, (1 + 3 * 2) / 4])
    model.compile("sgd", "mse", metrics=[keras.metrics.MeanSquaredError("a"), keras.metrics.MeanAbsoluteError("a")])
    with pytest.raises(ValueError, match="Found two metrics with the same name: a"):
        model.evaluate(x, y, verbose=0)
