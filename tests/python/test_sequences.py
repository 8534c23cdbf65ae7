# SPDX-License-Identifier: MIT
"""Models whose inputs and outputs are sequences or optional values."""
import numpy as np
import popart
import pytest
from harness import device
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def tensor(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def sequence(name, shape):
    return helper.make_tensor_sequence_value_info(name, FLOAT, shape)


def optional(name, shape):
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, shape)))


def run(nodes, inputs, outputs, shapes, anchors, feeds, opset=16):
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    known = popart.InputShapeInfo()
    for name, shape in shapes.items():
        known.add(name, popart.TensorInfo("FLOAT", shape))
    session = popart.InferenceSession(model.SerializeToString(), popart.DataFlow(1, anchors), device(),
                                      inputShapeInfo=known)
    session.prepareDevice()
    arrays = session.initAnchorArrays()
    session.run(popart.PyStepIO(feeds, arrays))
    return [arrays[name] for name in anchors]


def test_a_sequence_is_fed_and_read_one_by_one():
    a, b = np.array([1, 2], np.float32), np.array([3], np.float32)
    nodes = [helper.make_node("SequenceInsert", ["s", "t"], ["y"])]
    got = run(nodes, [sequence("s", None), tensor("t", [1])], [sequence("y", None)],
              {"s/0": [2], "s/1": [1]}, ["y/0", "y/1", "y/2"], {"s/0": a, "s/1": b, "t": -b})
    for result, want in zip(got, (a, b, -b)):
        np.testing.assert_array_equal(result, want)


def test_tensors_of_one_shape_are_given_at_once():
    nodes = [helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)]
    feeds = {f"s/{i}": np.full(2, i, np.float32) for i in range(3)}
    (got,) = run(nodes, [sequence("s", [2])], [tensor("y", [6])], {"s": [3, 2]}, ["y"], feeds)
    np.testing.assert_array_equal(got, [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("there", [True, False])
def test_optional_inputs_are_there_if_they_are_named(there):
    x, y = np.array([1, -2], np.float32), np.array([5, 6], np.float32)
    then = helper.make_graph([helper.make_node("OptionalGetElement", ["o"], ["u"])], "t", [], [tensor("u", [2])])
    other = helper.make_graph([helper.make_node("Neg", ["x"], ["v"])], "e", [], [tensor("v", [2])])
    nodes = [helper.make_node("OptionalHasElement", ["o"], ["has"]),
             helper.make_node("If", ["has"], ["y"], then_branch=then, else_branch=other)]
    (got,) = run(nodes, [optional("o", [2]), tensor("x", [2])], [tensor("y", [2])], {"o": [2]} if there else {},
                 ["y"], {"o": y, "x": x} if there else {"x": x})
    np.testing.assert_array_equal(got, y if there else -x)


def test_what_is_not_there_cannot_be_had():
    with pytest.raises(popart.popart_exception, match='OptionalGetElement: "o" is not there'):
        run([helper.make_node("OptionalGetElement", ["o"], ["y"])], [optional("o", [2])], [tensor("y", [2])], {}, ["y"], {})


def test_sequences_pass_through_branches_and_loops():
    a, b = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
    fixed = lambda name, array: helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
    branches = [helper.make_graph([helper.make_node("SequenceConstruct", given, [out])], out, [], [sequence(out, [2])])
                for given, out in ((["a"], "u"), (["b", "b"], "v"))]
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["on2"]), helper.make_node("Add", ["t", "a"], ["t2"]),
         helper.make_node("SequenceInsert", ["s", "t2"], ["s2"])], "loop",
        [tensor("i", [], TensorProto.INT64), tensor("on", [], TensorProto.BOOL), tensor("t", [2]), sequence("s", [2])],
        [tensor("on2", [], TensorProto.BOOL), tensor("t2", [2]), sequence("s2", [2])])
    nodes = [fixed("yes", np.array(True)), fixed("trip", np.array(3, np.int64)),
             helper.make_node("If", ["yes"], ["start"], then_branch=branches[0], else_branch=branches[1]),
             helper.make_node("Loop", ["trip", "yes", "b", "start"], ["sum", "all"], body=body),
             helper.make_node("ConcatFromSequence", ["all"], ["y"], axis=0)]
    total, y = run(nodes, [tensor("a", [2]), tensor("b", [2])], [tensor("sum", [2]), tensor("y", [8])], {},
                   ["sum", "y"], {"a": a, "b": b})
    np.testing.assert_array_equal(total, b + 3 * a)
    np.testing.assert_array_equal(y, np.concatenate([a, b + a, b + 2 * a, b + 3 * a]))


def test_the_length_of_a_sequence_must_be_known():
    with pytest.raises(popart.popart_exception, match='"s" of SequenceLength is a sequence, whose length must be known'):
        run([helper.make_node("SequenceLength", ["s"], ["n"])], [sequence("s", [2])],
            [tensor("n", [], TensorProto.INT64)], {}, ["n"], {})
