# SPDX-License-Identifier: MIT
"""tf.function with Python's control flow, and functions that a strategy runs on an IPU."""
import ast
import textwrap

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.ops import autograph
from tensorflow.python import ipu

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")


@pytest.fixture
def strategy():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()


def test_loops_and_conditions_on_tensors():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            if tf.reduce_sum(x) > 10.0:
                x = x - 1.0
            else:
                x = x * 2.0
        return x

    def expected(x, n):
        for _ in range(n):
            x = x - 1 if x.sum() > 10 else x * 2
        return x

    for start in ([1.0, 2.0], [5.0, 6.0]):
        np.testing.assert_allclose(f(tf.constant(start), 5), expected(np.array(start), 5))


def test_statements_are_rewritten_as_the_examples_say():
    examples = [e for e in autograph.__doc__.split("\n\n") if "\nbecomes\n" in e]
    assert len(examples) == 4
    for example in examples:
        before, after = (textwrap.dedent(part) for part in example.split("\nbecomes\n"))
        made = autograph._Rewriter().block(ast.parse(f"def f():\n{textwrap.indent(before, ' ')}").body[0].body)
        text = ast.unparse(ast.fix_missing_locations(ast.Module(made, [])))
        expected = ast.parse(f"def f():\n{textwrap.indent(after, ' ')}").body[0].body
        assert text.replace(autograph._CALLS, "calls") == ast.unparse(ast.Module(expected, [])), before


def test_while_with_variables_and_two_returns():
    rounds = tf.Variable(0.0)

    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
            rounds.assign_add(1.0)
        if tf.reduce_sum(x) > 150.0:
            return x
        return -x

    np.testing.assert_allclose(f(tf.constant([1.0, 2.0])), [64, 128])
    assert rounds.numpy() == 6
    np.testing.assert_allclose(f(tf.constant([1.0, 1.0])), [-64, -64])


def test_python_loops_stay_pythons():
    @tf.function
    def f(x):
        parts = []
        for i in range(3):
            if i == 1:
                continue
            parts.append(x * float(i))
        return parts

    assert [p.numpy().tolist() for p in f(tf.constant([1.0, 2.0]))] == [[0, 0], [2, 4]]


def test_a_strategy_runs_functions(strategy):
    with strategy.scope():
        v = tf.Variable(tf.ones([3]))

        @tf.function
        def step(x):
            v.assign_sub(x)
            return tf.reduce_sum(v)

        assert strategy.run(step, args=(tf.constant([1.0, 0.0, 0.0]),)).numpy() == 2
        assert strategy.run(step, args=(tf.constant([0.0, 1.0, 0.0]),)).numpy() == 1
        np.testing.assert_allclose(v, [0, 0, 1])
        with pytest.raises(ValueError, match="does not support eager execution"):
            strategy.run(lambda x: x, args=(1.0,))
        with pytest.raises(TypeError, match="Unsupported data type"):
            strategy.run(step, args=(tf.constant([1.0, 0.0, 0.0], tf.float64),))


def made():
    tf.random.set_seed(2)
    return keras.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(6,)), keras.layers.Dense(2)])


def test_a_training_loop_on_the_device(strategy):
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, drop_remainder=True).repeat()
    peer = made()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    peer.compile(keras.optimizers.SGD(0.1), loss_of)
    expected = [peer.train_on_batch(x.numpy(), y.numpy()) for x, y in dataset.take(12)]
    with strategy.scope():
        model, optimizer = made(), keras.optimizers.SGD(0.1)
        outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

        @tf.function(jit_compile=True)
        def training(iterator, steps):
            total = 0.0
            for _ in tf.range(steps):
                x, y = next(iterator)
                with tf.GradientTape() as tape:
                    loss = loss_of(y, model(x, training=True))
                gradients = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(gradients, model.trainable_variables))
                outfeed.enqueue(loss)
                total += loss
            return total

        iterator = iter(dataset)
        totals = [strategy.run(training, args=(iterator, 6)).numpy() for _ in range(2)]
        losses = outfeed.dequeue().numpy()
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    np.testing.assert_allclose(totals, [losses[:6].sum(), losses[6:].sum()], rtol=1e-5)
    for a, b in zip(model.get_weights(), peer.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    assert optimizer.iterations.numpy() == 12


def test_an_overridden_train_step(strategy):
    class Mine(keras.Sequential):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compiled_loss(y, self(x, training=True))
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return {"mine": loss * 2.0}

    tf.random.set_seed(2)
    with strategy.scope():
        model = Mine([keras.layers.Dense(8, activation="relu", input_shape=(6,)), keras.layers.Dense(2)])
        model.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(X, Y, batch_size=8, epochs=3, verbose=0).history
    assert set(history) == {"mine"} and history["mine"][-1] < history["mine"][0]


def test_variables_take_each_others_values():
    a, b, c = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0]), tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def swap():
        before, turned = tf.identity(a), tf.transpose(c)
        a.assign(b)
        b.assign(before)
        c.assign(turned)
        return before

    for _ in range(3):
        before = a.numpy().tolist()
        assert swap().numpy().tolist() == before
    assert a.numpy().tolist() == [3, 4] and b.numpy().tolist() == [1, 2] and c.numpy().tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("on_ipu", [False, True])
def test_arrays_that_loops_write(strategy, on_ipu):
    """Elements are written and read at places that the loop computes; gradients go through."""
    x = np.arange(8, dtype="float32").reshape(4, 2)

    @tf.function
    def run(x):
        given, sums = tf.TensorArray(tf.float32, 4).unstack(x), tf.TensorArray(tf.float32, 4)
        with tf.GradientTape() as tape:
            tape.watch(x)
            products = tf.TensorArray(tf.float32, 4)
            for i in tf.range(4):
                products = products.write(3 - i, x * x)
            loss = tf.reduce_sum(products.stack())
        _, total, sums = tf.while_loop(lambda i, *_: i < 4, lambda i, t, s: (i + 1, t + given.read(i), s.write(i, t)),
                                       (tf.constant(0), tf.zeros([2]), sums))
        return total, sums.stack(), products.read(0), tape.gradient(loss, x), sums.size()
    with strategy.scope():
        total, sums, first, gradient, size = strategy.run(run, [tf.constant(x)]) if on_ipu else run(tf.constant(x))
    np.testing.assert_array_equal(total, x.sum(0))
    np.testing.assert_array_equal(sums, np.cumsum(x, 0) - x)
    np.testing.assert_array_equal(first, x * x)
    np.testing.assert_array_equal(gradient, 8 * x)
    assert int(size) == 4


def test_arrays_of_no_size_cannot_be_written_in_loops():
    @tf.function
    def run(n):
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(4):
            array = array.write(i, 1.0)
        return array.stack()
    with pytest.raises(ValueError, match="needs its size"):
        run(tf.constant(4))


@pytest.mark.parametrize("on_ipu", [False, True])
def test_loops_over_ranges_that_are_computed(strategy, on_ipu):
    @tf.function
    def f(n, start, step):
        total, last = tf.constant(0.0), start
        for i in tf.range(n):
            total = total * 2 + tf.cast(i, tf.float32)
        for i in tf.range(start, n, step):
            last = i
        return total, last
    for n, start, step in ((5, 0, 1), (0, 3, 1), (4, 9, -2), (10, 3, 4)):
        given = [tf.constant(v) for v in (n, start, step)]
        with strategy.scope():
            total, last = strategy.run(f, given) if on_ipu else f(*given)
        wanted = 0
        for i in range(n):
            wanted = wanted * 2 + i
        assert float(total) == wanted and int(last) == [start, *range(start, n, step)][-1]


def test_a_loop_over_a_computed_range_reads_a_data_set(strategy):
    data = iter(tf.data.Dataset.range(20).map(lambda i: tf.cast(i, tf.float32)))
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def f(iterator, n):
        for _ in tf.range(n):
            queue.enqueue(next(iterator) * 2)
    with strategy.scope():
        for n, wanted in ((3, [0, 2, 4]), (2, [6, 8])):
            strategy.run(f, [data, tf.constant(n)])
            np.testing.assert_array_equal(queue.dequeue(), wanted)


def test_other_uses_of_such_a_range_are_refused():
    for use in (lambda r: r + 1, lambda r: tf.reduce_sum(r), lambda r: list(r), lambda r: r.shape):
        with pytest.raises((ValueError, TypeError, AttributeError), match="bounds must be known|OpenRange"):
            tf.function(lambda n, use=use: use(tf.range(n)))(tf.constant(3))
