# SPDX-License-Identifier: MIT
"""TensorFlow 1: what else a session runs: assignments behind a tensor, and control dependencies."""
import pytest
import tensorflow.compat.v1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def session():
    out = tf.Session()
    out.run(tf.global_variables_initializer())
    return out


def test_a_tensor_that_is_computed_of_an_assignment_assigns():
    v = tf.get_variable("v", initializer=1.0)
    y = tf.assign_add(v, 2.0) * 10
    s = session()
    assert s.run(y) == 30 and s.run(v) == 3
    assert s.run(y) == 50 and s.run(v) == 5


def test_control_dependencies_run_first():
    v, other = tf.get_variable("v", initializer=1.0), tf.get_variable("other", initializer=0.0)
    with tf.control_dependencies([tf.assign_add(v, 1.0), tf.group(tf.assign(other, 7.0))]):
        x = tf.constant(3.0) + 1
        now = v.read_value() + 0
    s = session()
    assert s.run(x) == 4 and s.run([v, other]) == [2, 7]
    assert s.run(now) == 3 and s.run(v) == 3


def test_operations_in_control_dependencies_run_both():
    v, w = (tf.get_variable(name, initializer=0.0) for name in "vw")
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        both = tf.group(tf.assign_add(w, 2.0))
        nothing = tf.no_op()
    s = session()
    s.run(both)
    assert s.run([v, w]) == [1, 2]
    s.run(nothing)
    assert s.run([v, w]) == [2, 2]


def test_what_is_not_asked_for_does_not_run():
    v = tf.get_variable("v", initializer=1.0)
    tf.assign_add(v, 2.0)
    s = session()
    assert s.run(v + 1) == 2 and s.run(v) == 1
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        with tf.control_dependencies(None):
            free = tf.identity(v + 0)
    assert s.run(free) == 1 and s.run(v) == 1
