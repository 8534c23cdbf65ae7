# SPDX-License-Identifier: MIT
"""Tables in the host's memory: rows, gradients and updates against numpy, in programs of TensorFlow 1, functions of a strategy
and at once."""
import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python import ipu

import on_ipus

ROWS = np.random.default_rng(0).normal(size=(7, 4)).astype("float32")
IDS = np.random.default_rng(1).integers(0, 7, size=(12, 3)).astype("int32")
DENSE = np.random.default_rng(2).normal(size=(4,)).astype("float32")


def table(spec=None, kind=tf.float32, name="table"):
    return ipu.embedding_ops.create_host_embedding(name, [7, 4], kind, optimizer_spec=spec,
                                                   initializer=lambda shape, dtype=None: tf.constant(ROWS, dtype))


def trained(rate, dense_rate, factor=1, replicas=1, batch=2, repeats=6):
    """loss = mean over the batch of (sum over its words of row . dense)^2; table and dense change after each batch."""
    rows, dense, waiting = ROWS.astype(float), DENSE.astype(float), []
    losses, at = [], 0
    for _ in range(repeats):
        dense_gradients = []
        for _ in range(replicas):
            ids = IDS[np.arange(at, at + batch) % len(IDS)]
            at += batch
            out = (rows[ids] @ dense).sum(1)
            losses.append((out ** 2).mean())
            upstream = 2 * out / batch
            dense_gradients.append((rows[ids].sum(1) * upstream[:, None]).sum(0))
            waiting.append((ids, upstream[:, None, None] * dense))
        if len(waiting) == factor * replicas:
            change = np.zeros_like(rows)
            for ids, gradient in waiting:
                np.add.at(change, ids, np.broadcast_to(gradient, (*ids.shape, 4)))
            rows, waiting = rows - rate * change, []
        dense = dense - dense_rate * np.mean(dense_gradients, 0)
    return rows, dense, losses


def run_program(spec, replicas=1, repeats=6, batch=2):
    """The same in a compiled loop of TensorFlow 1."""
    with tf.Graph().as_default():
        on_ipus.strategy(replicas)
        data = tf.data.Dataset.from_tensor_slices(IDS).batch(batch, drop_remainder=True).repeat()
        infeed, outfeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data), ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        words = table(spec)

        def body(ids):
            dense = tf1.get_variable("dense", initializer=DENSE)
            out = tf.reduce_sum(tf.linalg.matvec(words.lookup(ids), dense), 1)
            loss = tf.reduce_mean(out * out)
            optimizer = ipu.optimizers.CrossReplicaOptimizer(tf1.train.GradientDescentOptimizer(0.05))
            return optimizer.minimize(loss), outfeed.enqueue(loss)

        with ipu.scopes.ipu_scope("/device:IPU:0"), tf1.variable_scope("", reuse=tf1.AUTO_REUSE):
            program = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(repeats, body, infeed_queue=infeed))
        with tf1.Session() as session, words.register(session):
            session.run(infeed.initializer)
            session.run(tf1.global_variables_initializer())
            session.run([program, words(repeats)])
            losses = session.run(outfeed.dequeue())
            return session.run(words.embedding_tensor), session.run(tf1.global_variables()[-1]), losses.ravel()


@pytest.mark.parametrize("spec,factor,replicas", [
    (ipu.embedding_ops.HostEmbeddingOptimizerSpec(0.1), 1, 1), (ipu.embedding_ops.HostEmbeddingOptimizerSpec(0.1), 1, 2),
    (ipu.embedding_ops.HostEmbeddingSGDGAOptimizerSpec(0.1, 3), 3, 1),
    (ipu.embedding_ops.HostEmbeddingSGDGAOptimizerSpec(0.1, 2), 2, 2)])
def test_training(spec, factor, replicas):
    found = run_program(spec, replicas)
    for a, b in zip(found, trained(0.1, 0.05, factor, replicas)):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)
    assert np.abs(found[0] - ROWS).max() > 1e-2


def test_a_table_that_is_not_trained():
    found = run_program(None)
    np.testing.assert_array_equal(found[0], ROWS)
    np.testing.assert_allclose(found[2], trained(0, 0.05)[2], rtol=1e-4)


def test_in_a_function_of_the_strategy():
    strategy = on_ipus.strategy()
    with strategy.scope():
        words, dense = table(ipu.embedding_ops.HostEmbeddingOptimizerSpec(0.1)), tf.Variable(DENSE)

        @tf.function
        def step(ids):
            with tf.GradientTape() as tape:
                out = tf.reduce_sum(tf.linalg.matvec(words.lookup(ids), dense), 1)
                loss = tf.reduce_mean(out * out)
            gradient, _ = tape.gradient(loss, [dense, *words.trainable_variables])
            dense.assign_sub(0.05 * gradient)
            return loss
        losses = [strategy.run(step, [tf.constant(IDS[i:i + 2])]).numpy() for i in range(0, 12, 2)]
    for a, b in zip((words.embedding_tensor.numpy(), dense.numpy(), losses), trained(0.1, 0.05)):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-5)


def test_at_once():
    words = table(ipu.embedding_ops.HostEmbeddingOptimizerSpec(0.5))
    with tf.GradientTape() as tape:
        rows = words.lookup(tf.constant([1, 1, 6], tf.int64))
        total = tf.reduce_sum(rows * 3.0)
    np.testing.assert_array_equal(rows, ROWS[[1, 1, 6]])
    tape.gradient(total, words.trainable_variables)
    change = np.zeros_like(ROWS)
    change[1], change[6] = 3, 1.5
    np.testing.assert_allclose(words.embedding_tensor, ROWS - change, rtol=1e-6)


def test_half_and_indices_outside():
    words = table(kind=tf.float16)
    strategy = on_ipus.strategy()
    with strategy.scope():
        found = strategy.run(tf.function(lambda i: words.lookup(i)), [tf.constant([-4, 2, 9])])
        assert found.dtype == tf.float16
        np.testing.assert_array_equal(found, ROWS.astype("float16")[[0, 2, 6]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="has rows 0 to 6; indices from -4 to 9 were looked up"):
            strategy.run(tf.function(lambda i: words.lookup(i, clip_indices=False)), [tf.constant([-4, 2, 9])])
        inside = strategy.run(tf.function(lambda i: words.lookup(i, clip_indices=False)), [tf.constant([0, 6])])
        np.testing.assert_array_equal(inside, ROWS.astype("float16")[[0, 6]])


def test_what_is_refused():
    create = ipu.embedding_ops.create_host_embedding
    with pytest.raises(ValueError, match="it is TOKEN or ENCODING"):
        create("t", [4, 4], tf.float32, partition_strategy="ROWS")
    with pytest.raises(ValueError, match=r"table of \[rows, columns\]; t has shape \(4,\)"):
        create("t", [4], tf.float32, initializer="zeros")
    with pytest.raises(ValueError, match="float32 or float16, not int32"):
        create("t", [4, 4], tf.int32)
    with pytest.raises(TypeError, match="must be a HostEmbeddingOptimizerSpec, not float"):
        create("t", [4, 4], tf.float32, optimizer_spec=0.1)
    with pytest.raises(TypeError, match="whole numbers, not float32"):
        table().lookup(tf.constant([1.0]))
    with pytest.raises(ValueError, match="accumulation_factor must be at least 1; it is 0"):
        ipu.embedding_ops.HostEmbeddingSGDGAOptimizerSpec(0.1, 0)
    with tf.Graph().as_default():
        on_ipus.strategy()
        words = table()
        with ipu.scopes.ipu_scope("/device:IPU:0"):
            found = ipu.ipu_compiler.compile(lambda: words.lookup(tf.constant([1])))
        with tf1.Session() as session:
            with pytest.raises(tf.errors.FailedPreconditionError, match="The host embedding table is not initialized"):
                session.run(found)
            session.run(tf1.global_variables_initializer())
            np.testing.assert_array_equal(session.run(found)[0], ROWS[[1]])
