# SPDX-License-Identifier: MIT
"""Sessions of one graph have variables of their own, as in TensorFlow 1."""
import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def configured():
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()


def counter():
    v = tf.get_variable("v", initializer=1.0)
    return v, tf.assign_add(v, 1.0)


def test_each_session_counts_for_itself():
    v, more = counter()
    first, second = tf.Session(), tf.Session()
    first.run(tf.global_variables_initializer())
    assert [first.run(more), first.run(more)] == [2, 3]
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        second.run(v)
    second.run(tf.global_variables_initializer())
    assert [second.run(more), first.run(v), second.run(v), v.eval(first), v.eval(second)] == [2, 3, 2, 3, 2]
    v.load(7.0, first)
    assert [first.run(v), second.run(v)] == [7, 2]


def test_a_closed_session_leaves_nothing():
    v, more = counter()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(more)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            session.run(more)


def test_checkpoints_carry_values_from_one_session_to_another(tmp_path):
    v, more = counter()
    saver, path = tf.train.Saver(), str(tmp_path / "model")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([more])
        other = tf.Session()
        other.run(tf.global_variables_initializer())
        saver.save(session, path)
    with tf.Session() as session:
        saver.restore(session, path)
        assert [session.run(v), other.run(v)] == [2, 1]


def test_programs_of_ipus():
    configured()

    def body():
        v = tf.get_variable("w", initializer=2.0)
        with tf.control_dependencies([tf.assign(v, v * 2.0)]):
            return v
    with ipu_scope("/device:IPU:0"):
        double = ipu.ipu_compiler.compile(body)
    sessions = [tf.Session() for _ in range(3)]
    for s in sessions:
        s.run(tf.global_variables_initializer())
    for rounds, s in enumerate(sessions):
        for _ in range(rounds):
            s.run(double)
    assert [s.run(double)[0] for s in sessions] == [4, 8, 16]


def test_what_popart_keeps_of_an_optimizer_is_a_sessions_own():
    """Momentum with gradient accumulation, by hand: v = 0.5 v + g, w -= 0.1 v, with g = 2 of two batches."""
    configured()

    def step():
        w = tf.get_variable("w", initializer=1.0)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.5)
        return ipu.optimizers.GradientAccumulationOptimizerV2(optimizer, 2).minimize(w * 1.0)
    with ipu_scope("/device:IPU:0"):
        train = ipu.ipu_compiler.compile(lambda: ipu.loops.repeat(2, step, []))
    w = tf.global_variables()[0]
    start = tf.global_variables_initializer()
    first, second = tf.Session(), tf.Session()
    first.run(start)
    for _ in range(2):
        first.run(train)
    second.run(start)
    second.run(train)
    np.testing.assert_allclose([first.run(w), second.run(w)], [1 - 0.2 - 0.3, 1 - 0.2], rtol=1e-6)
    first.run(train)
    np.testing.assert_allclose(first.run(w), 1 - 0.2 - 0.3 - 0.35, rtol=1e-6)
    first.run(start)
    first.run(train)
    np.testing.assert_allclose(first.run(w), 1 - 0.2, rtol=1e-6)


def test_threads_with_a_session_each():
    v, more = counter()
    start = tf.global_variables_initializer()
    graph, results = tf.get_default_graph(), {}

    def work(number):
        with graph.as_default(), tf.Session(graph=graph) as session:
            session.run(start)
            for _ in range(20 + number):
                session.run(more)
            results[number] = session.run(v)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {i: 21.0 + i for i in range(4)}
