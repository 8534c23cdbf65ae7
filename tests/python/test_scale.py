# SPDX-License-Identifier: MIT
"""aiGraphcore.scale of integers."""
import numpy as np
import popart
import pytest
from harness import builder_of, input_of, run_model


@pytest.mark.parametrize("kind, scale", [(np.int32, 3), (np.int64, -2), (np.uint32, 4), (np.int8, -3), (np.uint8, 2)])
def test_whole_numbers_scale_integers(kind, scale):
    b = builder_of()
    values = np.arange(6, dtype=kind).reshape(2, 3)
    x = input_of(b, values)
    y = b.aiGraphcore.scale([x], float(scale))
    (got,) = run_model(b.getModelProto(), [y], {x: values})
    np.testing.assert_array_equal(got, values.astype(np.int64) * scale)


def test_fractions_do_not_scale_integers():
    b = builder_of()
    with pytest.raises(popart.popart_exception, match="scale is 0.5, but the input is INT32"):
        b.aiGraphcore.scale([b.addInputTensor(popart.TensorInfo("INT32", [2]))], 0.5)
