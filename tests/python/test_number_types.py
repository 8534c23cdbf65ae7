# SPDX-License-Identifier: MIT
"""Numbers of another type than the tensors that they are computed with."""
import numpy as np
import popart
import pytest
from harness import builder_of, input_of, run_model

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "max", "min", "pow"])
@pytest.mark.parametrize("shape", [(), (1,)])
@pytest.mark.parametrize("first", [True, False])
def test_a_float_number_beside_halves_is_a_half(name, shape, first):
    b, values = builder_of(13), np.abs(real(2, 3)).astype(np.float16) + np.float16(0.5)
    x = input_of(b, values)
    number = b.aiOnnx.constant(np.full(shape, 1.5, np.float32))
    y = getattr(b.aiOnnx, name)([x, number] if first else [number, x])
    assert b.getTensorDtypeString(y) == "float16"
    (got,) = run_model(b.getModelProto(), [y], {x: values})
    f = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
         "min": np.minimum, "pow": np.power}[name]
    want = f(values, np.float16(1.5)) if first else f(np.float16(1.5), values)
    np.testing.assert_allclose(got, want, rtol=2e-3)


def test_a_float_input_beside_halves_is_a_half():
    b, values = builder_of(), real(2, 3).astype(np.float16)
    x, number = input_of(b, values), b.addInputTensor(popart.TensorInfo("FLOAT", []))
    y = b.aiOnnx.mul([x, number])
    (got,) = run_model(b.getModelProto(), [y], {x: values, number: np.array(3, np.float32)})
    np.testing.assert_allclose(got, values * np.float16(3), rtol=1e-3)


def test_halves_clip_at_float_limits():
    b, values = builder_of(), 3 * real(4, 4).astype(np.float16)
    x = input_of(b, values)
    limits = [b.aiOnnx.constant(np.array(v, np.float32)) for v in (-1, np.finfo(np.float32).max)]
    y = b.aiOnnx.clip([x] + limits)
    (got,) = run_model(b.getModelProto(), [y], {x: values})
    np.testing.assert_array_equal(got, values.clip(-1))


def test_tensors_of_two_types_are_not_mixed():
    b = builder_of()
    halves, floats = (b.addInputTensor(popart.TensorInfo(kind, [3])) for kind in ("FLOAT16", "FLOAT"))
    with pytest.raises(popart.popart_exception, match="Nothing is promoted"):
        b.aiOnnx.add([halves, floats])
