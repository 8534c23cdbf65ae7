# SPDX-License-Identifier: MIT
"""Arguments that are rarely given: each acts, against numpy, or is refused."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow import keras
from tensorflow.python import ipu

import on_ipus

R = np.random.default_rng(0)
A = R.normal(size=(3, 4)).astype("float32")


def test_axes():
    np.testing.assert_allclose(tf.linspace([0.0, 1.0], [1.0, 5.0], 3, axis=1), np.linspace([0, 1], [1, 5], 3, axis=1))
    labels = np.eye(3, 4, dtype="float32")
    wanted = -(labels * (A - np.log(np.exp(A).sum(0)))).sum(0)
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(labels, A, axis=0), wanted, rtol=1e-5)


def test_rows_with_a_largest_norm():
    rows = A[[2, 0]]
    wanted = rows / np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True) / 0.5)
    np.testing.assert_allclose(tf.nn.embedding_lookup(A, [2, 0], max_norm=0.5), wanted, rtol=1e-5)


def test_types_of_map_fn():
    np.testing.assert_allclose(tf.map_fn(lambda x: x * 2.0, tf.constant(A), fn_output_signature=tf.float32), 2 * A)
    with pytest.raises(TypeError, match="gives float32, but int32 was declared"):
        tf.map_fn(lambda x: x * 2.0, tf.constant(A), dtype=tf.int32)


def test_a_seed_of_dropout_at_once():
    tf.random.set_seed(1)
    first, second = (tf.nn.dropout(tf.ones(64), 0.5, seed=s).numpy() for s in (3, 3))
    other = tf.nn.dropout(tf.ones(64), 0.5, seed=4).numpy()
    assert (first == second).all() and (first != other).any()


WEIGHTS = np.array([1, 0, 2], "float32")


@pytest.mark.parametrize("reduction,divisor", [("SUM", 1), ("SUM_OVER_BATCH_SIZE", 12), ("SUM_BY_NONZERO_WEIGHTS", 8),
                                               ("MEAN", 12.0)])
def test_weighted_losses_of_tensorflow_1(reduction, divisor):
    """Each sample's weight counts for all four of its values."""
    wanted = (WEIGHTS[:, None] * A ** 2).sum() / divisor
    with tf.Graph().as_default():
        loss = tf1.losses.mean_squared_error(np.zeros_like(A), tf.constant(A), WEIGHTS[:, None],
                                             reduction=getattr(tf1.losses.Reduction, reduction), loss_collection="mine")
        assert tf1.losses.get_losses() == [] and len(tf1.losses.get_losses(loss_collection="mine")) == 1
        with tf1.Session() as session:
            np.testing.assert_allclose(session.run(loss), wanted, rtol=1e-5)


def test_smoothed_labels_of_sigmoids():
    labels = (A > 0).astype("float32")
    smooth = labels * 0.8 + 0.1
    wanted = (np.maximum(A, 0) - A * smooth + np.log1p(np.exp(-np.abs(A)))).mean()
    with tf.Graph().as_default(), tf1.Session() as session:
        loss = tf1.losses.sigmoid_cross_entropy(labels, tf.constant(A), label_smoothing=0.2)
        np.testing.assert_allclose(session.run(loss), wanted, rtol=1e-5)


def test_regularised_and_collected_variables():
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf1.variable_scope("s", regularizer=keras.regularizers.L2(0.5)):
            v = tf1.get_variable("v", initializer=A, collections=["mine"])
        session.run(tf1.global_variables_initializer())
        found = session.run(tf1.get_collection("regularization_losses"))
        np.testing.assert_allclose(found, [0.5 * (A ** 2).sum()], rtol=1e-5)
        assert tf1.get_collection("mine") == [v]
        with pytest.raises(NotImplementedError, match="partitioner"):
            tf1.get_variable("w", [2], partitioner=lambda *_: None)


@pytest.mark.parametrize("cycle,block,wanted", [
    # of TensorFlow's documents
    (2, 4, [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 6),
    (1, 1, [n for n in range(1, 6) for _ in range(6)]), (5, 1, [1, 2, 3, 4, 5] * 6)])
def test_data_sets_that_take_turns(cycle, block, wanted):
    data = tf.data.Dataset.range(1, 6).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(6), cycle, block)
    assert [int(x) for x in data] == wanted


def test_class_weights_of_one_batch():
    x, y = R.normal(size=(6, 4)).astype("float32"), np.array([0, 1, 1, 0, 1, 0])

    def loss(**own):
        tf.random.set_seed(1)
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), kernel_initializer="ones")])
        model.compile("sgd", "mse")
        return model.train_on_batch(x, y.astype("float32"), **own)
    weights = np.where(y == 1, 5.0, 0.5).astype("float32")
    np.testing.assert_allclose(loss(class_weight={0: 0.5, 1: 5.0}), loss(sample_weight=weights), rtol=1e-6)
    assert abs(loss() - loss(sample_weight=weights)) > 1e-3


def test_a_given_gradient_of_the_loss():
    def after(factor):
        w = tf.Variable([2.0, 3.0])
        keras.optimizers.SGD(0.1).minimize(lambda: tf.reduce_sum(w * w), [w], grad_loss=tf.constant(factor))
        return w.numpy()
    np.testing.assert_allclose(after(3.0), [2 - 0.1 * 4 * 3, 3 - 0.1 * 6 * 3], rtol=1e-6)


def test_a_threshold_of_checkpoints(tmp_path):
    saved = []
    for threshold in (1e-9, None):
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
        model.compile("sgd", "mse")
        path = str(tmp_path / f"best{threshold}.h5")
        model.fit(A, np.ones((3, 1), "float32"), verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(
            path, "loss", save_best_only=True, save_weights_only=True, initial_value_threshold=threshold)])
        saved.append((tmp_path / f"best{threshold}.h5").exists())
    assert saved == [False, True]


def test_a_lambda_with_a_mask():
    x = keras.Input((3,))
    masked = keras.layers.Embedding(5, 2, mask_zero=True)(x)
    seen = keras.layers.Lambda(lambda t, mask: t * tf.cast(mask, tf.float32)[..., None], mask=lambda t, m: m)(masked)
    model = keras.Model(x, seen)
    found = model.predict(np.array([[1, 0, 2]]))
    assert (found[0, 1] == 0).all() and (found[0, 0] != 0).any()


@pytest.mark.parametrize("center,scale", [(False, True), (True, False), (False, False)])
def test_norms_without_a_parameter(center, scale):
    x = R.normal(size=(2, 3, 4)).astype("float32")
    with tf.Graph().as_default():
        on_ipus.strategy()
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            out = ipu.ipu_compiler.compile(lambda v: ipu.normalization_ops.layer_norm(v, center=center, scale=scale),
                                           [tf.constant(x)])
        assert [v.name.split("/")[-1] for v in tf1.trainable_variables()] == ["beta:0"] * center + ["gamma:0"] * scale
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            flat = x.reshape(2, -1)
            wanted = (flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True)
            np.testing.assert_allclose(session.run(out)[0].reshape(2, -1), wanted, rtol=1e-3, atol=1e-4)


def test_configurations_are_taken_over():
    a, b = ipu.config.IPUConfig(), ipu.config.IPUConfig()
    a.auto_select_ipus, a.selection_order = [2, 2], ipu.config.SelectionOrder.HOOF
    b.from_json(a.to_json())
    assert b.to_dict() == a.to_dict() == ipu.config.IPUConfig.from_dict(a.to_dict()).to_dict()


def test_replicas_exchange_rows():
    """Four replicas: what each has is its number and a column of rows."""
    strategy = on_ipus.strategy(4)
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    data = np.arange(32, dtype="float32").reshape(4, 4, 2)  # replica, row, column
    with strategy.scope():
        batches = iter(tf.data.Dataset.from_tensor_slices(data))

        @tf.function
        def run(batches):
            x = next(batches)
            queue.enqueue((ipu.replication_ops.replication_index(), ipu.all_to_all_op.all_to_all(x, 0, 1, 4),
                           ipu.all_to_all_op.all_gather(x, 4)))
        strategy.run(run, [batches])
    index, rows, everything = (t.numpy()[0] for t in queue.dequeue())
    np.testing.assert_array_equal(index, [0, 1, 2, 3])
    np.testing.assert_array_equal(rows, data.transpose(1, 0, 2).reshape(4, 1, 8))
    np.testing.assert_array_equal(everything, np.broadcast_to(data, (4, 4, 4, 2)))


def test_the_gradient_of_an_exchange():
    """The sum over replicas r of r * what it got: every row's gradient is the number of the replica that gets it."""
    strategy = on_ipus.strategy(2)
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    with strategy.scope():
        @tf.function
        def run(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                got = ipu.all_to_all_op.all_to_all(x, 0, 0, 2)
                loss = tf.reduce_sum(got) * tf.cast(ipu.replication_ops.replication_index() + 1, tf.float32)
            queue.enqueue(tape.gradient(loss, x))
        strategy.run(run, [tf.ones((2, 3))])
    np.testing.assert_array_equal(queue.dequeue().numpy()[0], np.broadcast_to([[[1], [2]]], (2, 2, 3)))


@pytest.mark.parametrize("call,kind,message", [
    (lambda: ipu.utils.get_num_of_ipus_in_device("/cpu:0"), ValueError, "'/cpu:0' is not an IPU device"),
    (lambda: ipu.utils.reset_ipu_seed("x"), TypeError, "seed must be a whole number, not 'x'"),
    (lambda: ipu.utils.reset_ipu_seed(1, experimental_identical_replicas=True), NotImplementedError, "numbers of their own"),
    (lambda: ipu.utils.use_synthetic_data_for("inputs"), ValueError, "not a category of synthetic data: infeed, outfeed"),
    (lambda: ipu.ipu_infeed_queue.IPUInfeedQueue([1]), TypeError, "takes a tf.data.Dataset, not list"),
    (lambda: ipu.ipu_strategy.IPUStrategy(enable_keras_extensions=False), NotImplementedError, "enable_keras_extensions=False"),
    (lambda: ipu.rand_ops.dropout(tf.ones(3), partial=1), TypeError, "unexpected keyword argument 'partial'"),
    (lambda: ipu.rand_ops.dropout(tf.ones(3), 1.5), ValueError, "from 0 to below 1, not 1.5"),
    (lambda: ipu.pipelining_ops.OptimizerFunctionOutput(None, None, apply_gradients_kwargs={"name": "x"}), NotImplementedError,
     "apply_gradients_kwargs"),
    (lambda: ipu.all_to_all_op.all_to_all(tf.ones((3, 2)), 0, 0, 2), ValueError, "cannot be split into 2 parts"),
    (lambda: ipu.all_to_all_op.all_to_all(tf.ones((4, 2)), 2, 0, 2), ValueError, "no dimension 2"),
    (lambda: ipu.all_to_all_op.all_gather(tf.ones(2), 0), ValueError, "must be a positive number, not 0"),
    (lambda: keras.models.clone_model(keras.Sequential(), clone_function=lambda x: x), NotImplementedError, "clone_function"),
    (lambda: keras.layers.InputLayer((2,), sparse=True), NotImplementedError, "sparse"),
    (lambda: keras.layers.InputLayer((2,), rows=1), ValueError, "Unrecognized keyword arguments: rows"),
    (lambda: keras.metrics.Metric(rows=1), TypeError, "Keyword argument not understood: rows"),
    (lambda: tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(2), -1), ValueError, "must be positive")])
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_categories_of_synthetic_data():
    assert not any(map(ipu.utils.use_synthetic_data_for, ipu.utils.SyntheticDataCategory))


def test_types_of_layers_are_whatever_names_a_type():
    for kind in (np.float32, "float32", tf.float32, np.dtype("float32")):
        assert keras.Input((3,), dtype=kind).dtype is tf.float32
        assert keras.layers.Dense(2, dtype=kind).dtype == "float32"


def test_inputs_may_have_a_last_dimension_of_one_more_or_less():
    for shape in ((4, 4), (4, 4, 1)):
        i = keras.Input(shape)
        model = keras.Model(i, keras.layers.Flatten()(i))
        for given in ((2, 4, 4), (2, 4, 4, 1)):
            assert model.predict(np.ones(given, "float32")).shape == (2, 16)
