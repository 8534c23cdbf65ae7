# SPDX-License-Identifier: MIT
"""Updates of some places of a tensor, in the shapes that programs give them."""
import numpy as np
import popart
import pytest
from harness import builder_of, input_of, run_model

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("name", ["scatter", "scatterelements"])
@pytest.mark.parametrize("axis, indices", [(0, [1, 3]), (0, [[1], [3]]), (1, [2, 0]), (1, [[2, 0]])])
def test_few_indices_hold_for_all_updates_along_the_axis(name, axis, indices):
    b, data = builder_of(9 if name == "scatter" else 11), real(4, 3)
    indices = np.array(indices, np.int32)
    updates = real(2, 3) if axis == 0 else real(4, 2)
    x, i, u = (input_of(b, array) for array in (data, indices, updates))
    y = getattr(b.aiOnnx, name)([x, i, u], axis)
    (got,) = run_model(b.getModelProto(), [y], {x: data, i: indices, u: updates})
    want = data.copy()
    want[(indices.ravel(), slice(None)) if axis == 0 else (slice(None), indices.ravel())] = updates
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["dynamicupdate", "dynamicadd"])
def test_an_update_of_one_place_may_leave_out_its_dimension(name):
    b, data, row = builder_of(), real(4, 3), real(3)
    x, u = input_of(b, data), input_of(b, row)
    i = b.addInputTensor(popart.TensorInfo("UINT32", [1]))
    y = getattr(b.aiGraphcore, name)([x, i, u], axes=[0], sizes=[1])
    (got,) = run_model(b.getModelProto(), [y], {x: data, i: np.array([2], np.uint32), u: row})
    want = data.copy()
    want[2] = row if name == "dynamicupdate" else want[2] + row
    np.testing.assert_allclose(got, want, rtol=1e-6)
