# SPDX-License-Identifier: MIT
"""Forms that Keras takes beside the usual ones: shapes of labels, optimisers of TensorFlow 1, losses of symbolic tensors,
default graphs, older arguments and paths."""
import numpy as np
import pytest
import tensorflow as tf
from on_ipus import strategy as configured
from tensorflow import keras

RANDOM = np.random.default_rng(3)
X, Y = RANDOM.normal(size=(16, 3)).astype("f4"), RANDOM.normal(size=(16, 1)).astype("f4")


def line(optimizer="sgd", **more):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.set_weights([np.array([[1.0], [2.0], [3.0]]), np.array([0.5])])
    model.compile(optimizer, "mse", **more)
    return model


def test_labels_of_one_dimension_and_predictions_that_end_in_one():
    given = keras.Input((5, 3))
    model = keras.Model(given, keras.layers.Dense(1)(given))
    x, y = RANDOM.normal(size=(8, 5, 3)).astype("f4"), RANDOM.integers(0, 5, 8)
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    scores = model.predict(x)[:, :, 0]  # the steps are the classes
    expected = (np.log(np.exp(scores).sum(1)) - scores[np.arange(8), y]).mean()
    np.testing.assert_allclose(model.evaluate(x, y, verbose=0), expected, rtol=1e-5)
    model.compile("sgd", "mse", metrics=["mae"])
    y = RANDOM.normal(size=(8, 5)).astype("f4")
    np.testing.assert_allclose(model.evaluate(x, y, verbose=0), [((scores - y) ** 2).mean(), np.abs(scores - y).mean()],
                               rtol=1e-5)
    loss, error = line(metrics=["mae"]).evaluate(X, Y[:, 0], verbose=0)
    wrong = X @ [1, 2, 3] + 0.5 - Y[:, 0]
    np.testing.assert_allclose([loss, error], [(wrong ** 2).mean(), np.abs(wrong).mean()], rtol=1e-5)


@pytest.mark.parametrize("old, new", [
    (lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1), lambda: keras.optimizers.SGD(0.1)),
    (lambda: tf.compat.v1.train.AdamOptimizer(0.1), lambda: keras.optimizers.Adam(0.1, epsilon=1e-8))])
def test_optimizers_of_tensorflow_1_train_models(old, new):
    models = [line(make()) for make in (old, new)]
    for model in models:
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
    np.testing.assert_allclose(models[0].get_weights()[0], models[1].get_weights()[0], rtol=1e-6)
    from tensorflow.python import ipu
    wrapped = ipu.optimizers.GradientAccumulationOptimizerV2(old(), 4)
    with pytest.raises(ValueError, match="set_gradient_accumulation_options"):
        line(wrapped)


def test_a_tensor_between_inputs_and_outputs_may_be_a_loss_or_a_metric():
    given = keras.Input((3,))
    middle = keras.layers.Dense(2, use_bias=False, kernel_initializer="one")(given)
    model = keras.Model(given, keras.layers.Dense(1, kernel_initializer="one")(middle))
    model.add_loss(tf.reduce_mean(middle * middle))
    model.add_metric(tf.reduce_max(middle), name="top")
    model.compile(keras.optimizers.SGD(0.1))
    sums = X.sum(1)
    history = model.fit(X, batch_size=16, verbose=0).history
    np.testing.assert_allclose(history["loss"], [(sums ** 2).mean()], rtol=1e-5)
    np.testing.assert_allclose(history["top"], [sums.max()], rtol=1e-5)
    kernel = 1 - 0.1 * (X * sums[:, None]).mean(0)
    np.testing.assert_allclose(model.get_weights()[0], np.stack([kernel, kernel], 1), rtol=1e-4)
    with pytest.raises(ValueError, match="add_loss in call"):
        keras.layers.Dense(2).add_loss(middle)


def test_models_in_a_default_graph_train():
    plain = line()
    plain.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
    with tf.Graph().as_default():
        given = keras.Input((3,))
        model = keras.Model(given, keras.layers.Dense(1)(given * 1.0 + 0.0))
        model.set_weights([np.array([[1.0], [2.0], [3.0]]), np.array([0.5])])
        model.compile("sgd", "mse")
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
        np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-5)
        np.testing.assert_allclose(model.train_on_batch(X, Y), plain.train_on_batch(X, Y), rtol=1e-5)


def test_a_single_argument_of_a_model_is_not_looked_at():
    class Line(keras.Model):
        def __init__(self):
            super().__init__(self)
            self.dense = keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    assert Line()(X).shape == (16, 2) and Line().name.startswith("line")


def test_steps_may_be_those_of_all_replicas():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2, drop_remainder=True)
    expected = line().evaluate(data, verbose=0)
    with configured(2).scope():
        model = line(steps_per_execution=4)
        model.set_replication_options("MEAN")
        np.testing.assert_allclose(model.evaluate(data, steps=8, verbose=0), expected, rtol=1e-5)
        np.testing.assert_allclose(model.evaluate(data, steps=4, verbose=0), expected, rtol=1e-5)
        assert model.predict(data.map(lambda x, y: x), steps=8).shape == (16, 1)


def test_updates_and_phases():
    class Counts(keras.layers.Layer):
        def build(self, shape):
            self.count = self.add_weight("count", (), initializer="zero", trainable=False)

        def call(self, x):
            self.add_update(self.count.assign_add(1.0))
            return keras.backend.in_train_phase(lambda: x * 2.0, x)

    model = keras.Sequential([Counts(input_shape=(3,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(keras.optimizers.SGD(0.0), "mse", sample_weight_mode="temporal")
    loss = model.fit(X, Y, batch_size=4, verbose=0).history["loss"][0]
    assert model.layers[0].count.numpy() == 4
    np.testing.assert_allclose(loss, ((2 * X.sum(1) - Y[:, 0]) ** 2).mean(), rtol=1e-5)
    np.testing.assert_allclose(model.evaluate(X, Y, verbose=0), ((X.sum(1) - Y[:, 0]) ** 2).mean(), rtol=1e-5)
    assert keras.backend.in_test_phase(1, 2) == 1
    assert keras.backend.in_train_phase(tf.constant(1.0), tf.constant(2.0), tf.constant(True)).numpy() == 1
    with pytest.raises(ValueError, match="sample_weight_mode"):
        line(sample_weight_mode="often")


def test_names_of_outputs_and_older_paths():
    from keras.mixed_precision.policy import Policy
    given = keras.Input((3,), name="given")
    assert keras.layers.Dense(1, name="last")(given).name.startswith("last/") and given.name == "given"
    assert Policy is keras.mixed_precision.Policy


def test_weights_may_go_into_a_new_folder(tmp_path):
    model = line()
    model.save_weights(tmp_path / "new" / "weights")
    other = line()
    other.set_weights([w * 0 for w in model.get_weights()])
    other.load_weights(tmp_path / "new" / "weights")
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    with pytest.raises(OSError, match="there is no folder"):
        model.save_weights(tmp_path / "another" / "weights.h5")


def test_the_newest_weights_of_a_folder_are_found(tmp_path):
    model, other = line(), line()
    for epoch in (1, 2):
        model.set_weights([w * 0 + epoch for w in model.get_weights()])
        model.save_weights(tmp_path / f"{epoch:02d}", save_format="tf")
    newest = tf.train.latest_checkpoint(tmp_path)
    assert newest == str(tmp_path / "02")
    other.load_weights(newest)
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    model.save_weights(tmp_path / "of_h5.h5")  # no checkpoint
    assert tf.train.latest_checkpoint(tmp_path) == newest
    with pytest.raises(ValueError, match="save_format='onnx'"):
        model.save_weights(tmp_path / "x", save_format="onnx")


def test_what_steps_of_the_users_get():
    """Data that are one array are that array, tuples stay tuples."""
    seen = []

    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x[0] if isinstance(x, (list, tuple)) else x)

        def train_step(self, data):
            seen.append(data)
            x = keras.utils.unpack_x_y_sample_weight(data)[0]
            return {"loss": tf.reduce_sum(self(x))}

        def predict_step(self, data):
            seen.append(data)
            return self(data[0] if isinstance(data, tuple) else data)
    rows = np.ones((4, 3), "f4")
    slices = tf.data.Dataset.from_tensor_slices
    for x, y, kinds in ((rows, None, "t"), ([rows, rows], None, "([t, t],)"), (rows, rows, "(t, t)"),
                        (slices(rows).batch(2), None, "t"), (slices((rows,)).batch(2), None, "(t,)"),
                        (slices((rows, rows)).batch(2), None, "(t, t)")):
        model = Own()
        model.compile("sgd")
        seen.clear()
        model.fit(x, y, batch_size=2, verbose=0)
        assert {str(tf.nest.map_structure(lambda t: "t", data)).replace("'", "") for data in seen} == {kinds}
        seen.clear()
        assert y is not None or model.predict(x, batch_size=2).shape == (4, 1)


def test_a_step_of_the_users_trains_and_tells_as_the_guide_shows():
    class Own(keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                predicted = self(x, training=True)
                loss = self.compiled_loss(y, predicted, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.compiled_metrics.update_state(y, predicted)
            return {m.name: m.result() for m in self.metrics}

        def test_step(self, data):
            x, y = data
            predicted = self(x, training=False)
            self.compiled_loss(y, predicted, regularization_losses=self.losses)
            self.compiled_metrics.update_state(y, predicted)
            return {m.name: m.result() for m in self.metrics}

    def made(kind):
        given = keras.Input((3,))
        model = kind(given, keras.layers.Dense(1)(given))
        model.set_weights([np.array([[1.0], [2.0], [3.0]]), np.array([0.5])])
        model.compile("sgd", "mse", metrics=["mae"])
        return model
    own, plain = made(Own), made(keras.Model)
    found, expected = (m.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history for m in (own, plain))
    for name in ("loss", "mae"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5)
    np.testing.assert_allclose(own.evaluate(X, Y, verbose=0), plain.evaluate(X, Y, verbose=0), rtol=1e-5)


def test_functions_and_losses_of_the_backend():
    backend = keras.backend
    given = keras.Input((3,))
    middle = keras.layers.Dense(2, "tanh")(given)
    model = keras.Model(given, keras.layers.Dense(1)(middle))
    kernel, bias = model.layers[1].get_weights()
    found = backend.function([given], [middle])([X])[0]
    np.testing.assert_allclose(found, np.tanh(X @ kernel + bias), rtol=1e-4, atol=1e-5)
    p, y = np.array([0.2, 0.9], "f4"), np.array([1.0, 0.0], "f4")
    np.testing.assert_allclose(backend.binary_crossentropy(y, p), -np.log([0.2, 0.1]), rtol=1e-4)
    np.testing.assert_allclose(backend.binary_crossentropy(y, np.log(p / (1 - p)), from_logits=True), -np.log([0.2, 0.1]),
                               rtol=1e-4)
    rows = np.array([[0.2, 0.8], [0.6, 0.4]], "f4")
    np.testing.assert_allclose(backend.categorical_crossentropy(np.eye(2, dtype="f4"), rows), -np.log([0.2, 0.4]), rtol=1e-4)
    np.testing.assert_allclose(backend.sparse_categorical_crossentropy([0, 1], rows), -np.log([0.2, 0.4]), rtol=1e-4)


def test_a_summary_shows_nested_models_and_states_begin_again(capsys):
    inner = keras.Sequential([keras.layers.Dense(4, input_shape=(3,), name="inside")])
    keras.Sequential([inner, keras.layers.Dense(1, name="outside")]).summary(expand_nested=True)
    lines = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["|", "inside"] in lines and ["outside", "(Dense)"] in lines
    model = keras.Sequential([keras.layers.LSTM(2, stateful=True, batch_input_shape=(4, 5, 3))])
    x = RANDOM.normal(size=(4, 5, 3)).astype("f4")
    first, second = model(x).numpy(), model(x).numpy()
    assert np.abs(first - second).max() > 1e-4
    model.reset_states()
    np.testing.assert_allclose(model(x).numpy(), first, rtol=1e-4, atol=1e-6)


def test_small_functions_of_the_backend():
    backend, a = keras.backend, np.arange(6, dtype="f4").reshape(2, 3)
    t, v = tf.constant(a), tf.Variable([1.0, 2.0])
    for found, expected in [
            (backend.transpose(t), a.T), (backend.repeat(t, 2), np.stack([a, a], 1)), (backend.arange(1, 7, 2), [1, 3, 5]),
            (backend.repeat_elements(t, 2, 1), a.repeat(2, 1)),
            (backend.bias_add(t, tf.constant([1.0, 2.0, 3.0])), a + [1, 2, 3]),
            (backend.batch_dot(t, t), (a * a).sum(1, keepdims=True)),
            (backend.batch_dot(tf.constant(a[:, None]), tf.constant(a[:, :, None])), (a * a).sum(1)[:, None, None]),
            (backend.switch(tf.constant([True, False]), t, -t), a * [[1], [-1]]),
            (backend.switch(tf.constant(False), lambda: t, lambda: t * 2.0), a * 2)]:
        np.testing.assert_allclose(found, expected)
    backend.update_add(v, [1.0, 1.0])
    backend.moving_average_update(v, [0.0, 1.0], 0.5)
    np.testing.assert_allclose(backend.batch_get_value([v])[0], [1, 2])
    backend.batch_set_value([(v, [5, 6])])
    assert backend.eval(v).tolist() == [5, 6] and backend.count_params(t) == 6 and backend.dtype(t) == "float32"
    assert backend.is_keras_tensor(keras.Input((2,))) and not backend.is_keras_tensor(t)
    assert abs(backend.random_bernoulli((1000,), 0.3).numpy().mean() - 0.3) < 0.06
    assert np.abs(backend.truncated_normal((1000,)).numpy()).max() <= 2
    with pytest.raises(RuntimeError, match="GradientTape"):
        backend.gradients(t, [t])
    from keras.engine.data_adapter import unpack_x_y_sample_weight
    assert unpack_x_y_sample_weight((1, 2)) == (1, 2, None) and unpack_x_y_sample_weight(1) == (1, None, None)
    assert keras.losses.get("bce") is keras.losses.binary_crossentropy


def test_models_do_not_run_in_functions_that_are_traced():
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    x, y = np.ones((2, 3), "float32"), np.ones((2, 1), "float32")
    for name, call in (("fit", lambda: model.fit(x, y)), ("evaluate", lambda: model.evaluate(x, y)),
                       ("predict", lambda: model.predict(x))):
        with pytest.raises(RuntimeError, match=f"Detected a call to `Model.{name}` inside a `tf.function`"):
            tf.function(call)()


def test_labels_of_one_dimension_are_a_column():
    """Of as many samples as outputs: each label is that of its own row."""
    x, y = np.zeros((3, 2), "float32"), np.array([1, 2, 4], "float32")
    seen = []

    def loss(labels, predictions):
        seen.append(labels.shape.as_list())
        return keras.losses.mean_squared_error(labels, predictions)
    model = keras.Sequential([keras.layers.Dense(3, bias_initializer=keras.initializers.Constant([0.0, 1.0, 3.0]))])
    for what in ("mse", loss):
        model.compile("sgd", what, metrics=["mae"])
        found = model.evaluate(x, y, batch_size=3, verbose=0)
        errors = np.array([0.0, 1.0, 3.0]) - y[:, None]
        np.testing.assert_allclose(found, [(errors ** 2).mean(), np.abs(errors).mean()], rtol=1e-6)
    assert seen and all(shape == [3, 1] for shape in seen)
    one = keras.Sequential([keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
    one.compile("sgd", "mse")
    np.testing.assert_array_equal(one.predict(y), y[:, None])
    assert one.evaluate(y, y, verbose=0) == 0
