# SPDX-License-Identifier: MIT
"""Trains a model of three custom operators, and compares weights with numpy's: train.py LIBRARY..."""
import ctypes
import json
import sys

import numpy as np
import popart

for library in sys.argv[1:]:
    ctypes.cdll.LoadLibrary(library)

rng = np.random.default_rng(1)
x = rng.standard_normal((4, 3)).astype(np.float32)
w, offset = rng.standard_normal((3, 5)).astype(np.float32), rng.standard_normal(5).astype(np.float32)
rate, steps = 0.05, 4


def trained(pattern):
    """The weights after training, and the types of operators that ran."""
    b = popart.Builder()
    ids = [b.addInputTensor("FLOAT", [4, 3]), b.addInitializedInputTensor(w, "w"),
           b.addInitializedInputTensor(offset, "offset")]
    h = b.customOp("Shift", 1, "custom.ops", [b.aiOnnx.matmul(ids[:2]), ids[2]], {})[0]
    p = b.customOp("Polynomial", 1, "custom.ops", [h], {"coefficients": [1, 2, 3]})[0]  # ints for floats
    assert b.getTensorShape(p) == [4, 5]
    loss = b.aiGraphcore.l1loss([b.aiOnnx.relu([p])], 0.1, reduction=popart.ReductionType.Sum)
    patterns = popart.Patterns().enablePattern("ReluToLeaky", pattern)
    device = popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 8})
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(rate), device,
                                     patterns=patterns)
    session.prepareDevice()
    session.weightsFromHost()
    for _ in range(steps):
        session.run(popart.PyStepIO({ids[0]: x}, session.initAnchorArrays()))
    session.weightsToHost()
    out = {"w": np.empty_like(w), "offset": np.empty_like(offset)}
    session.readWeights(popart.PyWeightsIO(out))
    ops = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))["maingraph"]
    return out, [op["type"] for op in ops]


def expected(slope):
    a, o = w.astype(float), offset.astype(float)
    for _ in range(steps):
        h = x @ a + o
        p = 1 + 2 * h + 3 * h * h
        y = np.where(p > 0, p, slope * p)
        dp = 0.1 * np.sign(y) * np.where(p > 0, 1, slope)
        dh = dp * (2 + 6 * h)
        a, o = a - rate * x.T @ dh, o - rate * dh.sum(axis=0)
    return a, o


for pattern, slope in ((False, 0.0), (True, 0.1)):
    weights, types = trained(pattern)
    for name, value in zip(("w", "offset"), expected(slope)):
        np.testing.assert_allclose(weights[name], value, rtol=1e-4, atol=1e-5)
    assert "Polynomial" in types and "PolynomialGrad" in types and "ShiftGrad" in types, types
    assert ("Leaky" in types and "LeakyGrad" in types) == pattern, types
print("trained", steps)
