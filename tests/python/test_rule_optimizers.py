# SPDX-License-Identifier: MIT
"""Optimisers that are data, against the same steps by numpy: one that comes along, and one of the caller's own."""
import numpy as np
import popart
import pytest

W = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
X = np.random.default_rng(1).normal(size=(4, 8)).astype(np.float32)


def trained(optimizer, steps=4):
    """What becomes of w, and of the optimiser's first state of it."""
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 8]))
    w = builder.addInitializedInputTensor(W, "w")
    y = builder.aiOnnx.matmul([x, w])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, y])], reduction=popart.ReductionType.Sum)
    flow = popart.DataFlow(1, {loss: popart.AnchorReturnType("All")})
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 1})
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, optimizer, device)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for _ in range(steps):
        session.run(popart.PyStepIO({x: X}, anchors))
    session.weightsToHost()
    ids = session.getOptimizerStateIds()
    assert ids == {"w": {"Accl1": "Accl1___w"}}
    out = {"w": np.zeros_like(W), ids["w"]["Accl1"]: np.zeros_like(W)}
    session.readWeights(popart.PyWeightsIO(out))
    return list(out.values())


def gradient(w):
    return 2 * X.T.astype(np.float64) @ (X @ w)


def test_lion():
    rule = next(rule for rule in popart.optimizerRules() if rule.name == "Lion")
    made = trained(popart.RuleOptimizer(rule, {"learning_rate": (0.05, False), "weight_decay": (0.1, True)}))
    w, m = W.astype(np.float64), 0.0
    for _ in range(4):
        g = gradient(w)
        w, m = w - 0.05 * (np.sign(0.9 * m + 0.1 * g) + 0.1 * w), 0.99 * m + 0.01 * g
    np.testing.assert_allclose(made[0], w, atol=1e-5)
    np.testing.assert_allclose(made[1], m, rtol=1e-4, atol=1e-5)


def test_a_rule_of_ones_own():
    rule = popart.OptimizerRule("Own", {"n": 1.0}, {"learning_rate": 0.1},
                                ["n = n + 1", "w = w - learning_rate * min(max(g, -0.5), 0.5) / n"])
    assert (rule.states, list(rule.numbers)) == ({"n": 1.0}, ["learning_rate"])
    made = trained(popart.RuleOptimizer(rule, {}))
    w = W.astype(np.float64)
    for n in range(2, 6):
        w = w - 0.1 * np.clip(gradient(w), -0.5, 0.5) / n
    np.testing.assert_allclose(made[0], w, atol=1e-5)
    np.testing.assert_array_equal(made[1], 5)


def test_what_cannot_be_read_is_told():
    rule = popart.OptimizerRule("Own", {}, {"learning_rate": 0.1}, ["w = w - rate * g"])
    with pytest.raises(popart.popart_exception, match="reads \"rate\", which is none of"):
        popart.RuleOptimizer(rule, {})
