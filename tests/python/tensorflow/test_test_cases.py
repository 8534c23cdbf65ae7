# SPDX-License-Identifier: MIT
"""tf.test, and test cases that are written for TensorFlow's insides."""
import unittest

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.compiler.plugin.poplar.ops import gen_sendrecv_ops
from tensorflow.compiler.tests import xla_test
from tensorflow.python.framework import ops, test_util
from tensorflow.python.ops import array_ops, math_ops
from tensorflow.python.platform import googletest, test


class InSessions(xla_test.XLATestCase):
    def test_a_graph(self):
        with self.session() as session:
            with ops.device("/device:CPU:0"):
                a = array_ops.placeholder(tf.float32, [2])
                b = math_ops.reduce_sum(a)
            self.assertAllClose(session.run([b, {"a": a}], {a: [1, 2]}), [3.0, {"a": [1.0, 2.0]}])
            self.assertAllEqual(self.evaluate(tf.constant(1) + 1), 2)

    @test_util.deprecated_graph_mode_only
    def test_no_value_without_a_session(self):
        with self.assertRaisesRegex(RuntimeError, "needs a session"):
            self.evaluate(tf.constant(1))


class InBoth(test.TestCase):
    seen = []

    @test_util.run_in_graph_and_eager_modes
    def test_in_both_modes(self):
        self.seen.append(tf.executing_eagerly())
        self.assertAllEqual(self.evaluate(tf.constant([1]) + 1), [2])

    @test_util.run_v2_only
    def test_comparisons(self):
        x = tf.constant([1.0, 2.0])
        self.assertAllClose((x, {"y": x}), (np.array([1.0, 2.0]), {"y": [1.0, 2.0]}))
        self.assertNotAllClose(x, [1.0, 2.1])
        self.assertNotAllEqual(x, [1.0, 3.0])
        self.assertAllGreater(x, 0)
        self.assertAllLessEqual(x, 2)
        self.assertNear(1.0, 1.05, 0.1)
        self.assertArrayNear([1.0], [1.05], 0.1)
        self.assertShapeEqual(np.ones(2), x)
        self.assertDTypeEqual(x, np.float32)
        self.assertLen([1, 2], 2)
        self.assertAllCloseAccordingToType(tf.cast(x, tf.float16), x + 5e-4)
        with self.assertRaisesOpError("Reshape|reshape"):
            tf.reshape(x, [3])


def outcome(case):
    return unittest.defaultTestLoader.loadTestsFromTestCase(case).run(unittest.TestResult())


@pytest.mark.parametrize("case, tests", [(InSessions, 3), (InBoth, 3)])
def test_cases_pass(case, tests):
    InBoth.seen.clear()
    found = outcome(case)
    assert found.wasSuccessful(), found.errors + found.failures
    assert found.testsRun == tests and [reason for _, reason in found.skipped] == ["Not a test."]
    assert case is not InBoth or InBoth.seen == [True, False]


@pytest.mark.parametrize("check", [
    lambda t: t.assertAllClose([1.0], [1.1]), lambda t: t.assertAllClose({"a": 1}, {"b": 1}),
    lambda t: t.assertAllEqual([1], [1, 2]),
    lambda t: t.assertAllClose([np.ones(2)], [np.ones(3)]), lambda t: t.assertAllGreater([1, 2], 1),
    lambda t: t.assertLen([1], 2),
    lambda t: t.assertNear(1, 2, 0.5), lambda t: t.assertNotAllClose([1.0], [1.0]),
    lambda t: t.assertDTypeEqual(np.ones(1), np.int32)])
def test_differences_are_found(check):
    with pytest.raises(AssertionError):
        check(tf.test.TestCase())


def test_what_is_shown():
    assert tf.test.TestCase is test.TestCase is test_util.TensorFlowTestCase and googletest.main is tf.test.main
    assert not tf.test.is_gpu_available() and tf.test.gpu_device_name() == "" and not tf.test.is_built_with_cuda()
    with pytest.raises(AttributeError, match="gen_sendrecv_ops.*'ipu_send_to_host'"):
        gen_sendrecv_ops.ipu_send_to_host
