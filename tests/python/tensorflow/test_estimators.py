# SPDX-License-Identifier: MIT
"""ipu.ipu_estimator: training, evaluation, predictions, checkpoints, hooks and pipelines, against numpy."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")
W = np.array([[1.0], [-2.0], [0.5]], "float32")
Y = X @ W


def config(iterations=4, replicas=1, ipus=None, **kwargs):
    options = ipu.config.IPUConfig()
    options.auto_select_ipus = ipus or replicas
    return ipu.ipu_run_config.RunConfig(
        ipu_run_config=ipu.ipu_run_config.IPURunConfig(iterations, options, num_replicas=replicas), **kwargs)


def batches(repeat=True):
    data = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(4, drop_remainder=True)
    return data.repeat() if repeat else data


def features_alone():
    return tf.data.Dataset.from_tensor_slices({"x": X}).batch(4, drop_remainder=True)


def model_fn(features, labels, mode, params):
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    y = tf.matmul(features["x"], w)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "twice": 2 * y})
    loss = tf.reduce_mean(tf.square(y - labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"mae": tf.metrics.mean_absolute_error(labels, y)})
    optimizer = tf.train.MomentumOptimizer(params["rate"], 0.5)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))


def trained(steps, rate=0.1):
    w, v = np.zeros((3, 1)), np.zeros((3, 1))
    for i in range(steps):
        x, y = X[i * 4 % 32:i * 4 % 32 + 4].astype("float64"), Y[i * 4 % 32:i * 4 % 32 + 4]
        v = 0.5 * v + 2 * x.T @ (x @ w - y) / 4
        w = w - rate * v
    return w


def estimator(tmp_path, **kwargs):
    return ipu.ipu_estimator.IPUEstimator(model_fn, str(tmp_path), config(**kwargs), {"rate": 0.1})


def test_training_goes_on_where_it_stopped(tmp_path):
    one = estimator(tmp_path)
    one.train(batches, steps=8)
    np.testing.assert_allclose(one.get_variable_value("w"), trained(8), rtol=1e-4)
    assert one.latest_checkpoint().endswith("model.ckpt-8") and "w" in one.get_variable_names()
    again = estimator(tmp_path)
    again.train(batches, max_steps=16)
    np.testing.assert_allclose(again.get_variable_value("w"), trained(16), rtol=1e-4)  # with its momentum
    again.train(batches, max_steps=16)
    assert again.latest_checkpoint().endswith("model.ckpt-16")


def test_evaluation(tmp_path):
    one = estimator(tmp_path).train(batches, steps=4)
    found, difference = one.evaluate(lambda: batches(False)), X @ trained(4) - Y
    assert set(found) == {"loss", "mae", "global_step"} and found["global_step"] == 4
    assert found["loss"] == pytest.approx(np.square(difference).mean(), rel=1e-4)
    assert found["mae"] == pytest.approx(np.abs(difference).mean(), rel=1e-4)
    first = one.evaluate(lambda: batches(False), steps=4)
    assert first["loss"] == pytest.approx(np.square(difference[:16]).mean(), rel=1e-4)


def test_predictions(tmp_path):
    one = estimator(tmp_path, iterations=3).train(batches, steps=3)
    wanted = X @ trained(3)
    found = list(one.predict(features_alone))
    np.testing.assert_allclose([p["y"] for p in found], wanted, rtol=1e-4)
    np.testing.assert_allclose([p["twice"] for p in one.predict(features_alone, predict_keys=["twice"])], 2 * wanted, rtol=1e-4)
    whole = list(one.predict(features_alone, yield_single_examples=False))
    assert len(whole) == 8 and whole[0]["y"].shape == (4, 1)
    assert len(list(one.predict(features_alone, num_predictions=5))) == 5


def test_replicas_share_the_batches(tmp_path):
    def with_mean(features, labels, mode, params):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(features["x"], w) - labels))
        optimizer = ipu.optimizers.CrossReplicaOptimizer(tf.train.GradientDescentOptimizer(0.1))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))
    one = ipu.ipu_estimator.IPUEstimator(with_mean, str(tmp_path), config(2, 2))
    one.train(batches, steps=2)
    w = np.zeros((3, 1))
    for i in range(2):
        x, y = X[i * 8:i * 8 + 8], Y[i * 8:i * 8 + 8]
        w = w - 0.1 * 2 * x.T @ (x @ w - y) / 8
    np.testing.assert_allclose(one.get_variable_value("w"), w, rtol=1e-4)


def test_metrics_of_the_host_and_hooks(tmp_path, capfd):
    seen = []

    class Hook(tf.train.SessionRunHook):
        def after_run(self, context, values):
            seen.append(values.results)

        def end(self, session):
            seen.append("end")

    def own(features, labels, mode):
        hook = ipu.ipu_session_run_hooks.IPULoggingTensorHook(every_n_iter=1)
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        y = tf.matmul(features["x"], w)
        loss = tf.reduce_mean(tf.square(y - labels))
        if mode == tf.estimator.ModeKeys.EVAL:
            return ipu.ipu_estimator.IPUEstimatorSpec(
                mode, loss=loss, eval_metrics=(lambda a, b: {"error": tf.metrics.mean_absolute_error(a, b)}, [labels, y]))
        hook.log({"the loss": loss})
        return ipu.ipu_estimator.IPUEstimatorSpec(mode, loss=loss, training_hooks=[hook],
                                                  train_op=tf.train.GradientDescentOptimizer(0.1).minimize(loss))
    one = ipu.ipu_estimator.IPUEstimator(own, str(tmp_path), config(2, log_step_count_steps=None))
    one.train(batches, hooks=[Hook()], steps=4)
    assert seen == [None, None, "end"]
    assert capfd.readouterr().err.count("the loss = ") == 2
    found, w = one.evaluate(lambda: batches(False)), one.get_variable_value("w")
    assert found["error"] == pytest.approx(np.abs(X @ w - Y).mean(), rel=1e-4)


def test_pipelines(tmp_path):
    def stages(mode):
        def first(features, labels=None):
            with tf.variable_scope("a", use_resource=True):
                h = tf.matmul(features, tf.get_variable("w", [3, 3], initializer=tf.ones_initializer()))
            return (h,) if labels is None else (h, labels)

        def second(h, labels=None):
            y = tf.matmul(h, tf.get_variable("u", [3, 1], initializer=tf.ones_initializer()))
            if mode == tf.estimator.ModeKeys.PREDICT:
                return y
            loss = tf.reduce_mean(tf.square(y - labels))
            return loss if mode == tf.estimator.ModeKeys.TRAIN else (loss, y, labels)
        return [first, second]

    def pipelined(mode):
        return ipu.ipu_estimator.IPUPipelineEstimatorSpec(
            mode, stages(mode), gradient_accumulation_count=4,
            eval_metrics_fn=lambda loss, y, labels: {"loss": loss, "mae": tf.metrics.mean_absolute_error(labels, y)},
            optimizer_function=lambda loss: ipu.pipelining_ops.OptimizerFunctionOutput(
                tf.train.GradientDescentOptimizer(0.001), loss))

    def data():
        return tf.data.Dataset.from_tensor_slices((X, Y)).batch(4, drop_remainder=True).repeat()
    one = ipu.ipu_estimator.IPUPipelineEstimator(pipelined, str(tmp_path), config(8, ipus=2))
    one.train(data, steps=8)
    w, u = np.ones((3, 3)), np.ones((3, 1))
    for half in range(2):
        dw, du = 0, 0
        for i in range(4):
            x, y = X[half * 16 + i * 4:half * 16 + i * 4 + 4], Y[half * 16 + i * 4:half * 16 + i * 4 + 4]
            dy = 2 * (x @ w @ u - y) / 4
            dw, du = dw + x.T @ dy @ u.T, du + (x @ w).T @ dy
        w, u = w - 0.001 * dw, u - 0.001 * du
    np.testing.assert_allclose(one.get_variable_value("a/w"), w, rtol=1e-3)
    found = one.evaluate(lambda: data().take(8))
    assert found["mae"] == pytest.approx(np.abs(X @ w @ u - Y).mean(), rel=1e-3)
    assert found["loss"] == pytest.approx(np.square(X @ w @ u - Y).mean(), rel=1e-3)


def test_what_is_wrong_says_so(tmp_path):
    one = estimator(tmp_path)
    with pytest.raises(ValueError, match="Could not find trained model in model_dir"):
        one.evaluate(batches, steps=4)
    with pytest.raises(ValueError, match="must be a multiple of iterations_per_loop"):
        one.train(batches, steps=6)
    with pytest.raises(ValueError, match="Missing train_op"):
        tf.estimator.EstimatorSpec("train", loss=1.0)
    with pytest.raises(ValueError, match="input_fn must return a tf.data.Dataset"):
        one.train(lambda: 3, steps=4)


def test_metrics_count_over_batches():
    with tf.Graph().as_default():
        labels, found = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.int32, [4])
        pairs = {name: getattr(tf.metrics, name)(labels, found) for name in ("accuracy", "precision", "recall")}
        assert not tf.global_variables() and len(tf.local_variables()) == 6
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for a, b in (([0, 1, 1, 0], [0, 1, 0, 1]), ([1, 1, 1, 1], [1, 1, 1, 0])):
                session.run([update for _, update in pairs.values()], {labels: a, found: b})
            values = session.run({name: value for name, (value, _) in pairs.items()})
    assert values == pytest.approx({"accuracy": 5 / 8, "precision": 4 / 5, "recall": 4 / 6})
