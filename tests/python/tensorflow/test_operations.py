# SPDX-License-Identifier: MIT
"""Every operation that numpy computes at once gives the same in a graph; and every operation has a case here."""
import json

import numpy as np
import popart
import pytest
import tensorflow as tf
from tensorflow import _core
from tensorflow.framework import devices, facts
from tensorflow.framework.context import tracing
from tensorflow.framework.dispatch import apply
from tensorflow.framework.execution import Executable
from tensorflow.framework.graphs import Graph
from tensorflow.framework.tensors import EagerTensor

RNG = np.random.default_rng(5)


def f(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype("float32")


def i(*shape, low=-5, high=6):
    return RNG.integers(low, high, shape).astype("int32")


def n(*values):
    return np.array(values, "int32")


POSITIVE = {"Log", "Sqrt", "Rsqrt", "Log1p", "Acosh"}
INSIDE = {"Asin", "Acos", "Atanh"}
UNARY = ("Abs Neg Exp Log Log1p Expm1 Sqrt Rsqrt Sign Floor Ceil Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh "
         "Erf "
         "Erfc Relu Selu Softplus Softsign Sigmoid Reciprocal Square Rint Round Relu6 Silu Elu LeakyRelu Identity StopGradient "
         "UpstreamGradient ZerosLike OnesLike IsNan IsInf IsFinite").split()
CASES = {name: [([f(3, 4, low=1.1 if name in POSITIVE else -0.9 if name in INSIDE else -2.0,
                    high=3.0 if name in POSITIVE else 0.9 if name in INSIDE else 2.0)], {})] for name in UNARY}
for name in "Add AddV2 Sub Mul Maximum Minimum SquaredDifference".split():
    CASES[name] = [([f(3, 4), f(4)], {}), ([i(3, 1), i(1, 4)], {})]
for name in "Equal NotEqual Less LessEqual Greater GreaterEqual".split():
    CASES[name] = [([i(3, 4, low=0, high=3), i(3, 4, low=0, high=3)], {}), ([f(3), f(2, 3)], {})]
for name in "LogicalAnd LogicalOr LogicalXor".split():
    CASES[name] = [([i(3, 4) > 0, i(4) > 0], {})]
for name in "Sum Mean Max Min Prod LogSumExp EuclideanNorm".split():
    CASES[name] = [([f(3, 4, 5), n(0, 2)], {}), ([f(3, 4), n(-1)], {"keep_dims": True}), ([f(6), n(0)], {})]
for name in "All Any".split():
    CASES[name] = [([i(3, 4) > -4, n(1)], {}), ([i(3, 4) > 4, n(0, 1)], {"keep_dims": True})]
for name in "MatMul BatchMatMul BatchMatMulV2".split():
    turned = ("transpose_a", "transpose_b") if name == "MatMul" else ("adj_x", "adj_y")
    CASES[name] = [([f(3, 4), f(4, 5)], {}), ([f(4, 3), f(5, 4)], dict.fromkeys(turned, True))]
    if name != "MatMul":
        CASES[name].append(([f(2, 3, 4), f(2, 4, 5)], {}))
CASES |= {
    "LogicalNot": [([i(3, 4) > 0], {})],
    "RealDiv": [([f(3, 4), f(4, low=0.5)], {})], "Div": [([f(3, 4), f(4, low=0.5)], {})],
    "Pow": [([f(3, 4, low=0.1), f(4)], {})], "Atan2": [([f(3, 4), f(3, 4)], {})],
    "FloorDiv": [([i(20), np.where(i(20) == 0, 3, i(20, low=1)).astype("int32")], {}), ([f(9), f(9, low=0.5)], {}),
                 ([i(20), -i(20, low=1)], {})],
    "FloorMod": [([i(20), i(20, low=1)], {}), ([i(20), -i(20, low=1)], {}), ([f(9), f(9, low=0.5)], {})],
    "AddN": [([f(3), f(3), f(3)], {})], "DivNoNan": [([f(4), np.array([1, 0, 2, 0], "float32")], {})],
    "MulNoNan": [([np.array([np.inf, 1], "float32"), np.array([0, 2], "float32")], {})],
    "SelectV2": [([i(3, 4) > 0, f(3, 4), f(4)], {})], "ClipByValue": [([f(9), np.float32(-1), np.float32(1)], {})],
    "Cast": [([f(9)], {"DstT": tf.int32}), ([i(9)], {"DstT": tf.float32}), ([i(9)], {"DstT": tf.bool}),
             ([f(9)], {"DstT": tf.float16})],
    "BiasAdd": [([f(2, 3, 4), f(4)], {}), ([f(2, 3, 4), f(3)], {"data_format": "NCW"})],
    "Einsum": [([f(3, 4), f(4, 5)], {"equation": "ij,jk->ki"})],
    "ArgMax": [([f(3, 4), n(1)[0]], {})], "ArgMin": [([f(3, 4), n(-2)[0]], {})],
    "Cumsum": [([f(3, 4), n(1)[0]], {}), ([f(3, 4), n(0)[0]], {"exclusive": True, "reverse": True})],
    "TopKV2": [([f(3, 6), np.int32(2)], {})], "Softmax": [([f(3, 4)], {})], "LogSoftmax": [([f(3, 4)], {})],
    "Reshape": [([f(3, 4), n(2, -1)], {})], "Shape": [([f(3, 4)], {})], "Size": [([f(3, 4)], {})],
    "Transpose": [([f(2, 3, 4), n(2, 0, 1)], {})], "ExpandDims": [([f(3, 4), n(-2)[0]], {})],
    "Squeeze": [([f(1, 3, 1)], {}), ([f(1, 3, 1)], {"squeeze_dims": [2]})], "BroadcastTo": [([f(3, 1), n(2, 3, 4)], {})],
    "Tile": [([f(2, 3), n(2, 3)], {})], "Pad": [([f(2, 3), np.array([[1, 0], [0, 2]], "int32")], {})],
    "PadV2": [([f(2, 3), np.array([[1, 0], [0, 2]], "int32"), np.float32(7)], {})],
    "MirrorPad": [([f(3, 4), np.array([[1, 1], [2, 0]], "int32")], {"mode": m}) for m in ("REFLECT", "SYMMETRIC")],
    "ReverseV2": [([f(3, 4), n(0, 1)], {})], "ConcatV2": [([f(2, 3), f(2, 1), n(1)[0]], {})],
    "Pack": [([f(3), f(3)], {"axis": 1})], "Unpack": [([f(3, 2)], {"axis": 1, "num": 2})],
    "Split": [([n(1)[0], f(2, 6)], {"num_split": 3})], "SplitV": [([f(6, 2), n(1, -1, 2), n(0)[0]], {})],
    "StridedSlice": [([f(5, 6)], {"begin": [1, 0], "end": [5, 6], "strides": [2, 1]}),
                     ([f(5, 6)], {"begin": [4, 5], "end": [-1, 1], "strides": [-1, -2]})],
    "Slice": [([f(5, 6), n(1, 2), n(3, 4)], {})],
    "GatherV2": [([f(5, 3), n(0, 4, 4), n(0)[0]], {}), ([f(2, 5, 3), np.array([[0, 1], [4, 2]], "int32"), n(1)[0]],
                                                        {"batch_dims": 1})],
    "GatherNd": [([f(3, 4, 2), np.array([[0, 1], [2, 3]], "int32")], {})],
    "OneHot": [([n(0, 2, 5), np.int32(4), np.float32(2), np.float32(-1)], {}),
               ([n(0, 2), np.int32(3), np.float32(1), np.float32(0)], {"axis": 0})],
    "TensorScatterUpdate": [([f(4, 2), np.array([[1], [3]], "int32"), f(2, 2)], {})],
    "TensorScatterAdd": [([f(4, 2), np.array([[1], [1]], "int32"), f(2, 2)], {})],
    "UnsortedSegmentSum": [([f(4, 2), n(0, 2, 2, 1)], {"num_segments": 3})],
    "Fill": [([n(2, 3), np.float32(1.5)], {})], "Range": [([np.int32(1), np.int32(9), np.int32(3)], {})],
    "UpperTriangle": [([f(4, 4)], {"k": 1})], "LowerTriangle": [([f(4, 4)], {"k": -1})],
}
# Tested elsewhere: convolutions and pools (test_convolutions.py), random numbers, loops, gradients, norms, replicas; and
# those that have a case against a formula below.
ELSEWHERE = {name for name in _core.operations() if name.startswith(("Conv", "Depthwise", "MaxPool", "AvgPool", "Random",
                                                                     "Truncated"))}
ELSEWHERE |= {"Dropout", "While", "If", "Gradients", "CrossReplicaSum", "FusedBatchNormV3", "LayerNorm", "GroupNorm"}
ELSEWHERE |= {"LSTMLayer", "GRULayer", "RNNLayer"}  # test_layers_recurrent.py


def outputs_of(op, attributes):
    return {"Unpack": 2, "TopKV2": 2, "Split": 3, "SplitV": 3}.get(op, 1)


@pytest.mark.parametrize("op", sorted(CASES))
def test_both_ways_agree(op):
    for inputs, attributes in CASES[op]:
        count = outputs_of(op, attributes)
        now = apply(op, [EagerTensor(np.asarray(x)) for x in inputs], attributes, count)
        graph = Graph()
        fixed = facts.constants(op, len(inputs))
        with tracing(graph):
            given = [graph.constant(x) if k in fixed else graph.input(np.shape(x), np.asarray(x).dtype)
                     for k, x in enumerate(inputs)]
            made = apply(op, given, attributes, count)
        graph.finish([made] if count == 1 else made)
        results = Executable(graph, devices.host())([x for k, x in enumerate(inputs) if k not in fixed])
        for a, b, t in zip([now] if count == 1 else now, results, [made] if count == 1 else made):
            assert tuple(t.shape) == a.array.shape
            np.testing.assert_allclose(np.asarray(b, np.float64), np.asarray(a.array, np.float64), rtol=2e-5, atol=1e-6)


def turns_between_convolutions(op):
    """How often a tensor is turned around conv, op, conv, all with channels last."""
    more = {"ClipByValue": [np.float32(-1), np.float32(1)]}.get(op, [np.float32(2)] if op in BINARY else [])
    attributes = {"Cast": {"DstT": tf.float32}, "Dropout": {"rate": 0.5}}.get(op, {})
    graph = Graph()
    with tracing(graph):
        y = tf.nn.conv2d(graph.input((2, 6, 6, 3), "float32"), f(3, 3, 3, 4), 1, "VALID")
        graph.finish([tf.nn.conv2d(apply(op, [y, *more], attributes), f(3, 3, 4, 2), 1, "VALID")])
    executable = Executable(graph, devices.host())
    executable([f(2, 6, 6, 3)])
    nodes = next(iter(json.loads(executable.session._serializeIr(popart.IrSerializationFormat.JSON)).values()))
    return sum("Transpose" in node["type"] for node in nodes)


BINARY = "Add AddV2 Sub Mul RealDiv Maximum Minimum".split()


@pytest.mark.parametrize("op", sorted(name for name, row in facts.TABLE.items() if row.keeps_order))
def test_nothing_is_turned_around_what_keeps_the_order(op):
    assert turns_between_convolutions(op) < turns_between_convolutions("Floor")


def test_no_operation_is_left_out():
    covered = set(CASES) | ELSEWHERE | {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
                                        "NegativeLogLikelihood", "InTopKV2", "Gelu"} | {
        "WeightGradient", "CustomGradient", "UserOp", "HostCall", "CrossReplicaMean", "AllGather", "AllToAll", "ReplicaIndex",
        "PrintTensor", "RecomputationCheckpoint"}  # in test_custom.py, test_arguments.py and others
    assert set(_core.operations()) <= covered, sorted(set(_core.operations()) - covered)
    assert {name for name, row in facts.TABLE.items() if row.numpy is not None} <= set(CASES)
    assert set(facts.TABLE) <= set(_core.operations()), "a row of an operation that no converter knows"


def test_losses_of_scores():
    x, labels = f(6, 5), i(6, low=0, high=5)
    logs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    expected = -logs[np.arange(6), labels]
    np.testing.assert_allclose(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), expected, rtol=1e-5)
    rows = f(6, 5, low=0.0)
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(rows, x), -(rows * logs).sum(-1), rtol=1e-5)
    np.testing.assert_allclose(apply("NegativeLogLikelihood", [EagerTensor(np.exp(logs)), EagerTensor(labels)]), expected,
                               rtol=1e-4)
    top = np.argsort(-x, 1)[:, :2]
    np.testing.assert_array_equal(tf.math.in_top_k(labels, x, 2), (top == labels[:, None]).any(1))


def test_gelu():
    import math
    x = f(20)
    expected = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x]
    np.testing.assert_allclose(tf.nn.gelu(x), expected, rtol=1e-4, atol=1e-6)


def test_random_numbers_have_their_distribution():
    @tf.function
    def draw():
        return (tf.random.normal([20000], 1.0, 2.0), tf.random.uniform([20000], -1.0, 3.0), tf.random.truncated_normal([20000]),
                tf.random.uniform([20000], 2, 7, tf.int32))

    for make in (draw, draw.python_function):
        normal, uniform, truncated, whole = (t.numpy() for t in make())
        assert abs(normal.mean() - 1) < 0.06 and abs(normal.std() - 2) < 0.06
        assert abs(uniform.mean() - 1) < 0.05 and uniform.min() >= -1 and uniform.max() < 3
        assert np.abs(truncated).max() <= 2.0001 and abs(truncated.std() - 0.8796) < 0.03
        assert sorted(set(whole)) == [2, 3, 4, 5, 6]


def test_indexing_is_numpys():
    x = f(4, 5, 6)

    @tf.function
    def parts(t):
        return [t[1], t[-1, 2], t[:, 1:3], t[..., ::2], t[::-1, :, 0], t[:, None, 2], t[1:, ..., -1:], t[tf.constant(2)]]

    expected = [x[1], x[-1, 2], x[:, 1:3], x[..., ::2], x[::-1, :, 0], x[:, None, 2], x[1:, ..., -1:], x[2]]
    for make in (parts, parts.python_function):
        for a, b in zip(make(tf.constant(x)), expected):
            np.testing.assert_array_equal(a, b)


def test_types_are_tensorflows():
    assert tf.constant(1).dtype == tf.int32 and tf.constant(1.0).dtype == tf.float32
    assert tf.constant(np.ones(2)).dtype == tf.float64 and (tf.constant([1, 2]) / 2).dtype == tf.float64
    assert tf.argmax([1.0, 2.0]).dtype == tf.int64 and tf.shape(tf.zeros([2])).dtype == tf.int32
    assert (tf.constant([1.0]) * 2).dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float"):
        tf.constant(1.0) + tf.constant(1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.constant([[1], [1, 2]])
