# SPDX-License-Identifier: MIT
"""Models that ONNX's checker would not have, but that programs build and the vendor runs."""
import numpy as np
import popart
import pytest
from harness import builder_of, input_of, run_model

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("left_out", [(1, 2), (2,), (1,)])
def test_resize_takes_sizes_without_scales(left_out):
    b, image = builder_of(), real(1, 2, 3, 4)
    x = input_of(b, image)
    none = b.aiOnnx.constant(np.array([], np.float32))
    inputs = ["" if i in left_out else none for i in range(3)]
    inputs = [x] + inputs[1:] + [b.aiOnnx.constant(np.array([1, 2, 6, 8], np.int64))]
    y = b.aiOnnx.resize(inputs, mode="nearest")
    assert b.getTensorShape(y) == [1, 2, 6, 8]
    (got,) = run_model(b.getModelProto(), [y], {x: image})
    np.testing.assert_array_equal(got, image.repeat(2, 2).repeat(2, 3))


@pytest.mark.parametrize("mode, pick", [("floor", np.floor), ("ceil", np.ceil)])
def test_resize_10_takes_a_nearest_mode(mode, pick):
    b, line = builder_of(10), real(1, 1, 1, 4)
    x = input_of(b, line)
    y = b.aiOnnx.resize([x, b.aiOnnx.constant(np.array([1, 1, 1, 2.5], np.float32))])
    b.addNodeAttribute("nearest_mode", mode, {y})
    (got,) = run_model(b.getModelProto(), [y], {x: line})
    places = np.minimum(pick(np.arange(10) / 2.5).astype(int), 3)
    np.testing.assert_array_equal(got[0, 0, 0], line[0, 0, 0, places])


def test_abort_needs_no_input():
    b = builder_of()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]))
    b.aiGraphcore.abort([])
    y = b.aiOnnx.abs([x])
    with pytest.raises(Exception, match="The operator Abort was reached"):
        run_model(b.getModelProto(), [y], {x: np.ones(2, np.float32)})
