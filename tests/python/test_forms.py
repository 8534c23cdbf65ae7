# SPDX-License-Identifier: MIT
"""Labels, axes and statistics in the forms that operators take."""
import numpy as np
import popart
import pytest
import torch
import torch.nn.functional as F
from harness import builder_of, input_of, run_model

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(4,), (4, 1), (1, 4), (2, 2)])
def test_labels_may_have_any_shape_of_as_many(shape):
    b, logits = builder_of(), real(2, 2, 5)
    labels = np.array([0, 3, 1, 4], np.int32).reshape(shape)
    x, target = input_of(b, logits), input_of(b, labels)
    loss = b.aiGraphcore.nllloss([b.aiOnnx.softmax([x], axis=2), target])
    (got,) = run_model(b.getModelProto(), [loss], {x: logits, target: labels})
    want = F.cross_entropy(torch.tensor(logits).reshape(4, 5), torch.tensor(labels).reshape(4).long())
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_labels_must_be_one_for_each_row():
    b = builder_of()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 5]))
    with pytest.raises(popart.popart_exception, match=r"labels of shape \[3\] .* have 2 rows"):
        b.aiGraphcore.nllloss([x, b.addInputTensor(popart.TensorInfo("INT32", [3]))])


def test_an_axis_that_is_not_there_is_named_with_its_range():
    b = builder_of()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 4]))
    with pytest.raises(popart.popart_exception, match=r"^Axis 2 is out of acceptable range \[-2, 1\].*ReduceSum"):
        b.aiOnnx.reducesum([x], axes=[2])


def test_statistics_of_positions_are_trained_too():
    b, x = builder_of(8), real(6, 2, 3)
    ids = [input_of(b, x)] + [b.addInitializedInputTensor(np.full((2, 3), v, np.float32)) for v in (2, 1, 0, 1)]
    y, mean, variance = b.aiOnnxOpset8.batchnormalization(ids, 5, 1e-5, 0.5, 0)[:3]
    (got, running, spread) = run_model(b.getModelProto(), [y, mean, variance], {ids[0]: x})
    wide = x.astype(np.float64)
    want = 2 * (wide - wide.mean(0)) / np.sqrt(wide.var(0) + 1e-5) + 1
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(running, 0.5 * wide.mean(0), atol=1e-5)
    np.testing.assert_allclose(spread, 0.5 * wide.var(0) + 0.5, rtol=1e-4)
