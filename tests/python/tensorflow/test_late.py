# SPDX-License-Identifier: MIT
"""TensorFlow 1: placeholders without a shape, and numbers that operations need beforehand but that are fed."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu
from tensorflow.python.ipu import system

X = np.array([[1, 5, 2], [7, 0, 1]], "float32")


@pytest.fixture(autouse=True)
def graph():
    strategy()
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


@pytest.mark.parametrize("shape", [None, tf.TensorShape(None)])
def test_one_graph_takes_all_shapes(shape):
    x = tf.placeholder(tf.float32, shape)
    assert x.shape.rank is None and "unknown" in repr(x)
    with tf.device("/device:IPU:0"):
        y = -(2.0 * x + 1.0)
        total = tf.reduce_sum(y)
    for value in (np.float32(3), X, np.ones((2, 1, 4), "float32")):
        found = run([y, total], {x: value})
        np.testing.assert_array_equal(found[0], -(2 * value + 1))
        assert found[1] == pytest.approx(-(2 * value + 1).sum())
    assert system.device(0).loaded is not None


def test_two_of_them_with_variables_and_known_tensors():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32, name="b")
    w = tf.get_variable("w", initializer=np.float32(3))
    known = tf.placeholder(tf.float32, [3])
    out = tf.concat([tf.matmul(a, b) * w, tf.reshape(known, [1, 3])], 0)
    wanted = np.concatenate([X[:, :2] @ X * 3, [[1, 2, 3]]])
    np.testing.assert_allclose(run(out, {a: X[:, :2], b: X, known: [1, 2, 3]}), wanted)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'b:0'"):
            session.run(out, {a: X, known: [1, 2, 3]})
        np.testing.assert_allclose(out.eval({a: X[:, :2], b: X, known: [1, 2, 3]}, session), wanted)


def test_axes_and_counts_are_fed():
    x, axis, k = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    with tf.device("/device:IPU:0"):
        places, shifted = tf.argmax(x, axis), tf.argmin(x, axis + 1)
        values, indices = tf.nn.top_k(x, k)
        plus = places + 1
    for number in (0, 1):
        np.testing.assert_array_equal(run(places, {x: X, axis: number}), X.argmax(number))
        np.testing.assert_array_equal(run(plus, {x: X, axis: number}), X.argmax(number) + 1)
        np.testing.assert_array_equal(run(values, {x: X, k: number + 1}), -np.sort(-X, 1)[:, :number + 1])
    np.testing.assert_array_equal(run(shifted, {x: X, axis: 0}), X.argmin(1))
    np.testing.assert_array_equal(run(indices, {x: X, k: 1}), [[1], [0]])


def test_segments_are_fed():
    x, at = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int32, [4])
    out = tf.math.segment_sum(x, at)
    np.testing.assert_array_equal(run(out, {x: [1, 2, 3, 4], at: [0, 0, 1, 1]}), [3, 7])
    np.testing.assert_array_equal(run(out, {x: [1, 2, 3, 4], at: [0, 1, 2, 2]}), [1, 2, 7])


def test_what_stays_an_error():
    x = tf.placeholder(tf.float32)
    for use in (bool, len, list, np.asarray):
        with pytest.raises((TypeError, NotImplementedError)):
            use(x)
    with pytest.raises(ValueError, match="fixed ranks"):
        ipu.ipu_compiler.compile(lambda: tf.placeholder(tf.float32))
    with pytest.raises(ValueError, match="'Placeholder:0'.* without a shape"):
        ipu.ipu_compiler.compile(lambda v: v, [x])


def test_tensors_by_name():
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.identity(x * 2.0, name="y")
    graph = tf.get_default_graph()
    assert graph.get_tensor_by_name("y:0") is y and graph.get_operation_by_name("y").outputs == [y]
    assert run(["y:0", {"same": y}], {"x:0": 4.0}) == [8, {"same": 8}]
    assert run("y", {"x:0": 4.0}) is None
    for name, kind, message in (("z:0", KeyError, "does not exist"), ("z", KeyError, "not in the graph")):
        with pytest.raises(kind, match=message):
            run(name, {})
    with pytest.raises(ValueError, match="looks like an Operation name"):
        graph.get_tensor_by_name("y")
    with pytest.raises(ValueError, match="appears to refer to a Tensor"):
        graph.get_operation_by_name("y:0")


def test_dimensions_have_values():
    x = tf.placeholder(tf.float32, [None, 3])
    assert x.get_shape()[1].value == 3 and x.shape[1] + 1 == 4 and type(x.shape.as_list()[1]) is int
    assert tf.Dimension(3) == 3 and tf.Dimension(None).value is None
