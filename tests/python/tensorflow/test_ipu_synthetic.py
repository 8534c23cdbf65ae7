# SPDX-License-Identifier: MIT
"""Data that TF_POPLAR_FLAGS makes up: each category alone, and what it is filled with."""
import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")


@pytest.fixture
def flagged(monkeypatch):
    def scope(flags):
        monkeypatch.setenv("TF_POPLAR_FLAGS", flags)
        config = ipu.config.IPUConfig()
        config.auto_select_ipus = 1
        config.configure_ipu_system()
        return ipu.ipu_strategy.IPUStrategy().scope()
    yield scope
    ipu.config.reset_ipu_configuration()


def ones(**kwargs):
    model = keras.Sequential([keras.layers.Dense(2, use_bias=False, kernel_initializer="ones", input_shape=(4,), **kwargs)])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


def test_inputs_of_a_number(flagged):
    with flagged("--synthetic_data_categories=infeed --synthetic_data_initializer=3"):
        np.testing.assert_array_equal(ones().predict(X, batch_size=8), np.full((32, 2), 12.0))


@pytest.mark.parametrize("how, low, high", [("uniform", 0, 4), ("normal", -20, 20), ("random", -20, 20)])
def test_inputs_that_are_drawn(flagged, how, low, high):
    with flagged(f"--synthetic_data_categories=infeed --synthetic_data_initializer={how}"):
        found = ones().predict(X, batch_size=32)
    assert low < found.min() and found.max() < high and found.std() > 0.1
    assert not np.allclose(found, X.sum(1, keepdims=True))


def test_inputs_of_nothing_are_zeros(flagged):
    with flagged("--synthetic_data_categories=infeed"):
        np.testing.assert_array_equal(ones().predict(X, batch_size=8), np.zeros((32, 2)))


def test_data_of_other_types(flagged):
    with flagged("--synthetic_data_categories=infeed --synthetic_data_initializer=2"):
        x = keras.Input((3,), dtype="int32")
        model = keras.Model(x, keras.layers.Embedding(5, 2, embeddings_initializer="ones")(x))
        model.layers[1].set_weights([np.arange(10).reshape(5, 2)])
        found = model.predict(np.zeros((4, 3), "int32"), batch_size=4)
        np.testing.assert_array_equal(found, np.broadcast_to([4, 5], (4, 3, 2)))


def test_results_that_stay_on_the_device(flagged):
    with flagged("--synthetic_data_categories=outfeed"):
        model = ones()
        before = model.get_weights()[0]
        history = model.fit(X, X[:, :2], batch_size=8, shuffle=False, verbose=0)
        assert history.history["loss"] == [0.0]
        trained = model.get_weights()[0]
        assert model.predict(X, batch_size=8).shape == (32, 2) and not model.predict(X, batch_size=8).any()
    other = ones()
    other.set_weights([before])
    other.fit(X, X[:, :2], batch_size=8, shuffle=False, verbose=0)
    np.testing.assert_allclose(trained, other.get_weights()[0], rtol=1e-5)


def test_parameters_stay_where_they_are(flagged):
    with flagged("--synthetic_data_categories=parameters --synthetic_data_initializer=2"):
        model = ones()
        np.testing.assert_allclose(model.predict(X, batch_size=8), np.repeat(2 * X.sum(1, keepdims=True), 2, 1), rtol=1e-5)
        model.fit(X, X[:, :2], batch_size=8, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], np.ones((4, 2)))


def test_the_seed_is_not_sent(flagged):
    found = []
    for flags in ("--synthetic_data_categories=seed", "--synthetic_data_categories=hostembedding"):
        for seed in (1, 2):
            with flagged(flags):
                keras.backend.clear_session()  # names are part of what is drawn
                tf.random.set_seed(seed)
                x = keras.Input((64,))
                model = keras.Model(x, keras.layers.Dropout(0.5)(x, training=True))
                found.append(model.predict(np.ones((4, 64), "float32"), batch_size=4))
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[2] != found[3]).any()


def test_rows_of_host_embeddings_are_made_up(flagged):
    def look(flags):
        with flagged(flags):
            strategy = ipu.ipu_strategy.IPUStrategy()
            words = ipu.embedding_ops.create_host_embedding("words", [5, 2], tf.float32, initializer="ones",
                                                            optimizer_spec=ipu.embedding_ops.HostEmbeddingOptimizerSpec(1.0))

            @tf.function
            def step(ids):
                with tf.GradientTape() as tape:
                    rows = words.lookup(ids)
                    total = tf.reduce_sum(rows)
                tape.gradient(total, words.trainable_variables)
                return rows
            return strategy.run(step, [tf.constant([1, 3])]).numpy(), words.embedding_tensor.numpy()
    rows, table = look("--synthetic_data_categories=hostembedding --synthetic_data_initializer=7")
    assert (rows == 7).all() and (table == 1).all()
    rows, table = look("--synthetic_data_categories=seed")
    assert (rows == 1).all() and table[:, 0].tolist() == [1, 0, 1, 0, 1]


def test_everything(flagged):
    with flagged("--use_synthetic_data --synthetic_data_initializer=0.5"):
        model = ones()
        assert model.fit(X, X[:, :2], batch_size=8, verbose=0).history["loss"] == [0.0]
        np.testing.assert_array_equal(model.get_weights()[0], np.ones((4, 2)))


def test_queues_of_tensorflow1_are_not_read(flagged):
    import tensorflow.compat.v1 as tf1
    with flagged("--synthetic_data_categories=infeed --synthetic_data_initializer=4"), tf1.Graph().as_default():
        def refuse(_):
            raise AssertionError("read")
        data = tf1.data.Dataset.from_tensor_slices(X[:8])
        infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data)
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        def program():
            return ipu.loops.repeat(3, lambda x: outfeed.enqueue(x * 2.0), [], infeed)
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            compiled = ipu.ipu_compiler.compile(program)
        out = outfeed.dequeue()
        with tf1.Session() as session:
            session.run(infeed.initializer)
            session.run(compiled)
            np.testing.assert_array_equal(session.run(out), np.full((3, 4), 8.0))
