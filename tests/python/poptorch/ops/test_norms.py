# SPDX-License-Identifier: MIT
"""Normalisations: values, gradients, running statistics."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, rand
from modules import check_module, check_step

nn = torch.nn


def shaken(module):
    """Parameters and statistics that are not ones and zeros."""
    for name, t in module.state_dict().items():
        if t.is_floating_point():
            t.copy_(rand(*t.shape, low=0.5, high=1.5))
    return module


BATCH = [
    (nn.BatchNorm1d(4), (6, 4)),
    (nn.BatchNorm1d(4, momentum=0.3, eps=1e-2), (3, 4, 5)),
    (nn.BatchNorm2d(3, affine=False), (2, 3, 4, 5)),
    (nn.BatchNorm2d(3, track_running_stats=False), (2, 3, 4, 5)),
    (nn.BatchNorm3d(2), (2, 2, 3, 2, 3)),
    (nn.InstanceNorm1d(3), (2, 3, 5)),
    (nn.InstanceNorm2d(3, affine=True), (2, 3, 4, 5)),
    (nn.InstanceNorm2d(3, affine=True, track_running_stats=True, momentum=0.2), (2, 3, 4, 5)),
    (nn.InstanceNorm3d(2, track_running_stats=True), (2, 2, 3, 2, 3)),
    (nn.InstanceNorm1d(3), (3, 5)),
]


@pytest.mark.parametrize("layer,shape", BATCH, ids=lambda v: str(v).replace(" ", ""))
def test_batch(layer, shape):
    module = nn.Sequential(nn.Conv1d(shape[-2], shape[-2], 1) if len(shape) == 2 and isinstance(
        layer, nn.InstanceNorm1d) else nn.Linear(shape[-1], shape[-1]), shaken(layer))
    check_module(module, rand(*shape))


def test_running_statistics_move_every_step():
    check_step(nn.Sequential(nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), nn.ReLU()), rand(2, 2, 4, 4), steps=3)


def test_statistics_that_stay():
    """Layers that do not train within a module that does."""
    class Frozen(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.norm = nn.Linear(3, 4), shaken(nn.BatchNorm1d(4))

        def forward(self, x):
            return F.batch_norm(self.linear(x), self.norm.running_mean, self.norm.running_var, self.norm.weight,
                                self.norm.bias, False)

    check_step(Frozen(), rand(5, 3))


def test_native_forms():
    check(lambda x, w, b: torch.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5), rand(4, 3, 5), rand(3),
          rand(3), gradient=False)
    for function, shape in ((lambda x, w, b: torch.native_layer_norm(x, [4, 5], w, b, 1e-5), (4, 5)),
                            (lambda x, w, b: torch.native_group_norm(x, w, b, 2, 4, 5, 2, 1e-5), (4, ))):
        tensors = rand(2, 4, 5), rand(*shape), rand(*shape)
        check(function, *tensors, gradient=False)
        check(lambda *t, function=function: function(*t)[0], *tensors)


def test_layers():
    x = rand(2, 3, 4, 5)
    check(lambda x, w, b: F.layer_norm(x, [5], w, b), x, rand(5), rand(5))
    check(lambda x, w: F.layer_norm(x, [4, 5], w, None, 1e-3), x, rand(4, 5))
    check(lambda x: F.layer_norm(x, [3, 4, 5]), x)
    check(lambda x: F.layer_norm(x.transpose(0, 3)[:, 1:], [4, 2]), x)
    check_module(nn.Sequential(nn.Linear(5, 6), shaken(nn.LayerNorm(6))), x)


def test_groups():
    check(lambda x, w, b: F.group_norm(x, 2, w, b), rand(2, 6, 3, 2), rand(6), rand(6))
    check(lambda x: F.group_norm(x, 3, eps=1e-2), rand(2, 6, 4))
    check_module(nn.Sequential(nn.Conv1d(3, 6, 1), shaken(nn.GroupNorm(6, 6))), rand(2, 3, 4))


def test_halves():
    class All(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList([nn.BatchNorm1d(4), nn.GroupNorm(2, 4), nn.LayerNorm(6), nn.InstanceNorm1d(4)])

        def forward(self, x):
            return [norm(x) for norm in self.norms]

    x = rand(3, 4, 6)
    for weights in (torch.float, torch.half):
        module = All().eval()
        actual = poptorch.inferenceModel(All().to(weights).eval())(x.half())
        for a, e in zip(actual, module(x)):
            assert a.dtype == torch.half
            torch.testing.assert_close(a.float(), e, rtol=1e-2, atol=1e-2)


def test_weights_by_norm():
    check(lambda v, g: torch._weight_norm(v, g, 0), rand(3, 2, 2), rand(3, 1, 1))
    check(lambda v, g: torch._weight_norm(v, g, 1), rand(3, 2, 2), rand(1, 2, 1))
    check(lambda v, g: torch._weight_norm(v, g, -1), rand(3, 2, 2), torch.tensor(0.7))
    for dim in (0, 1, None):
        module, x = nn.utils.weight_norm(nn.Linear(4, 3), dim=dim), rand(2, 4)
        expected = module(x).detach()
        torch.testing.assert_close(poptorch.inferenceModel(module)(x), expected, rtol=1e-4, atol=1e-5)


def test_composites():
    check(lambda x: F.local_response_norm(x, 3, alpha=0.1, beta=0.6, k=1.5), rand(2, 5, 4))
    check(lambda x: F.local_response_norm(x, 2), rand(2, 4, 3, 3))
    check(lambda x: (F.normalize(x), F.normalize(x, p=1, dim=-1), F.normalize(x, p=3.0, dim=(0, 2))), rand(2, 3, 4))
