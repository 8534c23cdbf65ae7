# SPDX-License-Identifier: MIT
"""BFLOAT16, which numpy does not have: arrays hold its bits."""
import numpy as np
from harness import run_model
from onnx import TensorProto, helper

FLOAT, BRAIN = TensorProto.FLOAT, TensorProto.BFLOAT16


def run(nodes, x, kind, anchors):
    """Of a model that reads x, of one type, and gives the anchors, each with its type."""
    shape = list(x.shape)
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", kind, shape)],
                              [helper.make_tensor_value_info(name, to, shape) for name, to in anchors.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    return run_model(model.SerializeToString(), list(anchors), {"x": x})


def bits(values):  # the nearest BFLOAT16, ties to even
    whole = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((whole + 0x7fff + (whole >> 16 & 1)) >> 16).astype(np.uint16)


def values_of(array):
    return (array.astype(np.uint32) << 16).view(np.float32)


def test_bfloat16_is_fed_and_returned_as_its_bits():
    x = bits([1, -2.5, 3e38, 1e-30, 0, np.inf])
    nodes = [helper.make_node("Mul", ["x", "x"], ["y"]), helper.make_node("Cast", ["x"], ["f"], to=FLOAT)]
    y, f = run(nodes, x, BRAIN, {"y": BRAIN, "f": FLOAT})
    assert y.dtype == np.uint16 and f.dtype == np.float32
    np.testing.assert_array_equal(f, values_of(x))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(y, bits(values_of(x) ** 2))


def test_bfloat16_rounds_to_the_nearest_even():
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -1 - 2**-9, np.nan], np.float32)
    nodes = [helper.make_node("Cast", ["x"], ["y"], to=BRAIN)]
    (y,) = run(nodes, x, FLOAT, {"y": BRAIN})
    np.testing.assert_array_equal(y[:4], bits(x[:4]))
    assert np.isnan(values_of(y)[4])
