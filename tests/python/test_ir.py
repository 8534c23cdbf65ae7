# SPDX-License-Identifier: MIT
"""What _serializeIr says: the operators that run, by the vendor's names."""
import json

import numpy as np
import popart
from harness import device


def types_of(session):
    graph = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))["maingraph"]
    return [op["type"] for op in graph]


def inference(build, patterns=None):
    b = popart.Builder()
    y = build(b, b.addInputTensor("FLOAT", [4, 4]))
    return popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device(), patterns=patterns)


def test_fused_operators_stand_there_one_by_one():
    types = types_of(inference(lambda b, x: b.aiOnnx.sqrt([b.aiOnnx.exp([b.aiOnnx.sin([x])])])))
    assert types == ["Sin", "Exp", "Sqrt"]


def test_operators_that_write_over_an_input_say_so():
    def build(b, x):
        h = b.aiOnnx.relu([b.aiOnnx.softmax([x])])
        return b.aiOnnx.softmax([h])

    assert types_of(inference(build)) == ["Softmax", "ReluInplace", "Softmax"]
    apart = popart.Patterns().enablePattern("InPlace", False)
    assert types_of(inference(build, apart)) == ["Softmax", "Relu", "Softmax"]

    def added(b, x):  # what is returned, and the input, stay as they are
        h = b.aiOnnx.add([b.aiOnnx.softmax([x]), x])
        return b.aiOnnx.softmax([h])

    assert types_of(inference(added)) == ["Softmax", "AddLhsInplace", "Softmax"]


def test_a_pipeline_stashes_what_a_later_stage_restores():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2, 2])
    w = b.addInitializedInputTensor(np.eye(2, dtype=np.float32))
    with b.virtualGraph(0), b.pipelineStage(0):
        h = b.aiOnnx.matmul([x, w])
    with b.virtualGraph(1), b.pipelineStage(1):
        loss = b.aiGraphcore.identityloss([b.aiOnnx.relu([h])], popart.ReductionType.Sum)
    options = popart.SessionOptions()
    options.virtualGraphMode = popart.VirtualGraphMode.Manual
    options.enablePipelining = options.enableGradientAccumulation = True
    options.accumulationFactor = 4
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.1),
                                     device(ipus=2), userOptions=options)
    graph = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))["maingraph"]
    stashed = [op["inputs"][0]["name"] for op in graph if op["type"] == "Stash"]
    restored = {op["inputs"][0]["name"] for op in graph if op["type"] == "Restore"}
    assert stashed and len(stashed) == len(set(stashed)) and set(stashed) == restored
    assert x in stashed  # the gradient of w needs it two stages later


def test_what_nobody_needs_does_not_keep_others_apart():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [1, 2, 6, 6])
    w = b.addInitializedInputTensor(np.ones([3, 2, 3, 3], dtype=np.float32))
    h = b.aiOnnx.relu([b.aiOnnx.conv([x, w])])
    b.aiOnnx.neg([h])  # another user, of which nothing is asked
    y = b.aiOnnx.maxpool([h], 1, [2, 2], strides=[2, 2])[0]
    loss = b.aiGraphcore.identityloss([y], popart.ReductionType.Sum)
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.1), device())
    types = [t.replace("Inplace", "") for t in types_of(session)]
    assert "Neg" not in types
    assert types.index("MaxPool") < types.index("Relu")  # fewer elements behind the pool
