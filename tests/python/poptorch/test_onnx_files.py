# SPDX-License-Identifier: MIT
"""Models as ONNX files: ONNX's checker takes them, and PopART computes the same numbers from them."""
import pathlib
import sys

import numpy as np
import onnx
import onnx.numpy_helper
import popart
import pytest
import torch

import poptorch
from poptorch.capture.attention import in_parts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "models"))

from layers import math_attention

nn = torch.nn


def run_file(file, inputs, outputs):
    flow = popart.DataFlow(1, {name: popart.AnchorReturnType("All") for name in outputs})
    device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 1})
    session = popart.InferenceSession(file, flow, device)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, anchors))
    return [anchors[name] for name in outputs]


def array(tensor):
    values = tensor.numpy()
    return values.astype(np.int32) if values.dtype == np.int64 else np.ascontiguousarray(values)


def check(model, inputs, file, expected=None):
    """The file of a compiled executor; one that the environment asked for is there already."""
    if not file.exists():
        model._executable.modelToHost(str(file))
    proto = onnx.load(str(file))
    onnx.checker.check_model(proto)
    outputs = model._compiled.outputs.names
    got = run_file(str(file), {n: array(t) for n, t in zip(model._compiled.inputs.names, inputs)}, outputs)
    for ours, other in zip(got, expected):
        np.testing.assert_allclose(ours.reshape(other.shape), other.detach().numpy(), rtol=1e-4, atol=1e-5)
    return {node.op_type for node in proto.graph.node}, proto.opset_import[0].version


MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3), nn.Softmax(-1)), (2, 4), 11),
    "softmax of rows": (lambda: nn.Softmax(0), (3, 4), 17),
    "cnn": (lambda: nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(4, 8, 3, stride=2), nn.Flatten(), nn.Linear(8, 5), nn.LogSoftmax(1)),
            (2, 1, 6, 6), 11),
    "lstm": (lambda: nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True), (2, 3, 4), 11),
    "gru": (lambda: nn.GRU(4, 5, bias=False), (2, 3, 4), 11),
    "rnn": (lambda: nn.Sequential(nn.Softmax(1), nn.RNN(4, 5, nonlinearity="relu")), (2, 3, 4), 17),
    "transformer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8), None),
    "pools": (lambda: nn.Sequential(nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1)), (1, 2, 6, 6), None),
    "norms": (lambda: nn.Sequential(nn.GroupNorm(2, 4), nn.InstanceNorm1d(4), nn.LayerNorm(5)), (2, 4, 5), None),
    "pads": (lambda: nn.Sequential(nn.ConstantPad1d(2, 3.5), nn.ReflectionPad1d(1)), (2, 3, 4), None),
    "transposed convolution": (lambda: nn.ConvTranspose2d(2, 3, 3, stride=2), (1, 2, 4, 4), None),
    "activations": (lambda: nn.Sequential(nn.ELU(), nn.LeakyReLU(), nn.SiLU(), nn.Hardtanh(), nn.Softplus(), nn.PReLU(),
                                          nn.GELU()), (3, 4), None),
}


def asked_for(monkeypatch, file):
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_FILE", str(file))
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_AS_BINARY", "1")


ATTENTION = {"plain": {}, "causal": {"is_causal": True}, "scaled": {"scale": 0.3}, "shared": {"enable_gqa": True},
             "bools": {"attn_mask": torch.rand(4, 5) > 0.3}, "added": {"attn_mask": torch.rand(2, 1, 4, 5)},
             "hidden": {"attn_mask": torch.ones(4, 5).bool() & (torch.arange(4) != 2)[:, None]}}


@pytest.mark.parametrize("keywords", ATTENTION.values(), ids=ATTENTION)
def test_attention_has_parts_in_files(keywords, tmp_path, monkeypatch):
    class Model(nn.Module):
        def forward(self, q, k, v):
            # torch 1.13 has no such function: only that it is taken apart well can be seen there
            return getattr(nn.functional, "scaled_dot_product_attention", in_parts)(q, k, v, **keywords)
    asked_for(monkeypatch, tmp_path / "model.onnx")
    torch.manual_seed(3)
    heads = 2 if "enable_gqa" in keywords else 4
    inputs = [torch.randn(2, 4, 4, 6), torch.randn(2, heads, 5, 6), torch.randn(2, heads, 5, 3)]
    model = poptorch.inferenceModel(Model())
    result, expected = model(*inputs), math_attention(*inputs, **keywords)
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
    check(model, inputs, tmp_path / "model.onnx", [expected])


@pytest.mark.parametrize("name", MODELS)
def test_files_compute_the_same(name, tmp_path, monkeypatch):
    if name == "transformer":  # has its operators in another form when it is known that they are to be written
        asked_for(monkeypatch, tmp_path / "model.onnx")
    torch.manual_seed(3)
    make, shape, version = MODELS[name]
    module, x = make().eval(), torch.randn(shape)
    model = poptorch.inferenceModel(module)
    result = model(x)
    flat = [result] if isinstance(result, torch.Tensor) else [result[0], *([result[1]] if isinstance(
        result[1], torch.Tensor) else result[1])]
    _, opset = check(model, [x], tmp_path / "model.onnx", flat)
    assert version in (None, opset)


class Moves(nn.Module):
    """Operators whose numbers are inputs in ONNX and attributes here."""

    def forward(self, x, i):
        top, where = x.topk(2, dim=1)
        parts = torch.split(x, [1, 3], dim=1)
        return (top, where, parts[1].cumsum(1), x[:, 1:3].unsqueeze(0).expand(3, 2, 2), x.sum(1), x.mean(0, keepdim=True),
                torch.nn.functional.one_hot(i, 5), x.gather(1, i), x.clamp(-0.5, 0.5), x.repeat(2, 2), torch.tril(x),
                torch.where(x > 0, x, -x), x.reshape(4, 2).t(), torch.nn.functional.pad(x, (1, 0)), x.max(1).values)


def test_numbers_that_are_inputs_in_onnx(tmp_path):
    x, i = torch.randn(2, 4), torch.tensor([[0, 3], [2, 1]])
    model = poptorch.inferenceModel(Moves())
    check(model, [x, i], tmp_path / "model.onnx", model(x, i))


def test_bodies(tmp_path):
    class Bodies(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.tensor([1.5, -2.0]))

        def forward(self, x, flag):
            x, y = poptorch.for_loop(3, lambda a, b: [a * self.w + 1, b + a], [x, x])
            return poptorch.cond(flag, lambda a: a * self.w, [x], lambda a: a - y, [x])[0], y

    for flag in (True, False):
        model = poptorch.inferenceModel(Bodies())
        x, which = torch.randn(3, 2), torch.tensor([flag])
        kinds, _ = check(model, [x, which], tmp_path / "model.onnx", model(x, which))
        assert {"If", "Loop"} <= kinds


def test_files_of_trainings_have_the_trained_weights(tmp_path, monkeypatch):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))

        def forward(self, x, y):
            out = self.net(x)
            return out, nn.functional.mse_loss(out, y)

    net = Net()
    model = poptorch.trainingModel(net, optimizer=torch.optim.SGD(net.parameters(), lr=0.1))
    first = tmp_path / "first.onnx"
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_FILE", str(first))
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_AS_BINARY", "1")
    before = net.net[0].weight.detach().clone()
    model(torch.randn(8, 3), torch.randn(8, 2))
    last = tmp_path / "last.onnx"
    model._executable.modelToHost(str(last))

    def weight(file):
        found = {t.name: t for t in onnx.load(str(file)).graph.initializer}
        return torch.from_numpy(onnx.numpy_helper.to_array(found["net.0.weight"]).copy())

    assert torch.equal(weight(first), before)
    assert torch.equal(weight(last), net.net[0].weight) and not torch.equal(weight(last), before)
    monkeypatch.setenv("POPTORCH_EXPORT_PROTO_AS_BINARY", "0")
    model.destroy()
    model(torch.randn(8, 3), torch.randn(8, 2))
    assert 'name: "net.0.weight"' in first.read_text()


def test_operators_without_an_onnx_form_are_named(tmp_path):
    class Host(nn.Module):
        def forward(self, x):
            return poptorch.CPU(lambda t: t * 2, "twice")(x)

    model = poptorch.inferenceModel(Host())
    model(torch.ones(2))
    with pytest.raises(popart.popart_exception, match="cannot be written as ONNX: HostCall"):
        model._executable.modelToHost(str(tmp_path / "model.onnx"))
    assert not (tmp_path / "model.onnx").exists()
