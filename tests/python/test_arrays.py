# SPDX-License-Identifier: MIT
"""Arrays of any layout and byte order come in and go out right, and read-only ones are never written."""
import numpy as np
import popart
import pytest
from harness import Trainer, device, infer

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def forms(x):
    """The same values laid out in every way."""
    wide = np.zeros((x.shape[0] * 2, x.shape[1] * 3), x.dtype)
    wide[::2, ::3] = x
    odd = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    odd[:] = x
    readonly = x.copy()
    readonly.flags.writeable = False
    return {"plain": x.copy(), "big": x.astype(x.dtype.newbyteorder(">")), "fortran": np.asfortranarray(x),
            "strided": wide[::2, ::3], "reversed": x[::-1, ::-1].copy()[::-1, ::-1], "unaligned": odd,
            "read-only": readonly, "view": x[None][0]}


def adding(b, x):
    return b.aiOnnx.add([x[0], x[0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int16, np.uint32])
@pytest.mark.parametrize("form", sorted(forms(X)))
def test_inputs_of_any_layout(form, dtype):
    given = forms(X.astype(dtype))[form]
    (y,) = infer(adding, [given]) if dtype in (np.float32, np.float16, np.int32, np.uint32) else infer(
        lambda b, x: b.aiOnnx.identity(x), [given])
    np.testing.assert_array_equal(y, X if dtype == np.int16 else 2 * X)


@pytest.mark.parametrize("form", sorted(forms(X)))
def test_weights_and_constants_of_any_layout(form):
    given = forms(X)[form]
    for put in (lambda b: b.addInitializedInputTensor(given), lambda b: b.aiOnnx.constant(given),
                lambda b: b.aiOnnx.constant(given, False), lambda b: b.aiOnnx.constant(given, False, "name"),
                lambda b: b.aiOnnx.constant(given, "name")):
        (y,) = infer(lambda b, x: b.aiOnnx.add([x[0], put(b)]), [np.ones_like(X)])
        np.testing.assert_array_equal(y, X + 1)
    assert popart.TensorInfo(given) == popart.TensorInfo("FLOAT", [2, 3])
    (y,) = infer(lambda b, x: b.aiOnnx.add([x[0], b.aiOnnx.constantofshape(
        [b.aiOnnx.constant(np.array([2, 3], ">i8"))], given[1:, 2])]), [np.ones_like(X)])
    np.testing.assert_array_equal(y, np.full_like(X, 6))


def test_scalars_of_numpy():
    (y,) = infer(lambda b, x: b.aiOnnx.add([x[0], b.aiOnnx.constant(np.float32(2))]), [np.float32(3)])
    assert y == 5 and popart.TensorInfo(np.int32(1)).shape() == []
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [3, 2])
    assert b.getTensorShape(b.aiOnnx.transpose([x], np.array([1, 0], ">i8"))) == [2, 3]
    assert b.getTensorShape(b.aiOnnx.flatten([x], np.int32(0))) == [1, 6]
    y = b.aiOnnx.relu([x])
    for name, value in (("i", np.int32(3)), ("f", np.float32(0.5)), ("l", np.array([1, 2], ">i4"))):
        b.addNodeAttribute(name, value, {y})
    assert b.getInt64NodeAttribute("i", {y}) == 3 and b.getFloatNodeAttribute("f", {y}) == 0.5
    assert b.getInt64VectorNodeAttribute("l", {y}) == [1, 2]


def doubling():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2, 3], "x")
    y = adding(b, [x])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())
    session.prepareDevice()
    return session, x, y


def test_anchors_of_any_layout():
    session, x, y = doubling()
    for name, into in forms(np.zeros_like(X)).items():
        if name == "read-only":
            with pytest.raises(popart.popart_runtime_error, match="read-only"):
                popart.PyStepIO({x: X}, {y: into})
            continue
        session.run(popart.PyStepIO({x: X}, {y: into}))
        np.testing.assert_array_equal(into, 2 * X, err_msg=name)
        done = lambda id: None
        into[:] = 0
        session.run(popart.PyStepIOCallback(lambda id, prefetch: forms(X)[name], done, lambda id: into, done))
        np.testing.assert_array_equal(into, 2 * X, err_msg=name)


def test_arrays_that_were_copied_are_read_anew_by_every_step():
    session, x, y = doubling()
    given, anchors = forms(X)["big"].copy(), session.initAnchorArrays()
    io = popart.PyStepIO({x: given}, anchors)
    for factor in (1, 5):
        given[:] = factor * X
        session.run(io)
        np.testing.assert_array_equal(anchors[y], 2 * factor * X)


def test_an_array_that_becomes_read_only():
    session, x, y = doubling()
    anchors = session.initAnchorArrays()
    io = popart.PyStepIO({x: X}, anchors)
    anchors[y].flags.writeable = False
    with pytest.raises(popart.popart_runtime_error, match="read-only"):
        session.run(io)


def product(b, x, _):
    w = b.addInitializedInputTensor(X, "w")
    return b.aiGraphcore.identityloss([b.aiOnnx.mul([x, w])], reduction=popart.ReductionType.Sum)


def test_weights_read_and_written():
    session = Trainer(product, popart.ConstSGD(0.1), [2, 3], labels=False).session
    text = bytes(24)
    for into in (np.frombuffer(text, np.float32).reshape(2, 3), np.broadcast_to(np.float32(0), (2, 3)), np.float32(1)):
        with pytest.raises(popart.popart_runtime_error, match='"w" is read-only'):
            session.readWeights(popart.PyWeightsIO({"w": into}))
    assert text == bytes(24)
    for name, given in forms(X).items():
        session.writeWeights(popart.PyWeightsIO({"w": given}))
        session.weightsFromHost()
        for other, into in forms(np.zeros_like(X)).items():
            if other != "read-only":
                session.weightsToHost()
                session.readWeights(popart.PyWeightsIO({"w": into}))
                np.testing.assert_array_equal(into, X, err_msg=f"{name} {other}")
    with pytest.raises(popart.popart_runtime_error, match=r"FLOAT \[3,2\], but the weight is FLOAT \[2,3\]"):
        session.readWeights(popart.PyWeightsIO({"w": np.zeros((3, 2), np.float32)}))


def test_shapes_that_show_another_order():
    session, x, y = doubling()
    anchors = session.initAnchorArrays()
    with pytest.raises(popart.popart_runtime_error, match=r'"x" has the shape \[3,2\], but the tensor is FLOAT \[2,3\]'):
        session.run(popart.PyStepIO({x: X.reshape(3, 2)}, anchors))
    for shape in ((6,), (1, 2, 3)):
        session.run(popart.PyStepIO({x: X.reshape(shape)}, anchors))
        np.testing.assert_array_equal(anchors[y], 2 * X)


@pytest.mark.parametrize("array,named", [
    (np.array([None]), "object"), (np.array(["a"]), "str"), (np.zeros(1, np.complex64), "complex64"),
    (np.zeros(1, np.longdouble), "float128"), (np.zeros(1, "M8[s]"), "datetime64"), (np.zeros(1, [("a", "f4")]), "void"),
])
def test_types_that_no_tensor_has(array, named):
    b = popart.Builder()
    for use in (popart.TensorInfo, b.addInitializedInputTensor, b.aiOnnx.constant,
                lambda a: popart.PyStepIO({"x": a}, {}), lambda a: popart.PyWeightsIO({"w": a})):
        with pytest.raises(popart.popart_exception, match=named):
            use(array)
