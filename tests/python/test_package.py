# SPDX-License-Identifier: MIT
"""The package's own parts: options, types, the Builder, GraphTransformer, the log."""
import numpy as np
import onnx
import popart
import pytest
from harness import device, infer
from onnx import TensorProto, helper, numpy_helper


def test_options_that_are_maps_write_through():
    options = popart.SessionOptions()
    options.engineOptions["debug.instrument"] = "true"
    options.engineOptions.update({"a": "b"})
    assert dict(options.engineOptions) == {"debug.instrument": "true", "a": "b"}
    assert options.engineOptions == {"debug.instrument": "true", "a": "b"} and "a" in options.engineOptions
    del options.engineOptions["a"]
    options.engineOptions = {"c": "d"}
    assert list(options.engineOptions.items()) == [("c", "d")] and options.engineOptions.get("x", 1) == 1
    with pytest.raises(KeyError):
        options.engineOptions["x"]
    where = popart.TensorLocation(popart.TensorStorage.OffChip)
    options.tensorLocationSettingsOverride["w"] = where
    assert options.tensorLocationSettingsOverride["w"].storage == popart.TensorStorage.OffChip
    options.weightTensorLocationSettings.location.storage = popart.TensorStorage.OffChip
    assert options.weightTensorLocationSettings.location.storage == popart.TensorStorage.OffChip
    with pytest.raises(AttributeError):
        options.noSuchOption


def test_tensor_info():
    for given, name, dtype in (("FLOAT", "FLOAT", "float32"), (np.float16, "FLOAT16", "float16"),
                               (np.dtype("int64"), "INT64", "int64"), (bool, "BOOL", "bool"),
                               ("INT32", "INT32", "int32"), (np.uint8, "UINT8", "uint8")):
        info = popart.TensorInfo(given, [2, 3])
        assert (info.data_type(), info.data_type_lcase(), info.shape()) == (name, dtype, [2, 3])
        assert info.nelms() == 6 and info.nbytes() == 6 * np.dtype(dtype).itemsize
    assert popart.TensorInfo(np.zeros((4, 1), np.float32)) == popart.TensorInfo("FLOAT", [4, 1])
    with pytest.raises(popart.popart_exception):
        popart.TensorInfo("FLOTE", [1])


def test_names_of_the_builder():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2])
    assert (x, b.addInputTensor("FLOAT", [2])) == ("input", "input/1")
    with b.nameScope("layer"):
        y = b.aiOnnx.relu([x])
        with b.nameScope("inner"):
            assert b.getNameScope("n") == "layer/inner/n"
    assert y == "layer/Relu:0" and b.getTensorShape(y) == [2] and b.getTensorDtypeString(y) == "float32"
    assert b.addInitializedInputTensor(np.zeros(1, np.float32), "w") == "w" and b.isInitializer("w")
    with pytest.raises(RuntimeError):
        b.aiOnnxOpset11
    with pytest.raises(popart.popart_exception, match="nothing"):
        b.aiOnnx.relu(["nothing"])


def test_scopes_of_the_builder():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2])
    with b.virtualGraph(1), b.pipelineStage(2):
        inner = b.aiOnnx.relu([x])
        with b.virtualGraph(3), b.schedulePriority(2.0), b.outlineAttributes({"a": "b"}):
            deep = b.aiOnnx.relu([x])
        assert b.getVirtualGraph() == 1 and b.getPipelineStage() == 2
    outside = b.aiOnnx.relu([x])
    b.virtualGraph(outside, 5)
    assert not b.hasVirtualGraph()
    assert [b.getVirtualGraph(t) for t in (inner, deep, outside)] == [1, 3, 5]
    b.addNodeAttribute("mine", [1, 2], {outside})
    assert b.getInt64VectorNodeAttribute("mine", {outside}) == [1, 2]


def test_bodies_of_the_builder():
    def build(b, x):
        bodies = []
        for factor in (3.0, 2.0):  # else, then
            body = b.createSubgraphBuilder()
            body.addInputTensorFromParentGraph(x[1])
            body.addOutputTensor(body.aiOnnx.mul([x[1], body.aiOnnx.constant(np.array(factor, np.float32))]))
            bodies.append(body)
        return b.aiOnnx.logical_if([x[0]], 1, *bodies)

    for condition, expected in ((True, 2), (False, 3)):
        (y,) = infer(build, [np.array(condition), np.array([1, 10], np.float32)])
        assert list(y) == [expected, 10 * expected]


def test_custom_operators_are_refused_by_name():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2])
    (y,) = b.customOp("Frob", 1, "my.domain", [x], {"alpha": 0.5, "n": [1, 2], "s": "t"})
    with pytest.raises(popart.popart_exception, match="Frob"):
        popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())


def test_patterns():
    patterns = popart.Patterns(popart.PatternsLevel.Minimal)
    assert not patterns.InPlace
    patterns.InPlace = True
    assert patterns.InPlace
    with pytest.raises(popart.popart_exception, match="Frob"):
        popart.Patterns(["Frob"])


def test_prefixes():
    assert popart.reservedGradientPrefix() == "Gradient___" and popart.reservedAccl1Prefix() == "Accl1___"
    assert popart.reservedDefaultLearningRatePrefix() == "learningRate___default___"
    with pytest.raises(popart.popart_exception, match="Gradient___"):
        b = popart.Builder()
        y = b.aiOnnx.relu([b.addInputTensor("FLOAT", [1], "Gradient___x")])
        popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())


def test_log(capfd):
    log = popart.getLogger("here")
    log.setLevel("INFO")
    log.debug("unseen")
    log.info("seen")
    log.setLevel("OFF")
    log.error("unseen")
    out = "".join(capfd.readouterr())
    assert "seen" in out and "here" in out and "unseen" not in out
    with pytest.raises(popart.popart_exception, match="LOUD"):
        log.setLevel("LOUD")


def test_version():
    assert popart.versionNumber() == tuple(int(n) for n in popart.__version__.split("."))


def transform(model, change):
    t = popart.GraphTransformer(model.SerializeToString())
    change(t)
    out = onnx.load_from_string(t.getModelProto())
    onnx.checker.check_model(out, full_check=True)
    return out


def lookup_model():
    """Rows of a table by INT64 indices, in a shape that Reshape must have as INT64."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["rows", "one"], ["next"]), helper.make_node("Gather", ["table", "next"], ["h"]),
         helper.make_node("Reshape", ["h", "shape"], ["y"])], "g",
        [helper.make_tensor_value_info("rows", TensorProto.INT64, [2]),
         helper.make_tensor_value_info("unused", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [6])],
        [numpy_helper.from_array(np.arange(12, dtype=np.float32).reshape(4, 3), "table"),
         numpy_helper.from_array(np.array([1, 1], np.int64), "one"),
         numpy_helper.from_array(np.array([6], np.int64), "shape")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def initializers(model):
    return {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}


def test_types_are_converted_by_classes():
    out = transform(lookup_model(), lambda t: t.convertINT64ToINT32())
    values = initializers(out)
    assert values["one"].dtype == np.int32 and values["shape"].dtype == np.int64
    assert out.graph.input[0].type.tensor_type.elem_type == TensorProto.INT32
    session = popart.InferenceSession(out.SerializeToString(), popart.DataFlow(1, ["y"]), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({"rows": np.array([0, 2], np.int32)}, anchors))
    np.testing.assert_array_equal(anchors["y"], [3, 4, 5, 9, 10, 11])

    out = transform(lookup_model(), lambda t: t.convertFloatsToHalfs())
    assert initializers(out)["table"].dtype == np.float16
    assert out.graph.output[0].type.tensor_type.elem_type == TensorProto.FLOAT16


def test_large_integers():
    model = lookup_model()
    model.graph.initializer[1].CopyFrom(numpy_helper.from_array(np.array([2**40, -2**40], np.int64), "one"))
    with pytest.raises(popart.popart_exception, match="1099511627776"):
        transform(model, lambda t: t.convertINT64ToINT32())
    out = transform(model, lambda t: t.convertINT64ToINT32(clip=True))
    assert list(initializers(out)["one"]) == [2**31 - 1, -2**31]


def test_initializers_and_inputs(tmp_path):
    out = transform(lookup_model(), lambda t: (t.convertAllFixedPointInitializersToConstants(), t.removeUnusedInputs()))
    assert set(initializers(out)) == {"table"} and [i.name for i in out.graph.input] == ["rows"]
    assert [n.op_type for n in out.graph.node[:2]] == ["Constant", "Constant"]
    with pytest.raises(popart.popart_exception, match="nowhere"):
        transform(lookup_model(), lambda t: t.convertInitializersToConstants(["nowhere"]))
    t = popart.GraphTransformer(lookup_model().SerializeToString())
    t.saveInitializersExternally(["table"], str(tmp_path / "weights"))
    assert (tmp_path / "weights").stat().st_size >= 48


def test_batch_normalisation_for_training():
    graph = helper.make_graph(
        [helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 4, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3, 4, 4])],
        [numpy_helper.from_array(np.ones(3, np.float32), n) for n in "sbmv"])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)])
    out = transform(model, lambda t: t.prepareNodesForTraining())
    assert len(out.graph.node[0].output) == 5 and out.graph.node[0].output[0] == "y"
