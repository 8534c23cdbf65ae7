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


@pytest.mark.parametrize("body,rounds,first,wanted", [
    (lambda a, b: [a + b, a], 4, (1.0, 0.0), (5, 3)), (lambda a, b: [b, a], 3, (1.0, 2.0), (2, 1)),
    (lambda a, b, c: [b, c, a], 4, (1.0, 2.0, 3.0), (2, 3, 1)), (lambda a, b: [b + 1.0, a], 1, (1.0, 2.0), (3, 1))])
@pytest.mark.parametrize("fed", [False, True])
def test_a_loops_variables_take_each_others_places(body, rounds, first, wanted, fed):
    configured()
    places = [tf.placeholder(tf.float32, []) for _ in first]
    with ipu_scope("/device:IPU:0"):
        found = ipu.ipu_compiler.compile(lambda *a: ipu.loops.repeat(rounds, body, list(a) if fed else list(first)),
                                         places if fed else [])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            assert tuple(session.run(found, dict(zip(places, first)) if fed else None)) == wanted


def in_a_session(function, *fed):
    """A compiled function with these numbers for its inputs, run twice."""
    configured()
    places = [tf.placeholder(np.asarray(v).dtype, np.shape(v)) for v in fed]
    with ipu_scope("/device:IPU:0"):
        found = ipu.ipu_compiler.compile(function, places)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second = (session.run(found, dict(zip(places, fed))) for _ in range(2))
    assert np.array_equal(first, second)
    return first


def test_a_loops_body_may_use_what_its_variable_began_with():
    x = np.float32(2)
    assert in_a_session(lambda x: ipu.loops.repeat(3, lambda v: v * x, [x]), x) == [16]
    assert in_a_session(lambda x: ipu.loops.repeat(3, lambda a, b: [a + b, b], [x, x]), x) == [8, 2]


def test_loops_begin_with_computed_values_and_follow_each_other():
    x = np.float32(1)
    assert in_a_session(lambda x: ipu.loops.repeat(3, lambda v: v + 1.0, [x * 2.0]), x) == [5]
    assert in_a_session(lambda x: ipu.loops.repeat(2, lambda v: v * 3.0, ipu.loops.repeat(3, lambda v: v + 1.0, [x])),
                        x) == [36]
    assert in_a_session(lambda x: ipu.loops.repeat(2, lambda a, b: [b, a * 2.0], [x * 2.0, x * 3.0]), x) == [4, 6]


def test_the_number_of_rounds_may_be_fed():
    assert in_a_session(lambda n: ipu.loops.repeat(n, lambda v: v + 1.0, [0.0]), np.int32(3)) == [3]
    assert in_a_session(lambda n: ipu.loops.repeat(n, lambda a, b: [b, a], [1.0, 2.0]), np.int32(3)) == [2, 1]


def test_a_compiled_function_returns_a_variable():
    def counted():
        v = tf.get_variable("v", initializer=1.0)
        with tf.control_dependencies([tf.assign(v, v + 1.0)]):
            return v
    configured()
    with ipu_scope("/device:IPU:0"):
        found = ipu.ipu_compiler.compile(counted)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found) == [2] and session.run(found) == [3]


def test_constant_initializers_say_their_type_and_shape():
    found = tf.get_variable("c", [2, 2], initializer=tf.constant_initializer([1, 2, 3, 4], tf.int32), dtype=tf.int32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(found).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.get_variable("d", [3], initializer=tf.constant_initializer([1, 2], verify_shape=True))


def test_variables_that_a_compiled_function_swaps():
    configured()
    a, b = tf.get_variable("a", initializer=[1.0, 2.0]), tf.get_variable("b", initializer=[3.0, 4.0])

    def swapped():
        before = tf.identity(a)
        return tf.assign(a, b), tf.assign(b, before)
    with ipu_scope("/device:IPU:0"):
        found = ipu.ipu_compiler.compile(swapped)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [v.tolist() for v in session.run(found)] == [[3, 4], [1, 2]]
        assert session.run(a).tolist() == [3, 4] and session.run(b).tolist() == [1, 2]


def test_variables_have_the_type_of_the_value_they_are_given():
    for i, (value, kind) in enumerate([(np.float16(1), tf.float16), (tf.constant(1.0, tf.float16), tf.float16),
                                       (np.int32(3), tf.int32), ([1, 2], tf.int32), (3, tf.int32), (1.5, tf.float32),
                                       (np.ones(2, "float64"), tf.float64)]):
        assert tf.get_variable(f"v{i}", initializer=value).dtype is kind
    assert tf.get_variable("told", initializer=3, dtype=tf.float32).dtype is tf.float32
    with pytest.raises(ValueError, match="do not specify shape"):
        tf.get_variable("both", [2], initializer=[1, 2])


RULES = {"descent": (lambda rate: tf.train.GradientDescentOptimizer(rate), lambda v, g, rate: (g, rate * g)),
         "momentum": (lambda rate: tf.train.MomentumOptimizer(rate, 0.5), lambda v, g,
                      rate: (0.5 * v + g, rate * (0.5 * v + g))),
         "nesterov": (lambda rate: tf.train.MomentumOptimizer(rate, 0.5, use_nesterov=True),
                      lambda v, g, rate: (0.5 * v + g, rate * (g + 0.5 * (0.5 * v + g))))}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_rate_that_is_fed(rule, compiled):
    configured()
    optimizer, expected = RULES[rule]
    rate = tf.placeholder(tf.float32, [])

    def step(rate):
        w = tf.get_variable("w", initializer=[1.0, -2.0], use_resource=True)
        loss = tf.reduce_sum(tf.square(w))
        train = optimizer(rate).minimize(loss)
        with tf.control_dependencies([train]):
            return tf.identity(loss)
    if compiled:
        with ipu_scope("/device:IPU:0"):
            run = ipu.ipu_compiler.compile(step, [rate])
    else:
        w = tf.get_variable("w", initializer=[1.0, -2.0])
        run = optimizer(rate).minimize(tf.reduce_sum(tf.square(w)))
    w, v = np.array([1.0, -2.0]), np.zeros(2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for now in (0.1, 0.2, 0.05):
            session.run(run, {rate: now})
            v, change = expected(v, 2 * w, now)
            w = w - change
        np.testing.assert_allclose(session.run(tf.trainable_variables()[0]), w, rtol=1e-5)


def test_a_rate_that_is_a_variable():
    w, rate = tf.get_variable("w", initializer=[1.0]), tf.get_variable("rate", initializer=0.5, trainable=False)
    train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(w), var_list=[w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        session.run(tf.assign(rate, 0.25))
        session.run(train)
        assert session.run(w).tolist() == [0.25]
