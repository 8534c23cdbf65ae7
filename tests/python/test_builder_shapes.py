# SPDX-License-Identifier: MIT
"""What the Builder knows of types and shapes, and what it leaves to the session."""
import numpy as np
import popart
import pytest
from harness import builder_of, input_of, run_model


def test_types_are_the_sessions_business():
    b = builder_of()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
    i = b.addInputTensor(popart.TensorInfo("INT32", [2, 3]))
    assert b.getTensorShape(b.aiOnnx.sqrt([i])) == [2, 3]
    assert b.getTensorShape(b.aiOnnx.gather([x, x])) == [2, 3, 3]
    y = b.aiOnnx.logical_and([x, x])
    assert b.getTensorShape(y) == [2, 3] and b.getTensorDtypeString(y) == "bool"
    with pytest.raises(popart.popart_exception, match="it must be|they must be"):
        run_model(b.getModelProto(), [y], {})


def test_a_shape_may_be_an_initialiser_of_any_integer_type():
    b = builder_of()
    shape = b.aiOnnx.cast([b.addInitializedInputTensor(np.array([2, 3], np.int32))], "INT64")
    y = b.aiOnnx.constantofshape([shape], np.array([3], np.float32))
    (got,) = run_model(b.getModelProto(), [y], {})
    np.testing.assert_array_equal(got, np.full((2, 3), 3, np.float32))


def test_a_shape_that_is_fed_is_refused_by_the_session():
    b = builder_of()
    shape = b.addInputTensor(popart.TensorInfo("INT64", [2]))
    y = b.aiOnnx.constantofshape([shape], np.array([3], np.float32))
    with pytest.raises(popart.popart_exception, match="ConstantOfShape.*must be known when the model is compiled"):
        run_model(b.getModelProto(), [y], {})


def test_bodies_know_the_constants_around_them():
    b, values = builder_of(), np.array([1, 5, 3, 4], np.float32)
    x, condition = input_of(b, values), b.addInputTensor(popart.TensorInfo("BOOL", []))
    k = b.aiOnnx.constant(np.array([2], np.int64))
    bodies = []
    for largest in (1, 0):
        body = b.createSubgraphBuilder()
        found = body.aiOnnx.topk([x, k], largest=largest)[0]
        assert body.getTensorShape(found) == [2]
        body.addOutputTensor(found)
        bodies.append(body)
    (y,) = b.aiOnnx.logical_if([condition], 1, bodies[1], bodies[0])
    assert b.getTensorShape(y) == [2]
    (got,) = run_model(b.getModelProto(), [y], {x: values, condition: np.array(True)})
    np.testing.assert_array_equal(got, [5, 4])


@pytest.mark.parametrize("typed", [True, False])
def test_the_builder_knows_what_a_call_gives(typed):
    b = builder_of()
    x = b.addInputTensor(popart.TensorInfo("FLOAT16", [5, 2]))
    body = b.createSubgraphBuilder()
    inner = body.addInputTensor(popart.TensorInfo("FLOAT16", [5, 2])) if typed else body.addUntypedInputTensor()
    body.addOutputTensor(body.aiOnnx.transpose([inner], [1, 0]))
    (y,) = b.aiGraphcore.call([x], 1, body)
    assert (b.getTensorShape(y), b.getTensorDtypeString(y)) == ([2, 5], "float16")
