# SPDX-License-Identifier: MIT
"""TensorFlow 1: graphs and sessions on the host, and compiled functions with loops, feeds, shards and pipelines on IPUs."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        tf.set_random_seed(1)
        yield g


def configured(ipus=1):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def test_placeholders_variables_and_feeds():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    y = tf.matmul(x, w) + 1.0
    assert y.shape.as_list() == [None, 2]
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(y, {x: np.ones((1, 3))})
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, {x: np.ones((2, 3))}), np.full((2, 2), 4))
        np.testing.assert_allclose(session.run([y, w], {x: np.zeros((5, 3))})[0], np.ones((5, 2)))
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
            session.run(y)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(y, {x: np.ones((2, 4))})
        np.testing.assert_allclose(session.run(tf.assign_add(w, np.ones((3, 2)))), np.full((3, 2), 2))
        np.testing.assert_allclose(session.run(w), np.full((3, 2), 2))


def test_training_on_the_host():
    x, y = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.int32, [None])
    logits = tf.layers.dense(tf.layers.dense(x, 8, activation=tf.nn.relu), 2)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, train], {x: X, y: Y})[0] for _ in range(20)]
        assert losses[-1] < 0.5 * losses[0]
        assert session.run(step) == 20


def test_iterators():
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(4, dtype="float32")).batch(2, drop_remainder=True)
    iterator = tf.data.make_initializable_iterator(dataset)
    doubled = iterator.get_next() * 2.0
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(doubled)
        session.run(iterator.initializer)
        np.testing.assert_allclose(session.run(doubled), [0, 2])
        np.testing.assert_allclose(session.run(doubled), [4, 6])
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(doubled)


def test_a_compiled_function():
    configured()
    pa, pb, pc = (tf.placeholder(np.float32, [2], name=n) for n in "abc")

    def basic_graph(pa, pb, pc):
        return (pa + pb) + (pa + pc)

    with pytest.raises(RuntimeError, match="ipu_scope"):
        ipu.ipu_compiler.compile(basic_graph, [pa, pb, pc])
    with ipu_scope("/device:IPU:0"):
        result = ipu.ipu_compiler.compile(basic_graph, [pa, pb, pc])
    after = result[0] * 10.0
    with tf.Session() as session:
        feed = {pa: [1.0, 1.0], pb: [0.0, 1.0], pc: [1.0, 5.0]}
        found = session.run(result, feed)
        assert isinstance(found, list)
        np.testing.assert_allclose(found[0], [3, 8])
        np.testing.assert_allclose(session.run(after, feed), [30, 80])


def losses_of_loop(steps, batch, make_optimizer, runs=2, ipus=1):
    """Losses of a training in a loop on the device."""
    configured(ipus)
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch, drop_remainder=True).repeat()
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(dataset)
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def body(total, x, y):
        w = tf.get_variable("w", [6, 2], initializer=tf.constant_initializer(0.1))
        loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x, w) * [1.0, -1.0])
        train = make_optimizer().minimize(loss)
        with tf.control_dependencies([train]):
            return total + loss, outfeed.enqueue(loss)

    def net():
        return ipu.loops.repeat(steps, body, [0.0], infeed)

    with ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(net)
    dequeued = outfeed.dequeue()
    with tf.Session() as session:
        session.run(infeed.initializer)
        session.run(tf.global_variables_initializer())
        out = []
        for _ in range(runs):
            total = session.run(run)
            out.append(session.run(dequeued))
            assert total[0] == pytest.approx(out[-1].reshape(-1, ipus)[:, -1].sum(), rel=1e-5)
        return out, session.run(tf.global_variables()[0])


def by_hand(rate, batch, steps, accumulate=1):
    w, losses, g_sum = np.full((6, 2), 0.1), [], 0
    for i in range(steps):
        rows = slice(i * batch % len(X), i * batch % len(X) + batch)
        x, y = X[rows].astype("float64"), Y[rows]
        logits = x @ w * [1.0, -1.0]
        p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        losses.append(-np.log(p[np.arange(len(y)), y]).mean())
        g_sum = g_sum + x.T @ ((p - np.eye(2)[y]) * [1.0, -1.0]) / len(y)
        if (i + 1) % accumulate == 0:
            w, g_sum = w - rate * g_sum, 0
    return losses, w


def test_steps_that_are_fed():
    configured()
    x, y = tf.placeholder(tf.float32, [8, 6]), tf.placeholder(tf.int32, [8])

    def step(x, y):
        w = tf.get_variable("w", [6, 2], initializer=tf.constant_initializer(0.1))
        loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x, w) * [1.0, -1.0])
        return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    with ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(step, [x, y])
    losses, expected = by_hand(0.1, 8, 8)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(run, {x: X[i:i + 8], y: Y[i:i + 8]})[0] for i in range(0, 64, 8)]
        np.testing.assert_allclose(found, losses, rtol=1e-4)
        np.testing.assert_allclose(session.run(tf.global_variables()[0]), expected, rtol=1e-4, atol=1e-6)


def test_loops_with_infeeds_and_outfeeds():
    (first, second), w = losses_of_loop(4, 8, lambda: tf.train.GradientDescentOptimizer(0.1))
    losses, expected = by_hand(0.1, 8, 8)
    np.testing.assert_allclose(np.concatenate([first, second]), losses, rtol=1e-4)
    np.testing.assert_allclose(w, expected, rtol=1e-4, atol=1e-6)


def test_gradient_accumulation_in_a_loop():
    def make():
        return ipu.optimizers.GradientAccumulationOptimizerV2(tf.train.GradientDescentOptimizer(0.1), 4)
    (first,), w = losses_of_loop(8, 8, make, runs=1)
    losses, expected = by_hand(0.1, 8, 8, accumulate=4)
    np.testing.assert_allclose(first, losses, rtol=1e-4)
    np.testing.assert_allclose(w, expected, rtol=1e-4, atol=1e-6)


def test_replicas_of_a_loop():
    def make():
        return ipu.optimizers.CrossReplicaOptimizer(tf.train.GradientDescentOptimizer(0.1))
    (first,), w = losses_of_loop(4, 4, make, runs=1, ipus=2)
    assert first.shape == (4, 2)
    losses, expected = by_hand(0.1, 8, 4)
    np.testing.assert_allclose(first.mean(1), losses, rtol=1e-4)
    np.testing.assert_allclose(w, expected, rtol=1e-4, atol=1e-6)


def test_what_loops_refuse():
    configured()
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(10)
    with pytest.raises(ValueError, match="is not fully defined.*drop_remainder=True"):
        ipu.ipu_infeed_queue.IPUInfeedQueue(dataset)
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(dataset.take(4).unbatch().batch(2, drop_remainder=True))
    with pytest.raises(ValueError, match="between 1 and 255"):
        ipu.ipu_infeed_queue.IPUInfeedQueue(infeed.dataset, prefetch_depth=256)
    infeed.initializer
    with pytest.raises(ValueError, match="only be accessed once"):
        infeed.initializer
    with ipu_scope("/device:IPU:0"), pytest.raises(TypeError, match="Supplied loop body function cannot be called"):
        ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(2, lambda a: a, [0.0], infeed))


def test_a_while_loop():
    configured()

    def net(x):
        return ipu.loops.while_loop(lambda i, v: i < 5, lambda i, v: (i + 1, v * 2.0), [0, x])
    x = tf.placeholder(tf.float32, [2])
    with ipu_scope("/device:IPU:0"):
        result = ipu.ipu_compiler.compile(net, [x])
    with tf.Session() as session:
        count, value = session.run(result, {x: [1.0, 2.0]})
        assert count == 5
        np.testing.assert_allclose(value, [32, 64])


def test_shards():
    configured(2)

    def net(x):
        with ipu.scopes.ipu_shard(0):
            a = tf.matmul(x, tf.ones([4, 8]))
        with ipu.scopes.ipu_shard(1):
            return tf.reduce_sum(a * 2.0, axis=1)
    x = tf.placeholder(tf.float32, [2, 4])
    with ipu_scope("/device:IPU:0"):
        result = ipu.ipu_compiler.compile(net, [x])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(result, {x: np.ones((2, 4))})[0], [64, 64])


@pytest.mark.parametrize("schedule", list(ipu.pipelining_ops.PipelineSchedule))
def test_pipelines(schedule):
    configured(2)
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True).repeat()
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(dataset)
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    def stage1(x, y):
        w = tf.get_variable("w", [6, 2], initializer=tf.constant_initializer(0.1))
        return tf.matmul(x, w), y

    def stage2(logits, y):
        return tf.losses.sparse_softmax_cross_entropy(y, logits * [1.0, -1.0])

    def optimizer(loss):
        return ipu.pipelining_ops.OptimizerFunctionOutput(tf.train.GradientDescentOptimizer(0.1), loss)

    def net():
        return ipu.pipelining_ops.pipeline([stage1, stage2], gradient_accumulation_count=4, repeat_count=2,
                                           infeed_queue=infeed, outfeed_queue=outfeed, optimizer_function=optimizer,
                                           pipeline_schedule=schedule)

    with ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(net)
    dequeued = outfeed.dequeue()
    with tf.Session() as session:
        session.run(infeed.initializer)
        session.run(tf.global_variables_initializer())
        session.run(run)
        losses, expected = by_hand(0.1, 8, 8, accumulate=4)
        np.testing.assert_allclose(session.run(dequeued), losses, rtol=1e-4)
        np.testing.assert_allclose(session.run(tf.global_variables()[0]), expected, rtol=1e-4, atol=1e-6)
    with ipu_scope("/device:IPU:0"), pytest.raises(ValueError, match="at least two computational stages"):
        ipu.ipu_compiler.compile(lambda: ipu.pipelining_ops.pipeline([stage1], 4, infeed_queue=infeed))


def test_a_scope_that_only_says_reuse():
    with tf.Graph().as_default():
        with tf.variable_scope("outer"):
            first = tf.get_variable("v", [2])
            with tf.variable_scope("", reuse=tf.AUTO_REUSE):
                assert tf.get_variable("v", [2]) is first and tf.get_variable("w", [2]).name == "outer/w:0"
        with tf.variable_scope("", reuse=tf.AUTO_REUSE):
            assert tf.get_variable("u", [1]) is tf.get_variable("u", [1])
        with pytest.raises(TypeError, match="name_or_scope is required"), tf.variable_scope(None):
            pass
