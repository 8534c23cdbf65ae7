# SPDX-License-Identifier: MIT
"""Test cases: tf.test.TestCase, and what tests take from TensorFlow's insides (framework.test_util,
compiler.tests.xla_test)."""
from __future__ import annotations

import contextlib
import functools
import unittest
from unittest import mock  # noqa: F401
from typing import Any, Iterator

import numpy as np
from popart import _files

from tensorflow.compat.v1.graphs import get_default_graph
from tensorflow.compat.v1.session import Session, get_default_session
from tensorflow.framework import nest
from tensorflow.framework.context import active, current
from tensorflow.framework.errors import OpError
from tensorflow.framework.graphs import Graph
from tensorflow.framework.tensors import EagerTensor, Tensor
from tensorflow.framework.typed import TensorLike
from tensorflow.framework.variables import Variable


class TestCase(unittest.TestCase):
    """Comparisons of tensors and structures of them, and sessions."""

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._session = None

    def setUp(self) -> None:
        """Gives each test an empty default graph."""
        super().setUp()
        self._session = None
        if current.default is not None:
            current.default = Graph(name="default")

    def get_temp_dir(self) -> Any:
        """A folder of this test alone."""
        if not hasattr(self, "_folder"):
            self._folder = _files.new_folder("test")
        return self._folder

    # ---- values

    def evaluate(self, tensors: TensorLike) -> Any:
        """Values of tensors, by the session that is open in a graph."""
        if active() is None:
            return nest.map_structure(lambda t: t.numpy() if isinstance(t, (EagerTensor, Variable)) else t, tensors)
        session = get_default_session() or self._session
        if session is None:
            raise RuntimeError("evaluate() in a graph needs a session: with self.session(): ...")
        return session.run(tensors)

    @contextlib.contextmanager
    def session(self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False,
                force_gpu: bool = False) -> Iterator:
        """For `with`: a session on a graph of its own, or on the one given."""
        graph = graph or (get_default_graph() if current.default is not None else Graph(name="default"))
        with graph.as_default(), Session(graph=graph, config=config) as opened:
            self._session = opened
            try:
                yield opened
            finally:
                self._session = None

    cached_session = session

    def test_session(self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False,
                     force_gpu: bool = False) -> Any:
        """The older name of session."""
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        return self.session(graph, config)

    def _array(self, value):
        if isinstance(value, (Tensor, Variable)):
            value = self.evaluate(value)
        return np.asarray(value)

    def _each(self, a, b, check):
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertEqual(sorted(a), sorted(b))
            for key in a:
                self._each(a[key], b[key], check)
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and any(
                isinstance(v, (list, tuple, dict, np.ndarray, Tensor, Variable)) for v in (*a, *b)):
            self.assertEqual(len(a), len(b))
            for x, y in zip(a, b):
                self._each(x, y, check)
        else:
            a, b = self._array(a), self._array(b)
            self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}.")
            check(a, b)

    # ---- comparisons

    def assertAllClose(self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6,
                       msg: str | None = None) -> None:
        """Fails if elements differ by more than atol + rtol |b|; of half by more than three digits."""
        def check(x, y):  # half has three digits
            half = np.float16 in (x.dtype, y.dtype)
            np.testing.assert_allclose(x.astype(np.float64), y.astype(np.float64), rtol=max(rtol, 1e-3 if half else 0),
                                       atol=max(atol, 1e-3 if half else 0), err_msg=msg or "")
        self._each(a, b, check)

    def assertAllCloseAccordingToType(self, a: TensorLike, b: TensorLike, rtol: float = 1e-6, atol: float = 1e-6,
                                      half_rtol: float = 1e-3, half_atol: float = 1e-3, msg: str | None = None,
                                      **types: Any) -> None:
        """assertAllClose with limits for each type."""
        if types.keys() - {"float_rtol", "float_atol", "bfloat16_rtol", "bfloat16_atol"}:
            raise TypeError(f"unexpected arguments {sorted(types)}")
        half = np.float16 in (self._array(a).dtype, self._array(b).dtype)
        own = types.get("float_rtol", rtol), types.get("float_atol", atol)
        self.assertAllClose(a, b, *((half_rtol, half_atol) if half else own), msg=msg)

    def assertNotAllClose(self, a: TensorLike, b: TensorLike, **kwargs: Any) -> None:
        """Fails if all elements are close."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements.")

    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: str | None = None) -> None:
        """Fails if an element differs."""
        self._each(a, b, lambda x, y: np.testing.assert_array_equal(x, y, err_msg=msg or ""))

    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: str | None = None) -> None:
        """Fails if no element differs."""
        self.assertFalse(np.array_equal(self._array(a), self._array(b)), msg)

    def assertAllGreater(self, a: TensorLike, comparison_target: int) -> None:
        """Fails if an element is not larger."""
        self.assertTrue((self._array(a) > comparison_target).all())

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: str) -> None:
        """Fails if an element is smaller."""
        self.assertTrue((self._array(a) >= comparison_target).all())

    def assertAllLess(self, a: TensorLike, comparison_target: str) -> None:
        """Fails if an element is not smaller."""
        self.assertTrue((self._array(a) < comparison_target).all())

    def assertAllLessEqual(self, a: TensorLike, comparison_target: int) -> None:
        """Fails if an element is larger."""
        self.assertTrue((self._array(a) <= comparison_target).all())

    def assertNear(self, f1: TensorLike, f2: TensorLike, err: float, msg: str | None = None) -> None:
        """Fails if two numbers differ by more than err."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, msg or f"{f1} and {f2} differ by more than {err}")

    def assertArrayNear(self, farray1: TensorLike, farray2: TensorLike, err: float, msg: str | None = None) -> None:
        """Fails if two numbers of two lists differ by more than err."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for a, b in zip(farray1, farray2):
            self.assertNear(float(a), float(b), err, msg)

    def assertNDArrayNear(self, ndarray1: TensorLike, ndarray2: TensorLike, err: float, msg: str | None = None) -> None:
        """Fails if the norm of the difference is larger than err."""
        self.assertLessEqual(float(np.linalg.norm(ndarray1 - ndarray2)), err, msg)

    def assertShapeEqual(self, np_array: TensorLike, tf_tensor: TensorLike, msg: str | None = None) -> None:
        """Fails if an array and a tensor differ in shape."""
        self.assertEqual(list(np_array.shape), tf_tensor.shape.as_list(), msg)

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: Any) -> None:
        """Fails if the elements have another type."""
        self.assertEqual(np.dtype(getattr(target.dtype, "as_numpy_dtype", target.dtype)),
                         np.dtype(getattr(expected_dtype, "as_numpy_dtype", expected_dtype)))

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """Fails if there are more or fewer elements."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """Fails if there are elements."""
        self.assertEqual(len(container), 0, msg)

    def assertStartsWith(self, actual: TensorLike, expected_start: Any, msg: str | None = None) -> None:
        """Fails if a text begins otherwise."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: str) -> Iterator:
        """For `with`: fails unless this exception is raised, and its message matches a pattern or it fulfils a function."""
        with self.assertRaises(exception_type) as found:
            yield
        if callable(expected_err_re_or_predicate):
            self.assertTrue(expected_err_re_or_predicate(found.exception))
        else:
            self.assertRegex(str(found.exception), expected_err_re_or_predicate)

    def assertRaisesOpError(self, expected_err_re_or_predicate: str) -> Any:
        """For `with`: fails unless an error of an operation is raised that matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)


TensorFlowTestCase = XLATestCase = TestCase


# ---- how a test is run

def _in_graph(method):
    @functools.wraps(method)
    def run(self, *args, **kwargs):
        with Graph(name="default").as_default():
            return method(self, *args, **kwargs)
    return run


def _decorator(func, wrap):
    return wrap if func is None else wrap(func)


def deprecated_graph_mode_only(func=None):
    """The test is of a graph of TensorFlow 1."""
    return _decorator(func, _in_graph)


run_deprecated_v1 = deprecated_graph_mode_only


def run_v1_only(reason=None, func=None):
    if callable(reason):
        return unittest.skip("of TensorFlow 1 alone")(reason)
    return unittest.skip(f"of TensorFlow 1 alone: {reason}")


def run_v2_only(func=None):
    return _decorator(func, lambda method: method)


def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, assert_no_eager_garbage=False):
    """The test is run twice: at once, and in a graph with a session."""
    def wrap(method):
        @functools.wraps(method)
        def run(self, *args, **kwargs):
            method(self, *args, **kwargs)
            self.tearDown()
            self.setUp()
            with Graph(name="default").as_default(), self.session():
                method(self, *args, **kwargs)
        return run
    return _decorator(func, wrap)


def run_all_in_graph_and_eager_modes(cls):
    for name in dir(cls):
        if name.startswith("test") and name != "test_session" and callable(getattr(cls, name)):
            setattr(cls, name, run_in_graph_and_eager_modes(getattr(cls, name)))
    return cls


def main(argv: list | None = None) -> None:
    """Runs the tests of the calling script."""
    unittest.main(argv=argv)
