# SPDX-License-Identifier: MIT
"""Modules of torch, exported to ONNX as users do it, give torch's outputs."""
import io

import numpy as np
import onnx
import popart
import pytest
import torch
from harness import device
from torch import nn

rand = torch.rand


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def assigned(x):
    y = x.clone()
    y[:, 1] = 0
    return torch.where(y > 0.5, y, -y).masked_fill(x < 0.2, 3.0).roll(1, 0).flip(1)


def reduced(x):
    parts = [x.var(1), x.std(1), x.norm(dim=1), x.prod(1), x.logsumexp(1), x.argmax(1).float()]
    return torch.stack(parts) + x.split(2, 1)[1].sum() + x.gather(1, torch.zeros(4, 1, dtype=torch.long)).sum()


def windows(x, n):
    for _ in range(3):
        x = x * 2 + n
    return x.unfold(1, 3, 1).permute(0, 2, 1).contiguous().view(x.shape[0], -1)[:, ::2]


@torch.jit.script
def loop(x, n: int):
    for i in range(n):
        x = x * 2 + float(i)
    return x


@torch.jit.script
def listed(x):
    parts = x.split(2, 1)
    rows = torch.unbind(x)
    return torch.cat([parts[1], parts[0]], 1) + rows[-1][:4]


@torch.jit.script
def choice(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


CASES = {
    "lstm": (nn.LSTM(5, 7, 2, bidirectional=True), rand(4, 3, 5)), "gru": (nn.GRU(5, 7, 2, batch_first=True), rand(3, 4, 5)),
    "rnn": (nn.RNN(5, 7, 1, nonlinearity="relu"), rand(4, 3, 5)),
    "encoder": (nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), rand(2, 6, 32)),
    "transformer": (nn.Transformer(32, 4, 1, 1, 64, batch_first=True), rand(2, 6, 32), rand(2, 5, 32)),
    "attention": (nn.MultiheadAttention(32, 4, batch_first=True), rand(2, 6, 32), rand(2, 6, 32), rand(2, 6, 32)),
    "embedding": (nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 3)), torch.randint(0, 10, (2, 5))),
    "embedding_bag": (nn.EmbeddingBag(10, 4), torch.randint(0, 10, (2, 5))),
    "conv_transpose": (nn.ConvTranspose2d(3, 6, 3, 2, 1, 1, groups=3), rand(2, 3, 5, 5)),
    "conv1d": (nn.Conv1d(3, 6, 3, 2, 1), rand(2, 3, 9)), "conv3d": (nn.Conv3d(3, 4, 3, padding=1), rand(1, 3, 4, 5, 6)),
    "batch_norm": (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()), rand(2, 3, 6, 6)),
    "group_norm": (nn.GroupNorm(2, 4), rand(2, 4, 5, 5)), "layer_norm": (nn.LayerNorm([4, 5]), rand(2, 4, 5)),
    "instance_norm": (nn.InstanceNorm2d(4, affine=True), rand(2, 4, 5, 5)),
    "pixel_shuffle": (nn.PixelShuffle(2), rand(1, 8, 3, 3)), "upsample": (nn.Upsample(scale_factor=2), rand(1, 2, 3, 3)),
    "bilinear": (nn.Upsample(size=(7, 5), mode="bilinear"), rand(1, 2, 3, 3)),
    "lp_pool": (nn.LPPool2d(2, 2), rand(1, 2, 4, 4)),
    "average_pool": (nn.AvgPool2d(3, 2, 1, ceil_mode=True), rand(1, 2, 7, 7)),
    "max_pool": (nn.MaxPool2d(3, 2, 1, ceil_mode=True), rand(1, 2, 8, 8)),
    "activations": (nn.Sequential(nn.Mish(), nn.GELU(), nn.Hardswish(), nn.SiLU(), nn.CELU(), nn.LogSigmoid(),
                                  nn.Softmin(1)), rand(3, 4) - 0.5),
    "einsum": (Function(lambda x: torch.einsum("bij,bkj->bik", x, x).cumsum(1).topk(2)[0]), rand(2, 4, 5)),
    "assignment": (Function(assigned), rand(4, 5)), "reductions": (Function(reduced), rand(4, 6)),
    "windows": (Function(windows), rand(4, 6), rand(1)), "loop": (Function(lambda x: loop(x, 4)), rand(4, 6)),
    "choice": (Function(lambda x: choice(x)), rand(4, 6)), "lists": (Function(lambda x: listed(x)), rand(3, 6)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("opset", [13, 16])
@pytest.mark.parametrize("name", CASES)
def test_export(name, opset):
    module, *inputs = CASES[name]
    names = ["x%d" % i for i in range(len(inputs))]
    file = io.BytesIO()
    torch.onnx.export(module.eval(), tuple(inputs), file, opset_version=opset, input_names=names)
    output = onnx.load_from_string(file.getvalue()).graph.output[0].name
    with torch.no_grad():
        wanted = module(*inputs)
    while isinstance(wanted, tuple):
        wanted = wanted[0]
    session = popart.InferenceSession(file.getvalue(), popart.DataFlow(1, [output]), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({n: x.numpy() for n, x in zip(names, inputs)}, anchors))
    np.testing.assert_allclose(anchors[output], wanted.numpy(), rtol=2e-5, atol=2e-6)
