# SPDX-License-Identifier: MIT
"""Models of opsets before 6, whose operators did not change since."""
import numpy as np
import popart
import pytest
from harness import run_model
from onnx import TensorProto, helper

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def old(kind, opset=1):
    graph = helper.make_graph([helper.make_node(kind, ["x"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 3, 3])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, None, None])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return model.SerializeToString()


@pytest.mark.parametrize("kind, want", [("Softplus", lambda x: np.log1p(np.exp(x))),
                                        ("Softsign", lambda x: x / (1 + np.abs(x))),
                                        ("GlobalAveragePool", lambda x: x.mean((2, 3), keepdims=True)),
                                        ("GlobalMaxPool", lambda x: x.max((2, 3), keepdims=True))])
@pytest.mark.parametrize("opset", [1, 5])
def test_operators_that_did_not_change_since_opset_1_are_read(kind, want, opset):
    x = real(1, 2, 3, 3)
    (got,) = run_model(old(kind, opset), ["y"], {"x": x})
    np.testing.assert_allclose(got, want(x), rtol=1e-5)
    assert popart.Builder(old(kind, opset)).getTensorShape("y") == list(want(x).shape)


def test_operators_that_changed_before_opset_6_are_named():
    with pytest.raises(popart.popart_exception, match="version 1 of ai.onnx, in which Relu is not the operator"):
        run_model(old("Relu"), ["y"], {})
