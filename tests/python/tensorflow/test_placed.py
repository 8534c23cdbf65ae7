# SPDX-License-Identifier: MIT
"""TensorFlow 1: what a graph places on an IPU runs there, without ipu_compiler.compile too."""
import glob
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
from tensorflow.python.ipu import system
from tensorflow.python.ipu.scopes import ipu_scope

X = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture(autouse=True)
def graph():
    configured()
    with tf.Graph().as_default() as g:
        yield g


def configured(ipus=1, **settings):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    for name, value in settings.items():
        target = config
        *way, last = name.split("__")
        for part in way:
            target = getattr(target, part)
        setattr(target, last, value)
    config.configure_ipu_system()


def loaded():
    """The program on the IPU."""
    return system.device(0).loaded


def test_operations_in_an_ipu_scope_run_on_the_ipu():
    x = tf.placeholder(tf.float32, [2, 3])
    on_host = x * 2
    with ipu_scope("/device:IPU:0"):
        y = x + 1
    with tf.Session() as session:
        session.run(on_host, {x: X})
        assert loaded() is None
        np.testing.assert_array_equal(session.run(y, {x: X}), X + 1)
        assert loaded() is not None


def test_host_and_ipu_parts_follow_each_other():
    x = tf.placeholder(tf.float32, [None, 3])
    before = x * 2
    with tf.device("/device:IPU:0"):
        w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
        middle = tf.matmul(before, w)
    after = middle - 1
    with tf.device("/device:IPU:0"):
        last = tf.reduce_sum(after * middle)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run([last, after, before], {x: X})
    m = (2 * X).sum(1, keepdims=True)
    for value, expected in zip(got, ((m * (m - 1)).sum(), m - 1, 2 * X)):
        np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize("gradient_on_ipu", [False, True])
def test_gradients_go_through_parts_of_both_devices(gradient_on_ipu):
    x = tf.placeholder(tf.float32, [2, 3])
    with ipu_scope("/device:IPU:0"):
        w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
        y = w * w * x
    z = y * y
    with tf.device("/device:IPU:0" if gradient_on_ipu else "/cpu:0"):
        g = tf.gradients(tf.reduce_sum(z), [w])[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(g, {x: X}), 4 * (X * X).sum(0), rtol=1e-6)


def test_training_on_the_ipu():
    x = tf.placeholder(tf.float32, [2, 3])
    with ipu_scope("/device:IPU:0"):
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        loss = tf.reduce_sum(w * x)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(3):
            _, now = session.run([train, loss], {x: X})
            assert now == pytest.approx(-0.5 * step * (X.sum(0) ** 2).sum())
        np.testing.assert_allclose(session.run(w), -1.5 * X.sum(0), rtol=1e-6)
        assert loaded() is not None


def test_values_inside_of_a_graph_can_be_fed():
    x = tf.placeholder(tf.float32, [2])
    y = x + 1
    with ipu_scope("/device:IPU:0"):
        z = y * 3
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(z, {y: [1, 2]}), [3, 6])
        np.testing.assert_array_equal(session.run([z, y], {x: [1, 2]})[0], [6, 9])


def test_every_replica_of_a_larger_device_computes_the_same():
    configured(4)
    x = tf.placeholder(tf.float32, [2, 3])
    with ipu_scope("/device:IPU:0"):
        y = tf.reduce_sum(x, 1)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: X}), X.sum(1))


def test_stochastic_rounding_acts_on_what_is_placed():
    configured(floating_point_behaviour__esr=ipu.config.StochasticRoundingBehaviour.ON)
    x = tf.placeholder(tf.float32, [10000])
    with ipu_scope("/device:IPU:0"):
        y = tf.cast(x, tf.float16)
    with tf.Session() as session:
        got = session.run(y, {x: np.full(10000, 1 + 2.0 ** -12)}).astype("float64")
    assert len(set(got)) == 2 and got.mean() == pytest.approx(1 + 2.0 ** -12, abs=5e-5)


def test_a_compiled_function_may_say_its_device_inside():
    x = tf.placeholder(tf.float32, [2, 3])

    def inside(x):
        with tf.device("/device:IPU:0"):
            return x + 1
    y = ipu.ipu_compiler.compile(inside, [x])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: X})[0], X + 1)
    with pytest.raises(RuntimeError, match="inside of an ipu_scope, or the function must have one"):
        ipu.ipu_compiler.compile(lambda x: x + 1, [x])


PROGRAM = """
import tensorflow.compat.v1 as tf
from tensorflow.python import ipu
tf.disable_v2_behavior()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.scopes.ipu_scope("/device:IPU:0"):
    y = tf.placeholder_with_default(tf.ones([2]), [2]) + 1
with tf.Session() as session:
    session.run(y)
"""


def test_reports_are_in_folders_called_tf_report(tmp_path):
    import pva
    options = json.dumps({"autoReport.all": "true", "autoReport.directory": str(tmp_path)})
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env={**os.environ, "POPLAR_ENGINE_OPTIONS": options},
                   cwd=tmp_path)
    found = glob.glob(str(tmp_path / "tf_report_*" / "profile.pop"))
    assert len(found) == 1
    assert len(pva.openReport(found[0]).execution.steps) > 0
