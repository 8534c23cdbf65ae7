# SPDX-License-Identifier: MIT
"""tf.layers of TensorFlow 1: variables of scopes, which scopes with `reuse` share."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from on_ipus import strategy
from tensorflow.python import ipu

X = np.random.default_rng(0).normal(size=(2, 3)).astype("float32")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        tf.set_random_seed(1)
        yield g


def names(variables=None):
    return [v.name for v in (tf.global_variables() if variables is None else variables)]


def network(x, reuse=tf.AUTO_REUSE):
    with tf.variable_scope("m", reuse=reuse):
        h = tf.layers.dense(x, 4, tf.nn.relu, name="first")
        h = tf.layers.dense(tf.layers.dense(h, 4), 5)
        return tf.layers.Dense(2)(h)


def test_a_scope_that_is_opened_again_has_the_same_variables():
    one, two = network(tf.constant(X)), network(tf.constant(X))
    assert names() == [f"m/{layer}/{part}:0" for layer in ("first", "dense", "dense_1", "dense_2")
                       for part in ("kernel", "bias")]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b = session.run([one, two])
    np.testing.assert_array_equal(a, b)
    with tf.variable_scope("m", reuse=True):
        assert tf.get_variable("first/kernel") is tf.global_variables()[0]


def test_two_programs_share_what_they_train():
    strategy()
    x = tf.constant(X)

    def train(x):
        loss = tf.reduce_sum(network(x) ** 2)
        return loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        step = ipu.ipu_compiler.compile(train, [x])
        look = ipu.ipu_compiler.compile(lambda x: tf.reduce_sum(network(x) ** 2), [x])
    assert len(tf.global_variables()) == 8
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(look)[0]
        assert session.run(step)[0] == pytest.approx(before, rel=1e-5)
        assert session.run(look)[0] < before


def test_what_may_not_be_shared():
    x = tf.constant(X)
    tf.layers.dense(x, 4, name="a")
    with pytest.raises(ValueError, match="Variable a/kernel already exists, disallowed. Did you mean to set reuse=True"):
        tf.layers.dense(x, 4, name="a")
    with pytest.raises(ValueError, match="Variable b/kernel does not exist"):
        tf.layers.dense(x, 4, name="b", reuse=True)
    with pytest.raises(ValueError, match=r"share variable a/kernel, but specified shape \(3, 5\) and found shape \(3, 4\)"):
        tf.layers.dense(x, 5, name="a", reuse=True)
    tf.layers.dense(x, 4, name="a", reuse=True)
    assert names() == ["a/kernel:0", "a/bias:0"]


def test_initializers_and_what_is_trained():
    x = tf.constant(X)
    with tf.variable_scope("s", initializer=tf.ones_initializer()):
        y = tf.layers.dense(x, 2, use_bias=False)
        tf.layers.dense(x, 2, use_bias=False, trainable=False, name="fixed",
                        kernel_regularizer=lambda v: tf.reduce_sum(tf.abs(v)))
    assert names(tf.trainable_variables()) == ["s/dense/kernel:0"] and len(tf.losses.get_regularization_losses()) == 1
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), X.sum(1, keepdims=True).repeat(2, 1), rtol=1e-5)
        assert session.run(tf.losses.get_regularization_loss()) == pytest.approx(6)


def test_bodies_of_loops_and_conditions_have_variables_once():
    """They are traced more than once where they change variables."""
    strategy()

    def model(n, x):
        def body(total):
            counter = tf.get_variable("counter", initializer=0.0, trainable=False)
            with tf.control_dependencies([counter.assign_add(1.0)]):
                return total + tf.reduce_sum(tf.layers.dense(x, 2, kernel_initializer=tf.ones_initializer()))
        (total,) = ipu.loops.repeat(n, body, [0.0])
        return total, tf.cond(total > 0.0, lambda: tf.get_variable("c", initializer=2.0).assign_add(1.0),
                              lambda: tf.constant(7.0))
    n = tf.placeholder(tf.int32, [])
    with ipu.scopes.ipu_scope("/device:IPU:0"):
        run = ipu.ipu_compiler.compile(model, [n, tf.constant(np.abs(X))])
    assert sorted(names()) == ["c:0", "counter:0", "dense/bias:0", "dense/kernel:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        total, chosen = session.run(run, {n: 3})
        assert total == pytest.approx(6 * np.abs(X).sum(), rel=1e-5) and chosen == 3
        assert session.run(tf.global_variables()[0]) == 3


@pytest.mark.parametrize("name, args, shape, count", [
    ("conv1d", (4, 3), (2, 8, 3), 2), ("conv2d", (4, 3), (2, 6, 6, 3), 2), ("conv3d", (4, 3), (2, 5, 5, 5, 3), 2),
    ("conv2d_transpose", (4, 3), (2, 6, 6, 3), 2), ("separable_conv2d", (4, 3), (2, 6, 6, 3), 3),
    ("max_pooling1d", (2, 2), (2, 8, 3), 0), ("max_pooling2d", (2, 2), (2, 6, 6, 3), 0),
    ("average_pooling2d", (2, 2), (2, 6, 6, 3), 0), ("flatten", (), (2, 6, 6, 3), 0),
    ("batch_normalization", (), (2, 6, 6, 3), 4), ("dropout", (0.5,), (2, 3), 0)])
def test_all_of_them_are_layers(name, args, shape, count):
    y = getattr(tf.layers, name)(tf.constant(np.ones(shape, "float32")), *args)
    assert len(tf.global_variables()) == count and all(v.name.startswith(name + "/") for v in tf.global_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert np.isfinite(session.run(y)).all()


def test_losses(graph):
    """Against their formulas; the sum of all that were made."""
    labels, x = np.array([[0, 1, 1], [1, 0, 1]], "float32"), np.clip(np.abs(X), 0.1, 0.9)
    rows = {"huber_loss": lambda: np.where(np.abs(x - labels) <= 0.5, (x - labels) ** 2 / 2, 0.5 * (np.abs(x - labels) - 0.25)),
            "hinge_loss": lambda: np.maximum(0, 1 - (2 * labels - 1) * x),
            "log_loss": lambda: -labels * np.log(x + 1e-7) - (1 - labels) * np.log(1 - x + 1e-7),
            "cosine_distance": lambda: 1 - (labels * x).sum(1, keepdims=True)}
    more = {"huber_loss": {"delta": 0.5}, "cosine_distance": {"axis": 1}}
    made = [getattr(tf.losses, name)(labels, tf.constant(x), **more.get(name, {})) for name in rows]
    weighted = tf.losses.compute_weighted_loss(tf.constant(x), 2.0)
    tf.losses.add_loss(tf.constant(3.0))
    with tf.Session() as session:
        found = session.run(made)
        wanted = [rule().mean() for rule in rows.values()]
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
        assert session.run(weighted) == pytest.approx(2 * x.mean(), rel=1e-5)
        assert session.run(tf.losses.get_total_loss()) == pytest.approx(sum(wanted) + 2 * x.mean() + 3, rel=1e-5)


def test_types_are_those_of_inputs_and_scopes():
    x = tf.constant(X, tf.float16)
    y = tf.layers.dense(x, 2)
    assert y.dtype is tf.float16 and all(v.dtype is tf.float16 for v in tf.global_variables())
    assert tf.layers.Dense(2, dtype=tf.float32, name="single")(tf.constant(X)).dtype is tf.float32
    with tf.variable_scope("half", dtype=tf.float16, initializer=tf.ones_initializer(), constraint=tf.nn.relu) as half:
        with tf.variable_scope("inner"):
            v = tf.get_variable("v", [2])
    with tf.variable_scope("elsewhere"), tf.variable_scope(half):
        w = tf.get_variable("w", [2])
    assert v.dtype is tf.float16 and w.dtype is tf.float16 and w.name == "half/w:0"
    assert v.constraint is tf.nn.relu and w.constraint is tf.nn.relu
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [1, 1]
