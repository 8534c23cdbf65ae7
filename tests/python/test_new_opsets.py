# SPDX-License-Identifier: MIT
"""Models of opsets 18 to 23: what changed there, against numpy and, where an older form means the same, against that."""
import numpy as np
import popart
import pytest
import torch
from harness import run_model
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

RNG = np.random.default_rng(3)


def real(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def model(opset, kind, inputs, constants=(), outputs=1, **attributes):
    """One node. inputs, constants: {name: values}; names in their order are the node's inputs, "" is left out."""
    constants = dict(constants)
    names = [n if n.strip() else "" for n in (*inputs, *constants)]
    node = helper.make_node(kind, names, [f"y{i}" for i in range(outputs)], **attributes)
    given = [helper.make_tensor_value_info(n, numpy_helper.from_array(v).data_type, v.shape) for n, v in inputs.items()]
    made = [ValueInfoProto(name=n) for n in node.output]
    values = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items() if n.strip()]
    graph = helper.make_graph([node], "g", given, made, values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def run(opset, kind, inputs, constants=(), outputs=1, **attributes):
    got = run_model(model(opset, kind, inputs, constants, outputs, **attributes), [f"y{i}" for i in range(outputs)], inputs)
    return got if outputs > 1 else got[0]


def close(got, want, rtol=1e-5, atol=1e-6):
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


REDUCTIONS = {
    "ReduceL1": lambda x, a: np.abs(x).sum(a, keepdims=True), "ReduceL2": lambda x, a: np.sqrt((x * x).sum(a, keepdims=True)),
    "ReduceLogSumExp": lambda x, a: np.log(np.exp(x).sum(a, keepdims=True)), "ReduceMax": lambda x, a: x.max(a, keepdims=True),
    "ReduceMean": lambda x, a: x.mean(a, keepdims=True), "ReduceMin": lambda x, a: x.min(a, keepdims=True),
    "ReduceProd": lambda x, a: x.prod(a, keepdims=True), "ReduceSum": lambda x, a: x.sum(a, keepdims=True),
    "ReduceSumSquare": lambda x, a: (x * x).sum(a, keepdims=True)}


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("opset", [18, 20, 23])
def test_axes_of_reductions_are_an_input(kind, opset):
    x, how = real(2, 3, 4), REDUCTIONS[kind]
    close(run(opset, kind, {"x": x}, {"axes": np.array([-1, 0])}), how(x, (0, 2)))
    close(run(opset, kind, {"x": x}), how(x, (0, 1, 2)))
    close(run(opset, kind, {"x": x}, {"axes": np.array([], np.int64)}), how(x, (0, 1, 2)))
    nothing = run(opset, kind, {"x": x}, noop_with_empty_axes=1)
    close(nothing, how(x[None], (0,))[0])
    close(run(opset, kind, {"x": x}, {"axes": np.array([1])}, keepdims=0), how(x, (1,))[:, 0])


def test_parts_of_nearly_equal_length():
    x = real(7, 2)
    for got, want in zip(run(18, "Split", {"x": x}, outputs=3, num_outputs=3, axis=0), (x[:3], x[3:6], x[6:])):
        close(got, want)
    for got, want in zip(run(18, "Split", {"x": x}, {"split": np.array([5, 2])}, outputs=2), (x[:5], x[5:])):
        close(got, want)
    with pytest.raises(popart.popart_exception, match="num_outputs is 2; the node has 3 outputs"):
        run(18, "Split", {"x": x}, outputs=3, num_outputs=2)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pads_of_some_axes(mode):
    x = real(2, 3, 4)
    pads = {"pads": np.array([1, 2, 0, 1]), " ": None} if mode != "constant" else \
        {"pads": np.array([1, 2, 0, 1]), "value": np.float32(5)}
    given = {**pads, "axes": np.array([2, -2])}
    graph = {n: v for n, v in given.items()}
    keywords = {"constant_values": 5} if mode == "constant" else {}
    close(run(19, "Pad", {"x": x}, graph, mode=mode), np.pad(x, [(0, 0), (2, 1), (1, 0)], mode, **keywords))


def test_sizes_and_scales_of_some_axes():
    x = real(1, 2, 4, 6)
    want = torch.nn.functional.interpolate(torch.tensor(x), size=(8, 9), mode="bilinear").numpy()
    empty = {" ": None, "  ": None}
    close(run(18, "Resize", {"x": x}, {**empty, "sizes": np.array([8, 9])}, axes=[2, 3], mode="linear"), want)
    scales = {" ": None, "scales": np.array([1.5, 2], np.float32)}
    close(run(19, "Resize", {"x": x}, scales, axes=[3, 2], mode="linear"), want)
    for policy, shape in (("not_larger", (1, 2, 6, 9)), ("not_smaller", (1, 2, 8, 12))):
        sizes = {**empty, "sizes": np.array([8, 9])}
        assert run(18, "Resize", {"x": x}, sizes, axes=[2, 3], keep_aspect_ratio_policy=policy).shape == shape
    with pytest.raises(popart.popart_exception, match="antialias is 1"):
        run(18, "Resize", {"x": x}, scales, axes=[3, 2], mode="linear", antialias=1)


@pytest.mark.parametrize("opset, kind, want, attributes", [
    (18, "Mish", torch.nn.functional.mish, {}), (20, "Gelu", torch.nn.functional.gelu, {}),
    (20, "Gelu", lambda x: torch.nn.functional.gelu(x, approximate="tanh"), {"approximate": "tanh"})])
def test_functions_of_one_number(opset, kind, want, attributes):
    x = real(3, 5) * 4
    close(run(opset, kind, {"x": x}, **attributes), want(torch.tensor(x)).numpy(), 1e-4, 1e-5)


def test_groups_have_scales_and_since_version_21_channels():
    x, group, channel = real(2, 6, 4), real(3), real(6)
    of = lambda scale, bias: torch.nn.functional.group_norm(torch.tensor(x), 3, torch.tensor(scale), torch.tensor(bias)).numpy()
    close(run(18, "GroupNormalization", {"x": x}, {"s": group, "b": group + 1}, num_groups=3),
          of(group.repeat(2), group.repeat(2) + 1), 1e-4, 1e-5)
    close(run(21, "GroupNormalization", {"x": x}, {"s": channel, "b": channel + 1}, num_groups=3), of(channel, channel + 1),
          1e-4, 1e-5)
    with pytest.raises(popart.popart_exception, match="before version 21 it has one value for each of the 3 groups"):
        run(18, "GroupNormalization", {"x": x}, {"s": channel, "b": channel}, num_groups=3)


@pytest.mark.parametrize("axis", [-1, 1])
def test_root_mean_squares(axis):
    x = real(2, 3, 4)
    scale = real(*x.shape[axis:])
    axes = tuple(range(axis % 3, 3))
    close(run(23, "RMSNormalization", {"x": x}, {"s": scale}, axis=axis, epsilon=1e-3),
          x / np.sqrt((x * x).mean(axes, keepdims=True) + 1e-3) * scale)


def test_bits():
    a, b = (RNG.integers(-100, 100, 8).astype(np.int32) for _ in range(2))
    for kind, want in (("BitwiseAnd", a & b), ("BitwiseOr", a | b), ("BitwiseXor", a ^ b)):
        assert (run(18, kind, {"a": a, "b": b}) == want).all()
    assert (run(18, "BitwiseNot", {"a": a}) == ~a).all()


def test_transforms_along_an_axis_that_is_an_input():
    x = real(2, 8, 1)
    want = np.fft.fft(x[..., 0], axis=1)
    got = run(20, "DFT", {"x": x}, {" ": None, "axis": np.int64(1)})
    close(got[..., 0] + 1j * got[..., 1], want.astype(np.complex64), 1e-4, 1e-5)
    got = run(20, "DFT", {"x": x})
    close(got[..., 0] + 1j * got[..., 1], want.astype(np.complex64), 1e-4, 1e-5)


def test_other_names_and_attributes():
    x, grid = real(1, 1, 4, 4), real(1, 2, 3, 2)
    for new, old in (("linear", "bilinear"), ("cubic", "bicubic")):
        close(run(20, "GridSample", {"x": x, "g": grid}, mode=new), run(16, "GridSample", {"x": x, "g": grid}, mode=old))
    close(run(19, "Cast", {"x": x}, to=TensorProto.FLOAT, saturate=1), x)
    close(run(22, "Relu", {"x": x}), np.maximum(x, 0))
    close(run(19, "AveragePool", {"x": x}, kernel_shape=[2, 2], dilations=[1, 1]),
          run(11, "AveragePool", {"x": x}, kernel_shape=[2, 2]))
    scale, zero = np.float32(0.1), np.int8(3)
    assert (run(21, "QuantizeLinear", {"x": x}, {"s": scale, "z": zero}, saturate=1)
            == run(13, "QuantizeLinear", {"x": x}, {"s": scale, "z": zero})).all()
    with pytest.raises(popart.popart_exception, match="block_size is 2"):
        run(21, "QuantizeLinear", {"x": x}, {"s": scale, "z": zero}, block_size=2)


def test_builders_know_the_shapes():
    data = model(20, "Gelu", {"x": real(2, 3)})
    assert popart.Builder(data).getTensorShape("y0") == [2, 3]
    data = model(18, "ReduceMax", {"x": real(2, 3)}, {"axes": np.array([1])})
    assert popart.Builder(data).getTensorShape("y0") == [2, 1]


def test_what_is_not_there_is_named():
    x = real(2, 3)
    with pytest.raises(popart.popart_exception, match='ReduceMax: ONNX has no attribute "axes"'):
        run(18, "ReduceMax", {"x": x}, axes=[0])
    with pytest.raises(popart.popart_exception, match="The model uses version 24 of ai.onnx; 6 to 23"):
        run(24, "Relu", {"x": x})
    with pytest.raises(popart.popart_exception, match="Mish"):
        run(17, "Mish", {"x": x})
    for opset, kind in ((18, "CenterCropPad"), (20, "Col2Imm"), (23, "Attention")):
        with pytest.raises(popart.popart_exception, match=f"No operator for ai.onnx.{kind}:{opset}"):
            run(opset, kind, {"x": x})


def test_truths_have_a_largest():
    x = np.array([[True, False], [False, False]])
    assert (run(20, "ReduceMax", {"x": x}, {"axes": np.array([1])}) == [[True], [False]]).all()
    assert (run(20, "ReduceMin", {"x": x}, {"axes": np.array([0])}) == [[False, False]]).all()
