# SPDX-License-Identifier: MIT
"""Pictures at other resolutions, sampled on grids, unfolded and folded."""
import pytest
import torch
import torch.nn.functional as F

import poptorch
from harness import check, ints, rand


def at_sizes(x, mode, sizes=(), scales=(), **keywords):
    out = [F.interpolate(x, size=size, mode=mode, **keywords) for size in sizes]
    return out + [F.interpolate(x, scale_factor=scale, mode=mode, **keywords) for scale in scales]


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area"])
def test_selections(mode):
    check(at_sizes, rand(2, 3, 5), mode=mode, sizes=(10, 7, 3), scales=(2, 1.7, 0.5))
    check(at_sizes, rand(2, 2, 3, 4), mode=mode, sizes=((6, 4), (5, 7)), scales=(2, (1.5, 0.6)))
    check(at_sizes, rand(1, 2, 2, 3, 2), mode=mode, sizes=((4, 2, 5), ), scales=(2, ))


@pytest.mark.parametrize("corners", [False, True])
def test_interpolations(corners):
    check(at_sizes, rand(2, 3, 5), mode="linear", sizes=(10, 7, 3, 1), scales=(2, 1.7), align_corners=corners)
    check(at_sizes, rand(2, 2, 3, 4), mode="bilinear", sizes=((6, 8), (5, 3), (3, 4)), scales=(2, (1.5, 0.6)),
          align_corners=corners)
    check(at_sizes, rand(1, 2, 2, 3, 2), mode="trilinear", sizes=((4, 2, 5), ), scales=(1.5, ), align_corners=corners)
    check(at_sizes, rand(2, 2, 4, 5), mode="bicubic", sizes=((6, 8), (3, 5)), scales=(2, (1.5, 0.7)),
          align_corners=corners)


def test_scale_factors_are_kept_or_recomputed():
    check(lambda x: [F.interpolate(x, scale_factor=1.3, mode=m, recompute_scale_factor=r) for m in
                     ("nearest", "bilinear") for r in (False, True)], rand(1, 2, 5, 7))


def test_other_types():
    check(lambda x: F.interpolate(x, scale_factor=2), ints(1, 2, 3, 4, high=200, dtype=torch.uint8), gradient=False)

    class Up(torch.nn.Module):
        def forward(self, x):
            return F.interpolate(x, scale_factor=2, mode="bilinear"), F.interpolate(x, scale_factor=2)

    x = rand(1, 2, 3, 4)
    for actual, expected in zip(poptorch.inferenceModel(Up())(x.half()), Up()(x)):
        assert actual.dtype == torch.half
        torch.testing.assert_close(actual.float(), expected, rtol=2e-3, atol=1e-3)


def test_antialiasing_is_refused():
    class Up(torch.nn.Module):
        def forward(self, x):
            return F.interpolate(x, size=(2, 2), mode="bilinear", antialias=True)

    with pytest.raises((poptorch.Error, RuntimeError), match="antialias"):
        poptorch.inferenceModel(Up())(rand(1, 2, 4, 4))


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grids(mode):
    grid = rand(2, 3, 4, 2, low=-1.4, high=1.4)
    check(lambda x, g: [F.grid_sample(x, g, mode, padding, corners) for padding in ("zeros", "border", "reflection")
                        for corners in (False, True)], rand(2, 3, 5, 4), grid, rtol=1e-3, atol=1e-4)


def test_affine_grids():
    check(lambda t: [F.affine_grid(t, [2, 3, 4, 5], corners) for corners in (False, True)], rand(2, 2, 3))
    check(lambda t: [F.affine_grid(t, [2, 1, 2, 1, 3], corners) for corners in (False, True)], rand(2, 3, 4))


UNFOLDINGS = [
    ((2, 3, 5, 6), dict(kernel_size=2)),
    ((3, 5, 6), dict(kernel_size=(2, 3), padding=1, stride=(2, 1))),
    ((1, 2, 7, 6), dict(kernel_size=3, dilation=(2, 1), padding=(0, 2), stride=2)),
]


@pytest.mark.parametrize("shape,keywords", UNFOLDINGS)
def test_unfold_and_fold(shape, keywords):
    check(F.unfold, rand(*shape), **keywords)
    columns = F.unfold(rand(*shape), **keywords)
    check(F.fold, rand(*columns.shape), output_size=shape[-2:], **keywords)


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_volumes_at_coordinates(mode, padding):
    grid = rand(2, 2, 3, 4, 3, low=-1.4, high=1.4)
    check(lambda x, g: [F.grid_sample(x, g, mode, padding, corners) for corners in (True, False)], rand(2, 3, 3, 4, 5), grid,
          rtol=1e-3, atol=1e-4)
