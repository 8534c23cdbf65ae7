# SPDX-License-Identifier: MIT
"""Every operation at once and traced, against numpy: over types, broadcasting and odd shapes. A name that no row has fails."""
import math

import numpy as np
import pytest
import tensorflow as tf
from agree import normal, rng
from tensorflow.ops import array_ops, counting_ops, image_ops, linalg_ops, math_ops, nn_more_ops, nn_ops, special_ops

erf = np.vectorize(math.erf)
SHAPES = [(), (1,), (7,), (3, 1, 5), (2, 3, 1, 2, 2)]
FLOATS = ["float32", "float16"]


def both_ways(function, inputs, expected, rtol=2e-5, atol=2e-6, exact_type=None):
    inputs = [np.asarray(i) for i in inputs]
    tolerance = {"rtol": rtol, "atol": atol}
    if any(i.dtype == np.float16 for i in inputs):
        tolerance = {"rtol": 1e-2, "atol": 4e-3}
    for how in (function, tf.function(function)):
        made = how(*[tf.constant(i) for i in inputs])
        got = list(made) if isinstance(made, (list, tuple)) else [made]
        want = list(expected) if isinstance(expected, (list, tuple)) else [expected]
        assert len(got) == len(want)
        for g, w in zip(got, want):
            w = np.asarray(w)
            assert tuple(g.shape) == w.shape
            np.testing.assert_allclose(g.numpy().astype(np.float64), w.astype(np.float64), **tolerance)
            if exact_type:
                assert g.dtype.name == exact_type


UNARY = {  # name: (function of numpy, where it is defined)
    "abs": (np.abs, None), "negative": (np.negative, None), "sign": (np.sign, None), "floor": (np.floor, None),
    "square": (np.square, None), "round": (np.rint, None), "ceil": (np.ceil, None), "rint": (np.rint, None),
    "exp": (np.exp, None), "log": (np.log, "positive"), "log1p": (np.log1p, "positive"), "expm1": (np.expm1, None),
    "sqrt": (np.sqrt, "positive"), "rsqrt": (lambda x: 1 / np.sqrt(x), "positive"), "sin": (np.sin, None),
    "cos": (np.cos, None), "tan": (np.tan, "unit"), "asin": (np.arcsin, "unit"), "acos": (np.arccos, "unit"),
    "atan": (np.arctan, None), "sinh": (np.sinh, None), "cosh": (np.cosh, None), "tanh": (np.tanh, None),
    "asinh": (np.arcsinh, None), "acosh": (lambda x: np.arccosh(1 + x), "positive"), "atanh": (np.arctanh, "unit"),
    "erf": (erf, None), "erfc": (lambda x: 1 - erf(x), None), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), None),
    "softplus": (lambda x: np.log1p(np.exp(x)), None), "reciprocal": (lambda x: 1 / x, "positive"),
    "is_nan": (np.isnan, None), "is_inf": (np.isinf, None), "is_finite": (np.isfinite, None),
    "reciprocal_no_nan": (lambda x: 1 / x, "positive"), "log_sigmoid": (lambda x: -np.log1p(np.exp(-x)), None)}


def of_domain(shape, domain, dtype, seed=0):
    x = rng(seed).normal(size=shape)
    if domain == "positive":
        x = np.abs(x) + 0.3
    if domain == "unit":
        x = np.clip(x, -2, 2) * 0.4
    return np.asarray(x, dtype)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_one(name, dtype):
    function, domain = UNARY[name]
    for shape in SHAPES:
        x = of_domain(shape, domain, dtype)
        given = x + np.asarray(1, dtype) if name == "acosh" else x
        both_ways(getattr(tf.math, name), [given], function(x.astype(np.float64)), rtol=1e-4, atol=1e-5,
                  exact_type="bool" if name.startswith("is_") else dtype)


def test_what_is_not_finite():
    x = np.array([1.0, np.inf, -np.inf, np.nan], "float32")
    for name, function in (("is_nan", np.isnan), ("is_inf", np.isinf), ("is_finite", np.isfinite)):
        both_ways(getattr(tf.math, name), [x], function(x))


BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "equal": np.equal, "not_equal": np.not_equal, "floordiv": np.floor_divide, "floormod": np.mod, "mod": np.mod,
    "squared_difference": lambda a, b: (a - b) ** 2}
FLOATING = {
    "divide": np.divide, "truediv": np.divide, "realdiv": np.divide, "atan2": np.arctan2,
    "divide_no_nan": np.divide, "multiply_no_nan": np.multiply, "pow": lambda a, b: np.abs(a) ** b,
    "xlogy": lambda a, b: a * np.log(np.abs(b)), "xlog1py": lambda a, b: a * np.log1p(np.abs(b)), "xdivy": np.divide}
PAIRS = [((), ()), ((4,), ()), ((3, 1), (1, 5)), ((2, 3, 4), (3, 1)), ((1,), (2, 1, 3))]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_functions_of_two(name, dtype):
    for a, b in PAIRS:
        x, y = ((rng(s).integers(-9, 9, shape) * 2 + 1).astype(dtype) for s, shape in ((1, a), (2, b)))
        wide = np.int64 if dtype == "int32" else np.float64
        both_ways(getattr(tf.math, name), [x, y], BINARY[name](x.astype(wide), y.astype(wide)))


@pytest.mark.parametrize("name", FLOATING)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_two_that_are_floating(name, dtype):
    for a, b in PAIRS:
        x, y = (of_domain(s, "positive" if name not in ("divide", "atan2") else None, dtype, seed=i)
                for i, s in enumerate((a, b)))
        both_ways(getattr(tf.math, name), [x, y], FLOATING[name](x.astype(np.float64), y.astype(np.float64)), rtol=1e-4,
                  atol=1e-5)


def test_what_divides_by_zero():
    a, b = np.array([1.0, 2.0, 0.0], "float32"), np.array([0.0, 4.0, 0.0], "float32")
    both_ways(tf.math.divide_no_nan, [a, b], [np.array([0, 0.5, 0])])
    both_ways(tf.math.multiply_no_nan, [np.array([np.inf, 2, np.nan], "float32"), b], [np.array([0, 8, 0])])
    both_ways(tf.math.xlogy, [b, b], [np.array([0, 4 * np.log(4), 0])])
    both_ways(tf.math.xdivy, [b, b], [np.array([0, 1, 0])])
    both_ways(tf.math.reciprocal_no_nan, [b], [np.array([0, 0.25, 0])])


def test_integers_divide_as_numpy_does():
    a, b = np.arange(-7, 8).astype("int32"), np.int32(3)
    for x, y in ((a, b), (a, np.int32(-3))):
        both_ways(tf.math.floordiv, [x, y], x // y)
        both_ways(tf.math.floormod, [x, y], x % y)
        both_ways(tf.math.truncatediv, [x, y], np.trunc(x / y))
        both_ways(tf.math.truncatemod, [x, y], np.fmod(x, y))
    assert (tf.constant([7]) / tf.constant([2])).numpy() == 3.5


@pytest.mark.parametrize("name,function", [("logical_and", np.logical_and), ("logical_or", np.logical_or),
                                           ("logical_xor", np.logical_xor)])
def test_logic(name, function):
    a, b = rng(0).integers(0, 2, (3, 4)).astype(bool), rng(1).integers(0, 2, (4,)).astype(bool)
    both_ways(getattr(tf.math, name), [a, b], function(a, b), exact_type="bool")
    both_ways(tf.math.logical_not, [a], ~a)


def log_sum_exp(x, axis, keepdims):
    return np.log(np.exp(x).sum(axis, keepdims=keepdims))


REDUCTIONS = {"reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_max": np.max, "reduce_min": np.min, "reduce_prod": np.prod,
              "reduce_variance": np.var, "reduce_std": np.std, "reduce_logsumexp": log_sum_exp,
              "reduce_euclidean_norm": lambda x, axis, keepdims: np.sqrt((x * x).sum(axis, keepdims=keepdims))}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_reductions(name, dtype):
    for shape, axis in (((3, 4, 5), None), ((3, 4, 5), 1), ((3, 4, 5), [0, -1]), ((7,), 0), ((2, 1, 3), -2)):
        for keepdims in (False, True):
            x = of_domain(shape, "positive", dtype)
            axes = tuple(axis) if isinstance(axis, list) else axis
            wanted = REDUCTIONS[name](x.astype(np.float64), axis=axes, keepdims=keepdims)
            if np.abs(wanted).max() < 60000:
                both_ways(lambda t: getattr(tf.math, name)(t, axis, keepdims), [x], wanted, rtol=1e-4, atol=1e-5)


def test_reductions_of_integers_and_truths():
    x = rng(0).integers(-5, 9, (3, 4)).astype("int32")
    both_ways(lambda t: tf.reduce_sum(t, 0), [x], x.sum(0), exact_type="int32")
    both_ways(lambda t: tf.reduce_max(t, 1), [x], x.max(1), exact_type="int32")
    both_ways(lambda t: tf.reduce_mean(t, 1), [x], np.trunc(x.mean(1)), exact_type="int32")
    both_ways(lambda t: tf.reduce_all(t > 0, 1), [x], (x > 0).all(1), exact_type="bool")
    both_ways(lambda t: tf.reduce_any(t > 6, 1), [x], (x > 6).any(1), exact_type="bool")
    both_ways(lambda t: tf.math.count_nonzero(t, 1), [x], np.count_nonzero(x, 1))


def test_places_and_orders():
    x = normal(4, 6)
    for axis in (0, 1, -1):
        both_ways(lambda t: tf.argmax(t, axis), [x], x.argmax(axis), exact_type="int64")
        both_ways(lambda t: tf.argmin(t, axis), [x], x.argmin(axis))
        both_ways(lambda t: tf.sort(t, axis), [x], np.sort(x, axis))
        both_ways(lambda t: tf.argsort(t, axis), [x], np.argsort(x, axis))
        both_ways(lambda t: tf.sort(t, axis, "DESCENDING"), [x], -np.sort(-x, axis))
    both_ways(lambda t: tf.math.top_k(t, 3), [x], [-np.sort(-x, 1)[:, :3], np.argsort(-x, 1)[:, :3]])
    target = np.array([1, 0, 5, 3], "int32")
    top = np.array([t in np.argsort(-r)[:2] for t, r in zip(target, x)])
    both_ways(lambda t: tf.math.in_top_k(target, t, 2), [x], top)
    both_ways(lambda s, v: tf.searchsorted(s, v), [np.arange(5.0, dtype="float32"), np.array([0.5, 2, 9], "float32")],
              [np.array([1, 2, 5])])
    both_ways(lambda s, v: tf.searchsorted(s, v, "right"), [np.arange(5.0, dtype="float32"), np.array([0.5, 2, 9], "float32")],
              [np.array([1, 3, 5])])


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_and_products(exclusive, reverse):
    x = of_domain((3, 5), "positive", "float32")
    for name, function, start in (("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1)):
        y = np.flip(x, 1) if reverse else x
        y = function(np.concatenate([np.full((3, 1), start), y[:, :-1]], 1) if exclusive else y, 1)
        both_ways(lambda t: getattr(tf.math, name)(t, 1, exclusive, reverse), [x], np.flip(y, 1) if reverse else y, rtol=1e-4)


def test_counts_and_segments():
    x = np.array([1, 3, 1, 0, 4], "int32")
    both_ways(lambda t: tf.math.bincount(t, maxlength=5), [x], np.bincount(x))
    both_ways(lambda t: tf.math.bincount(t, np.arange(5, dtype="float32"), maxlength=5), [x], np.bincount(x, np.arange(5)))
    np.testing.assert_array_equal(tf.math.bincount(x), np.bincount(x))
    table = np.zeros((5, 5))
    np.add.at(table, (x, [1, 1, 2, 0, 3]), 1)
    both_ways(lambda t: tf.math.confusion_matrix(t, [1, 1, 2, 0, 3], 5), [x], table)
    rows, at = normal(5, 3), np.array([0, 0, 1, 3, 3])
    sums = np.zeros((4, 3))
    np.add.at(sums, at, rows)
    both_ways(lambda t: tf.math.unsorted_segment_sum(t, at, 4), [rows], sums)
    both_ways(lambda t: tf.math.segment_sum(t, at), [rows], sums)
    some = np.array([1, -1, 0, 1, -3], "int32")[:len(rows)]  # rows with a negative number are left out
    kept = np.zeros_like(sums)
    np.add.at(kept, some[some >= 0], rows[some >= 0])
    both_ways(lambda t: tf.math.unsorted_segment_sum(t, some, 4), [rows], kept)
    both_ways(lambda t, at: tf.math.unsorted_segment_sum(t, at, 4), [rows, some], kept)
    means = sums / np.maximum(np.bincount(at, minlength=4), 1)[:, None]
    both_ways(lambda t: tf.math.segment_mean(t, at), [rows], means)
    both_ways(lambda t: tf.math.unsorted_segment_mean(t, at, 4), [rows], means)
    order = np.array([2, 0, 3, 1], "int32")
    both_ways(tf.math.invert_permutation, [order], np.argsort(order), exact_type="int32")


def test_products():
    a, b = normal(2, 3, 4), normal(2, 4, 5, seed=1)
    both_ways(tf.matmul, [a, b], a @ b)
    both_ways(lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True), [a, normal(2, 5, 3, seed=2)],
              a.swapaxes(1, 2) @ normal(2, 5, 3, seed=2).swapaxes(1, 2))
    both_ways(tf.matmul, [a[0], b[0]], a[0] @ b[0])
    both_ways(lambda x, y: tf.einsum("abc,acd->adb", x, y), [a, b], np.einsum("abc,acd->adb", a, b))
    both_ways(lambda x, y: tf.tensordot(x, y, [[2, 0], [1, 0]]), [a, b], np.tensordot(a, b, [[2, 0], [1, 0]]))
    both_ways(lambda x, y: tf.tensordot(x, y, 1), [a, b[0]], np.tensordot(a, b[0], 1))
    both_ways(tf.linalg.matvec, [a, normal(2, 4, seed=3)], np.einsum("abc,ac->ab", a, normal(2, 4, seed=3)))
    both_ways(tf.linalg.cross, [normal(4, 3), normal(4, 3, seed=1)], np.cross(normal(4, 3), normal(4, 3, seed=1)))
    for order, value in (("euclidean", 2), (1, 1), (np.inf, np.inf)):
        both_ways(lambda x: tf.norm(x, order, 1), [a], np.linalg.norm(a, value, 1))
    both_ways(lambda x: tf.linalg.normalize(x, axis=2), [a], [a / np.linalg.norm(a, 2, 2, True), np.linalg.norm(a, 2, 2, True)])
    both_ways(lambda x: tf.math.l2_normalize(x, 1), [a], a / np.linalg.norm(a, 2, 1, True))
    both_ways(lambda x, y: tf.linalg.global_norm([x, y]), [a, b], np.sqrt((a ** 2).sum() + (b ** 2).sum()))


def test_triangles():
    a = normal(2, 4, 4)
    whole = (a @ a.swapaxes(1, 2) + 4 * np.eye(4)).astype("float32")
    lower, b = np.linalg.cholesky(whole).astype("float32"), normal(2, 4, 3, seed=1)
    both_ways(tf.linalg.cholesky, [whole], lower, rtol=1e-4)
    both_ways(tf.linalg.triangular_solve, [whole, b], np.linalg.solve(np.tril(whole), b), rtol=1e-4)
    both_ways(lambda x, y: tf.linalg.triangular_solve(x, y, lower=False), [whole, b], np.linalg.solve(np.triu(whole), b),
              rtol=1e-4)
    both_ways(lambda x, y: tf.linalg.triangular_solve(x, y, adjoint=True), [lower, b],
              np.linalg.solve(lower.swapaxes(1, 2), b), rtol=1e-4)
    both_ways(tf.linalg.cholesky_solve, [lower, b], np.linalg.solve(whole, b), rtol=1e-3, atol=1e-5)
    with pytest.raises(ValueError, match="tf.linalg.cholesky takes square matrices"):
        tf.linalg.cholesky(normal(2, 3))


def test_diagonals():
    a, d = normal(2, 3, 4), normal(2, 3, seed=1)
    both_ways(tf.linalg.diag, [d], np.stack([np.diag(v) for v in d]))
    both_ways(tf.linalg.diag_part, [a], np.stack([np.diag(m) for m in a]))
    both_ways(tf.linalg.trace, [a], np.trace(a, axis1=1, axis2=2))
    both_ways(tf.linalg.matrix_transpose, [a], a.swapaxes(1, 2))
    wanted = a.copy()
    wanted[:, np.arange(3), np.arange(3)] = d
    both_ways(tf.linalg.set_diag, [a, d], wanted)
    both_ways(lambda x: tf.linalg.band_part(x, 1, 0), [a], np.tril(np.triu(a, -1)))
    both_ways(lambda x: tf.linalg.band_part(x, -1, 1), [a], np.tril(a, 1))


def test_clips_and_casts():
    x = normal(3, 4) * 3
    both_ways(lambda t: tf.clip_by_value(t, -1.0, 2.0), [x], x.clip(-1, 2))
    both_ways(lambda t: tf.clip_by_norm(t, 2.0), [x], x * 2 / np.linalg.norm(x))
    both_ways(lambda t: tf.clip_by_norm(t, 2.0, [1]), [x], x * 2 / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 2))
    both_ways(lambda t, u: tf.clip_by_global_norm([t, u], 1.0)[0], [x, x], [x / np.linalg.norm([x, x])] * 2)
    both_ways(lambda t: tf.cast(t, tf.int32), [x], np.trunc(x), exact_type="int32")
    both_ways(lambda t: tf.cast(t, tf.bool), [np.array([0, 2, -1], "int32")], [np.array([0, 1, 1])], exact_type="bool")
    both_ways(lambda t: tf.cast(t, tf.float16), [x], x, rtol=1e-3, exact_type="float16")
    both_ways(lambda t: tf.saturate_cast(t, tf.uint8), [np.array([-3.0, 7.7, 300], "float32")], [np.array([0, 7, 255])])
    both_ways(lambda t: tf.add_n([t, t, t]), [x], 3 * x)
    both_ways(lambda t: tf.math.accumulate_n([t, t]), [x], 2 * x)
    both_ways(lambda t: tf.where(t > 0, t, -1.0), [x], np.where(x > 0, x, -1))
    both_ways(lambda c, a: tf.where(c, a, [[1.0], [2.0], [3.0]]), [x > 0, x], np.where(x > 0, x, [[1], [2], [3]]))
    both_ways(lambda t: tf.math.polyval([2.0, -1.0, 3.0], t), [x], 2 * x * x - x + 3, rtol=1e-4)
    both_ways(tf.math.is_non_decreasing, [np.array([1, 1, 2], "int32")], True)
    both_ways(tf.math.is_strictly_increasing, [np.array([1, 1, 2], "int32")], False)
    both_ways(tf.math.zero_fraction, [np.array([0, 1, 0, 3], "float32")], 0.5)
    both_ways(tf.identity, [x], x)
    both_ways(tf.stop_gradient, [x], x)


def test_shapes():
    x = normal(2, 3, 4)
    rows = [
        (lambda t: tf.reshape(t, [4, -1]), x.reshape(4, 6)), (tf.transpose, x.T),
        (lambda t: tf.transpose(t, [1, 0, 2]), x.transpose(1, 0, 2)), (lambda t: tf.expand_dims(t, -2), x[:, :, None]),
        (lambda t: tf.squeeze(t[:, :1], 1), x[:, 0]), (lambda t: tf.squeeze(t[:1, :1]), x[0, 0]),
        (lambda t: tf.broadcast_to(t[:, :1], [5, 2, 3, 4]), np.broadcast_to(x[:, :1], (5, 2, 3, 4))),
        (lambda t: tf.tile(t, [1, 2, 3]), np.tile(x, (1, 2, 3))), (lambda t: tf.repeat(t, 2, 1), x.repeat(2, 1)),
        (lambda t: tf.repeat(t, [1, 0, 2], 1), x.repeat([1, 0, 2], 1)), (lambda t: tf.repeat(t, 2), x.repeat(2)),
        (lambda t: tf.pad(t, [[1, 0], [0, 2], [1, 1]]), np.pad(x, [[1, 0], [0, 2], [1, 1]])),
        (lambda t: tf.pad(t, [[0, 0], [1, 2], [0, 0]], constant_values=7.0),
         np.pad(x, [[0, 0], [1, 2], [0, 0]], constant_values=7)),
        (lambda t: tf.pad(t, [[0, 0], [2, 1], [3, 0]], "REFLECT"), np.pad(x, [[0, 0], [2, 1], [3, 0]], "reflect")),
        (lambda t: tf.pad(t, [[1, 2], [0, 3], [0, 0]], "SYMMETRIC"), np.pad(x, [[1, 2], [0, 3], [0, 0]], "symmetric")),
        (lambda t: tf.reverse(t, [0, -1]), x[::-1, :, ::-1]),
        (lambda t: tf.roll(t, [1, -2], [0, 2]), np.roll(x, (1, -2), (0, 2))),
        (lambda t: tf.concat([t, t], -1), np.concatenate([x, x], -1)), (lambda t: tf.stack([t, t], 2), np.stack([x, x], 2)),
        (lambda t: tf.unstack(t, axis=1), [x[:, i] for i in range(3)]), (lambda t: tf.split(t, 2, 2), np.split(x, 2, 2)),
        (lambda t: tf.split(t, [1, -1], 2), np.split(x, [1], 2)), (lambda t: tf.slice(t, [0, 1, 1], [2, -1, 2]), x[:, 1:, 1:3]),
        (lambda t: tf.strided_slice(t, [0, 2, 0], [2, 0, 4], [1, -1, 2]), x[0:2, 2:0:-1, 0:4:2]),
        (lambda t: tf.strided_slice(t, [1, 0, 1], [0, 0, 9], begin_mask=4, ellipsis_mask=2, shrink_axis_mask=1), x[1, ..., :9]),
        (lambda t: t[1, ..., ::2], x[1, ..., ::2]), (lambda t: t[:, ::-1, None, -1], x[:, ::-1, None, -1]),
        (lambda t: t[..., -3:-1], x[..., -3:-1]), (lambda t: tf.gather(t, [2, 0], axis=1), x[:, [2, 0]]),
        (lambda t: tf.gather(t, [[1, 0], [3, 3]], axis=2), x[:, :, [[1, 0], [3, 3]]]),
        (lambda t: tf.gather(t, [[1, 0], [2, 2]], batch_dims=1), np.stack([x[0, [1, 0]], x[1, [2, 2]]])),
        (lambda t: tf.gather(t, [[1, 0], [2, 2]], axis=2, batch_dims=1), np.stack([x[0][:, [1, 0]], x[1][:, [2, 2]]])),
        (lambda t: tf.gather(t, [[[1], [0], [2]], [[0], [2], [1]]], batch_dims=2),
         np.stack([x[b, r, j] for b, rows in enumerate([[1, 0, 2], [0, 2, 1]]) for r, j in enumerate(rows)]).reshape(2, 3, 1)),
        (lambda t: tf.gather_nd(t, [[0, 1], [1, 2]]), x[[0, 1], [1, 2]]),
        (lambda t: tf.boolean_mask(t, [True, False]), x[:1]), (lambda t: tf.zeros_like(t), x * 0),
        (lambda t: tf.ones_like(t, tf.int32), np.ones_like(x)), (lambda t: tf.shape(t), [np.array([2, 3, 4])]),
        (lambda t: tf.size(t), 24), (lambda t: tf.rank(t), 3), (lambda t: tf.ensure_shape(t, [2, None, 4]), x),
        (lambda t: tf.tensor_scatter_nd_update(t, [[1]], t[:1]), np.stack([x[0], x[0]])),
        (lambda t: tf.tensor_scatter_nd_add(t, [[1]], t[:1]), np.stack([x[0], x[1] + x[0]])),
        (lambda t: tf.scatter_nd([[2], [0], [2]], t[0], [4, 4]),
         np.stack([x[0, 1], 0 * x[0, 0], x[0, 0] + x[0, 2], 0 * x[0, 0]]))]
    for function, wanted in rows:
        both_ways(function, [x], wanted)


def test_making():
    both_ways(lambda i: tf.one_hot(i, 4), [np.array([0, 3, 5], "int32")], np.eye(6)[[0, 3, 5], :4])
    both_ways(lambda i: tf.one_hot(i, 3, 5.0, -1.0, 0), [np.array([0, 2], "int32")], np.where(np.eye(3)[[0, 2]], 5, -1).T)
    both_ways(lambda i: tf.one_hot(i, 3, dtype=tf.int32), [np.array([[0, 2]], "int32")], np.eye(3)[[[0, 2]]],
              exact_type="int32")
    both_ways(lambda v: tf.fill([2, 3], v), [np.float32(4)], np.full((2, 3), 4))
    both_ways(lambda n: tf.sequence_mask(n, 4), [np.array([1, 3], "int32")], [np.array([[1, 0, 0, 0], [1, 1, 1, 0]])])
    with pytest.raises(ValueError, match="tf.sequence_mask in a graph needs maxlen"):
        tf.function(tf.sequence_mask)(tf.constant([1, 3]))
    assert tf.range(2, 11, 3).numpy().tolist() == [2, 5, 8] and tf.range(3).dtype.name == "int32"
    assert tf.range(0.0, 1.0, 0.25).numpy().tolist() == [0, 0.25, 0.5, 0.75]
    np.testing.assert_allclose(tf.linspace(0.0, 1.0, 5), np.linspace(0, 1, 5))
    np.testing.assert_array_equal(tf.eye(2, 3, [2]), np.stack([np.eye(2, 3)] * 2))
    for form in ("xy", "ij"):
        for which, expected in enumerate(np.meshgrid([1., 2.], [3., 4., 5.], [6.], indexing=form)):
            both_ways(lambda *t: tf.meshgrid(*t, indexing=form)[which],
                      [np.array(v, np.float32) for v in ([1, 2], [3, 4, 5], [6])], expected.astype(np.float32))
    for wrong in ([-1], [3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 3\)"):
            tf.gather([1., 2., 3.], wrong)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 3\)"):
            tf.gather_nd([1., 2., 3.], [wrong])
    for a, b in zip(tf.meshgrid([1, 2], [3, 4, 5], indexing="ij"), np.meshgrid([1, 2], [3, 4, 5], indexing="ij")):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(tf.zeros([2, 3]), np.zeros((2, 3)))
    np.testing.assert_array_equal(tf.ones([2], tf.int32), [1, 1])
    assert tf.constant([1, 2], shape=[2, 1]).shape == (2, 1)


def soft(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


NN = {"relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
      "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
      "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x), "softsign": lambda x: x / (1 + abs(x)),
      "silu": lambda x: x * sigmoid(x), "swish": lambda x: x * sigmoid(x), "gelu": gelu, "softmax": soft,
      "log_softmax": lambda x: np.log(soft(x)), "sigmoid": sigmoid, "tanh": np.tanh, "softplus": lambda x: np.log1p(np.exp(x)),
      "log_sigmoid": lambda x: np.log(sigmoid(x)), "crelu": lambda x: np.maximum(np.concatenate([x, -x], -1), 0),
      "l2_loss": lambda x: (x * x).sum() / 2, "zero_fraction": lambda x: (x == 0).mean()}


@pytest.mark.parametrize("name", NN)
@pytest.mark.parametrize("dtype", FLOATS)
def test_nn_of_one(name, dtype):
    for shape in ((7,), (3, 5), (2, 1, 3, 2), *([()] if name not in ("softmax", "log_softmax", "crelu") else ())):
        x = (rng(1).normal(size=shape) * 3).astype(dtype)
        both_ways(getattr(tf.nn, name), [x], NN[name](x.astype(np.float64)), rtol=1e-4, atol=1e-5)


def test_nn_of_several():
    x, w = normal(3, 5) * 2, soft(normal(3, 5, seed=1).astype(np.float64)).astype("float32")
    labels = np.array([1, 4, 0], "int32")
    both_ways(lambda t: tf.nn.softmax(t, 0), [x], soft(x, 0))
    both_ways(lambda t: tf.nn.softmax_cross_entropy_with_logits(w, t), [x], -(w * np.log(soft(x))).sum(1))
    both_ways(lambda t: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, t), [x], -np.log(soft(x))[np.arange(3), labels])
    bits = (w > 0.2).astype("float32")
    ce = -(bits * np.log(sigmoid(x)) + (1 - bits) * np.log(1 - sigmoid(x)))
    both_ways(lambda t: tf.nn.sigmoid_cross_entropy_with_logits(bits, t), [x], ce, rtol=1e-4)
    weighted = -(3 * bits * np.log(sigmoid(x)) + (1 - bits) * np.log(1 - sigmoid(x)))
    both_ways(lambda t: tf.nn.weighted_cross_entropy_with_logits(bits, t, 3.0), [x], weighted, rtol=1e-4)
    both_ways(lambda t: tf.nn.log_poisson_loss(w, t), [x], np.exp(x) - x * w)
    both_ways(lambda t: tf.nn.bias_add(t, np.arange(5, dtype="float32")), [x], x + np.arange(5))
    both_ways(lambda t: tf.nn.moments(t, [0]), [x], [x.mean(0), x.var(0)])
    both_ways(lambda t: tf.nn.batch_normalization(t, 1.0, 4.0, 2.0, 3.0, 1e-3), [x], (x - 1) / np.sqrt(4.001) * 3 + 2)
    both_ways(lambda t: tf.nn.embedding_lookup(t, labels[:2] % 3), [x], x[labels[:2] % 3])
    images = normal(2, 4, 6, 8)
    both_ways(lambda t: tf.nn.space_to_depth(t, 2), [images],
              images.reshape(2, 2, 2, 3, 2, 8).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 32))
    both_ways(lambda t: tf.nn.depth_to_space(tf.nn.space_to_depth(t, 2), 2), [images], images)
    near = np.stack([(images[..., max(0, c - 2):c + 3] ** 2).sum(-1) for c in range(8)], -1)
    both_ways(lambda t: tf.nn.local_response_normalization(t, 2, 1.0, 0.5, 0.75), [images], images / (1 + 0.5 * near) ** 0.75)


def test_nn_of_fields():
    """Their gradients and strides are tested with the layers; here the forms of tf.nn agree with these."""
    from tensorflow import keras
    x = normal(2, 6, 6, 3)
    kernel, deep, point = normal(3, 3, 3, 4, seed=1), normal(3, 3, 3, 2, seed=2), normal(1, 1, 6, 5, seed=3)
    layer = keras.layers.Conv2D(4, 3, 2, "same", use_bias=False, weights=[kernel])
    both_ways(lambda t: tf.nn.conv2d(t, kernel, [1, 2, 2, 1], "SAME"), [x], layer(x).numpy(), rtol=1e-4, atol=1e-5)
    both_ways(lambda t: tf.nn.convolution(t, kernel, 2, "SAME"), [x], layer(x).numpy(), rtol=1e-4, atol=1e-5)
    layer = keras.layers.Conv2D(4, 3, dilation_rate=2, use_bias=False, weights=[kernel])
    both_ways(lambda t: tf.nn.atrous_conv2d(t, kernel, 2, "VALID"), [x], layer(x).numpy(), rtol=1e-4, atol=1e-5)
    layer = keras.layers.SeparableConv2D(5, 3, depth_multiplier=2, use_bias=False, weights=[deep, point])
    both_ways(lambda t: tf.nn.separable_conv2d(t, deep, point, [1, 1, 1, 1], "VALID"), [x], layer(x).numpy(), rtol=1e-4,
              atol=1e-5)
    layer = keras.layers.Conv2DTranspose(4, 3, 2, use_bias=False, weights=[normal(3, 3, 4, 3, seed=4)])
    both_ways(lambda t: tf.nn.conv2d_transpose(t, normal(3, 3, 4, 3, seed=4), [2, 13, 13, 4], 2, "VALID"), [x],
              layer(x).numpy(),
              rtol=1e-4, atol=1e-5)
    both_ways(lambda t: tf.nn.max_pool(t, 2, 2, "VALID"), [x], x.reshape(2, 3, 2, 3, 2, 3).max((2, 4)))
    both_ways(lambda t: tf.nn.avg_pool2d(t, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), [x], x.reshape(2, 3, 2, 3, 2, 3).mean((2, 4)))
    y = normal(1, 4, 4, 4, 2)
    both_ways(lambda t: tf.nn.max_pool3d(t, 2, 2, "VALID"), [y], y.reshape(1, 2, 2, 2, 2, 2, 2, 2).max((2, 4, 6)))
    both_ways(lambda t: tf.nn.avg_pool3d(t, 2, 2, "VALID"), [y], y.reshape(1, 2, 2, 2, 2, 2, 2, 2).mean((2, 4, 6)))


def test_images():
    x = rng(0).random((2, 4, 6, 3)).astype("float32")
    grey = (x * [0.2989, 0.587, 0.114]).sum(-1, keepdims=True)
    mean = x.mean((1, 2), keepdims=True)
    flat = x.mean((1, 2, 3), keepdims=True), x.std((1, 2, 3), keepdims=True)
    for name, function, wanted in (
            ("flip_left_right", tf.image.flip_left_right, x[:, :, ::-1]), ("flip_up_down", tf.image.flip_up_down, x[:, ::-1]),
            ("transpose", tf.image.transpose, x.transpose(0, 2, 1, 3)), ("rot90", tf.image.rot90, np.rot90(x, 1, (1, 2))),
            ("rot90 3", lambda t: tf.image.rot90(t, 3), np.rot90(x, 3, (1, 2))),
            ("crop", lambda t: tf.image.crop_to_bounding_box(t, 1, 2, 2, 3), x[:, 1:3, 2:5]),
            ("pad", lambda t: tf.image.pad_to_bounding_box(t, 1, 2, 6, 9), np.pad(x, [[0, 0], [1, 1], [2, 1], [0, 0]])),
            ("central", lambda t: tf.image.central_crop(t, 0.5), x[:, 1:3, 1:5]),
            ("crop or pad", lambda t: tf.image.resize_with_crop_or_pad(t, 2, 8),
             np.pad(x[:, 1:3], [[0, 0], [0, 0], [1, 1], [0, 0]])),
            ("brightness", lambda t: tf.image.adjust_brightness(t, 0.2), x + 0.2),
            ("contrast", lambda t: tf.image.adjust_contrast(t, 2.0), (x - mean) * 2 + mean),
            ("standard", tf.image.per_image_standardization, (x - flat[0]) / flat[1]),
            ("grey", tf.image.rgb_to_grayscale, grey),
            ("rgb", lambda t: tf.image.grayscale_to_rgb(t[..., :1]), x[..., :1].repeat(3, -1)),
            ("total", tf.image.total_variation,
             abs(np.diff(x, axis=1)).sum((1, 2, 3)) + abs(np.diff(x, axis=2)).sum((1, 2, 3))),
            ("nearest", lambda t: tf.image.resize(t, [8, 3], "nearest"), x[:, np.arange(8) // 2][:, :, [1, 3, 5]]),
            ("area", lambda t: tf.image.resize(t, [2, 3], "area"), x.reshape(2, 2, 2, 3, 2, 3).mean((2, 4)))):
        both_ways(function, [x], wanted, rtol=1e-4, atol=1e-5)
    eight = np.array([[[0, 128, 255]]], "uint8")
    np.testing.assert_allclose(tf.image.convert_image_dtype(eight, tf.float32), eight / 255, rtol=1e-5)
    np.testing.assert_array_equal(tf.image.convert_image_dtype(eight / np.float32(255), tf.uint8), eight)
    assert float(tf.image.psnr(x[0], x[0] + np.float32(0.1), 1.0)) == pytest.approx(20, abs=1e-3)
    for change in (tf.image.random_flip_left_right, tf.image.random_flip_up_down,
                   lambda t: tf.image.random_brightness(t, 0.1), lambda t: tf.image.random_contrast(t, 0.5, 1.5)):
        assert change(x).shape == x.shape and tf.function(change)(tf.constant(x)).shape == x.shape
    corner = tf.image.random_crop(x[0], [2, 2, 3]).numpy()
    assert any((corner == x[0, i:i + 2, j:j + 2]).all() for i in range(3) for j in range(5))


def test_random_numbers():
    for how in (lambda f: f(), lambda f: tf.function(f)()):
        x = how(lambda: tf.random.normal([200, 200], 1.0, 2.0)).numpy()
        assert abs(x.mean() - 1) < 0.05 and abs(x.std() - 2) < 0.05
        x = how(lambda: tf.random.uniform([200, 200], -1.0, 3.0)).numpy()
        assert x.min() >= -1 and x.max() < 3 and abs(x.mean() - 1) < 0.05
        x = how(lambda: tf.random.uniform([2000], 2, 5, tf.int32)).numpy()
        assert set(x) == {2, 3, 4}
        x = how(lambda: tf.random.truncated_normal([200, 200], 1.0, 2.0)).numpy()
        assert np.abs(x - 1).max() <= 4.001 and abs(x.std() - 2 * 0.8796) < 0.05


def test_no_operation_is_without_a_test():
    import pathlib
    text = pathlib.Path(__file__).read_text()
    plain = {"to_float", "to_int32", "softmax_cross_entropy_with_logits_v2", "ResizeMethod", "conv1d", "conv3d",
             "conv1d_transpose",
             "conv3d_transpose", "depthwise_conv2d", "avg_pool", "max_pool2d", "max_pool1d", "avg_pool1d", "dropout", "lrn",
             "tensor_diag_part", "einsum"}  # other names, or tested with the layers
    for module in (math_ops, array_ops, nn_ops, nn_more_ops, counting_ops, special_ops, linalg_ops, image_ops):
        for name in module.names:
            assert name in plain or name in text, name


@pytest.mark.parametrize("call,text", [
    (lambda: tf.image.resize(normal(4, 4, 3), [2, 2], "lanczos3"), "lanczos3"),
    (lambda: tf.image.resize(normal(4, 4, 3), [2, 2], antialias=True), "antialias"),
    (lambda: tf.exp([1, 2]), "int32"), (lambda: tf.sort([1.0], direction="UP"), "direction"),
    (lambda: tf.reshape(normal(4), [3]), "[Rr]eshape"), (lambda: tf.matmul(normal(2, 3), normal(2, 3)), "MatMul"),
    (lambda: tf.linalg.diag_part(normal(3, 3), k=1), "k "), (lambda: tf.add(tf.constant(1), tf.constant(1.0)), "int32"),
    (lambda: tf.concat([normal(2, 3), normal(2, 4)], 0), "Concat"), (lambda: tf.math.bincount([1], axis=0), "axis"),
    (lambda: tf.split(normal(5), 2), "Split"), (lambda: tf.nn.dropout(normal(3), 1.5), "rate"),
    (lambda: tf.math.lgamma(1.0), "lgamma"), (lambda: tf.squeeze(normal(2, 3), 0), "Squeeze")])
def test_errors_have_names(call, text):
    with pytest.raises(Exception, match=text):
        call()
