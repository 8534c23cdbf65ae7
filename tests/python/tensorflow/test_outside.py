# SPDX-License-Identifier: MIT
"""outside_compilation_scope: parts of a compiled function that the host computes, against numpy."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu

X = np.random.default_rng(4).normal(size=(3, 4)).astype("float32")
outside = ipu.scopes.outside_compilation_scope


@pytest.fixture(autouse=True)
def graph():
    strategy()
    with tf.Graph().as_default() as g:
        yield g


def run(function, *arrays, times=1):
    fed = [tf.placeholder(a.dtype, a.shape) for a in map(np.asarray, arrays)]
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        made = ipu.ipu_compiler.compile(function, fed)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(times):
            found = session.run(made, dict(zip(fed, arrays)))
    return found


def test_the_host_computes_in_the_middle():
    def f(x):
        y = x * 2
        with outside():
            kept = y + 1
            z = tf.reduce_sum(kept * kept, axis=1)
            constant = tf.constant([1.0, 2.0, 3.0])
        return z * constant, kept - x
    z, kept = run(f, X)
    np.testing.assert_allclose(z, ((2 * X + 1) ** 2).sum(1) * [1, 2, 3], rtol=1e-5)
    np.testing.assert_allclose(kept, X + 1, rtol=1e-6)


def test_variables_change_there():
    def f(x):
        v = tf.get_variable("v", initializer=np.zeros(4, "float32"))
        w = tf.get_variable("w", initializer=1.0)
        with outside():
            v.assign_add(tf.reduce_sum(x, axis=0) * w)
        w.assign_add(1.0)
        return v + 0, w + 0
    v, w = run(f, X, times=3)
    np.testing.assert_allclose(v, X.sum(0) * (1 + 2 + 3), rtol=1e-5)
    assert w == 4


def test_gradients_go_through():
    def f(x):
        w = tf.get_variable("w", initializer=np.full(4, 2, "float32"))
        y = x * w
        with outside():
            z = tf.sin(y) * w
            n = tf.argmax(z, axis=1)
        loss = tf.reduce_sum(z * z)
        return [*tf.gradients(loss, [x, w]), n]
    by_x, by_w, n = run(f, X)
    z, inner = np.sin(2 * X) * 2, np.cos(2 * X) * 2
    np.testing.assert_allclose(by_x, 2 * z * inner * 2, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(by_w, (2 * z * (inner * X + np.sin(2 * X))).sum(0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(n, z.argmax(1))


def test_in_loops():
    def f(x):
        def body(i, total):
            with outside():
                part = tf.reduce_sum(x) * tf.cast(i, tf.float32)
            return i + 1, total + part
        return ipu.loops.repeat(3, lambda i, t: ipu.loops.repeat(2, body, [i, t]), [0, 0.0])
    i, total = run(f, X)
    assert i == 6
    np.testing.assert_allclose(total, X.sum() * sum(range(6)), rtol=1e-5)


def test_what_nobody_holds_is_not_sent():
    results = []

    def f(x):
        with outside():
            y = tf.exp(x)
            y = y + tf.sqrt(y)
        graph = y.graph.outer
        results.extend(len(call._outputs) for call in graph.host_calls if "gradient" not in call.handle)
        return y
    found, = run(f, X)
    np.testing.assert_allclose(found, np.exp(X) + np.exp(X / 2), rtol=1e-5)
    assert results == [1]


def test_it_belongs_into_compiled_functions():
    with pytest.raises(RuntimeError, match="belongs into a function that is compiled for an IPU"), outside():
        pass


def test_shapes_must_be_known():
    def f(x):
        with outside():
            return tf.where(x > 0)
    with pytest.raises(Exception, match="shape"):
        run(f, X)
