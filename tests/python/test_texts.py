# SPDX-License-Identifier: MIT
"""Errors in the words that programs look for, with what to do behind them."""
import numpy as np
import popart
import pytest
from harness import device


def model():
    b = popart.Builder(opsets={"ai.onnx": 9, "ai.graphcore": 1})
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
    w = b.addInitializedInputTensor(np.ones((3, 4), np.float32))
    return b, x, b.aiOnnx.matmul([x, w])


def refused(text, call, *arguments, kind=popart.popart_exception, **named):
    with pytest.raises(kind, match=text):
        call(*arguments, **named)


def test_of_sessions():
    b, x, y = model()
    options = popart.SessionOptions()
    options.enableGradientAccumulation, options.accumulationFactor = True, 2
    infer = lambda anchor, **rest: popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [anchor]), device(), **rest)
    refused("^Anchor tensor `z' not in Ir Tensors.", infer, "z")
    refused("^Gradient Accumulation only available when training", infer, y, userOptions=options)
    refused("must be a scalar tensor, but is FLOAT", popart.TrainingSession, b.getModelProto(), popart.DataFlow(1, [y]),
            y, popart.ConstSGD(0.1), device())
    session = infer(y)
    session.prepareDevice()
    few = popart.PyStepIO({x: np.ones((2, 2), np.float32)}, session.initAnchorArrays())
    refused("^Unexpected number of input elements", session.run, few, kind=popart.popart_runtime_error)
    refused("^Failed to load a ModelProto from the string", popart.InferenceSession, b"no model", popart.DataFlow(1, [y]),
            device())


def test_of_builders():
    b, x, y = model()
    refused("^availableMemoryProportion must be in \\(0,1\\]", b.setAvailableMemoryProportion, y, 1.5)
    refused("^relu\\(\\): incompatible function arguments\\. The argument 'args' is missing", b.aiOnnx.relu, kind=TypeError)
    refused("^aiGraphcore.packedDataBlock is not there: .* sequenceslice", b.aiGraphcore.packedDataBlock, [x], [2], 2, 1,
            b.createSubgraphBuilder())
    refused("^Invalid opset 'aiOnnxOpset8' selected. Opset for domain ai.onnx already defined as 9", lambda: b.aiOnnxOpset8,
            kind=RuntimeError)
