# SPDX-License-Identifier: MIT
"""Gradients of the other forms of operators, beyond the one that test_gradients has of each: modes, reductions, paddings,
directions. Against torch."""
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from test_gradients import BATCH_NORM, COLUMNS, IMAGE, Fixed, apart, case, check_case, ints, real

TWICE = np.array([[0, 0], [2, 0], [3, 3]], np.int64)  # indices that meet


def padded(mode):
    return lambda x, p: F.pad(x, (2, 1, 1, 2), mode=mode)


def reduced(reduce):
    return lambda x, i, u: x.scatter_reduce(1, i.long(), u, reduce)


def spread(reduce, initial, nothing=0.0):
    """ScatterReduce without initial values; elements that nothing reaches are `nothing`."""
    def reference(x, i):
        made = torch.full((4, 3), initial).scatter_reduce(0, i.long(), x, reduce)
        reached = torch.zeros(4, 3).scatter_add(0, i.long(), torch.ones_like(x)) > 0
        return torch.where(reached, made, torch.tensor(nothing))
    return reference


GRID = real(1, 3, 4, 2, low=-0.9, high=0.9)
PICTURE = real(1, 2, 5, 5)
ROWS = np.repeat(np.array([[0], [2], [2], [3], [0]], np.int32), 3, 1)

FORMS = {
    "": {
        "ScatterElements-add": case(reduced("sum"), [real(3, 4), TWICE, real(3, 2)], axis=1, reduction="add"),
        "ScatterElements-mul": case(reduced("prod"), [real(3, 4), COLUMNS, real(3, 2)], axis=1, reduction="mul"),
        "ScatterND-add": case(lambda x, i, u: x.index_add(0, i[:, 0].long(), u),
                              [real(3, 4), np.array([[0], [2], [0]]), real(3, 4)], reduction="add"),
        "Pad-reflect": case(padded("reflect"), [real(1, 2, 5, 6), Fixed(np.array([0, 0, 1, 2, 0, 0, 2, 1]))], mode="reflect"),
        "Pad-edge": case(padded("replicate"), [real(1, 2, 5, 6), Fixed(np.array([0, 0, 1, 2, 0, 0, 2, 1]))], mode="edge"),
        "Pad-cut": case(lambda x, p: x[:, 1:-2], [real(3, 6), Fixed(ints(0, -1, 0, -2))]),
        "CumSum-reverse": case(lambda x, a: x.flip(1).cumsum(1).flip(1) - x, [real(3, 4), Fixed(np.int64(1))], exclusive=1,
                               reverse=1),
        "TopK-smallest": case(lambda x, k: torch.topk(x, 2, 0, largest=False)[0], [apart(5, 3), Fixed(ints(2))], outputs=2,
                              axis=0, largest=0),
        "Trilu-upper": case(lambda x, k: x.triu(1), [real(2, 4, 5), Fixed(np.int64(1))]),
        "Einsum-diagonal": case(lambda a, b: torch.einsum("bii,bi->b", a, b), [real(2, 3, 3), real(2, 3)],
                                equation="bii,bi->b"),
        "Einsum-three": case(lambda a, b, c: torch.einsum("ij,jk,ki->i", a, b, c), [real(2, 3), real(3, 4), real(4, 2)],
                             equation="ij,jk,ki->i"),
        "Einsum-ellipsis": case(lambda a, b: torch.einsum("...ij,jk->...ik", a, b), [real(2, 3, 4), real(4, 5)],
                                equation="...ij,jk->...ik"),
        "MaxPool-dilated": case(lambda x: F.max_pool2d(x, 2, 1, 0, 2), IMAGE, kernel_shape=[2, 2], dilations=[2, 2]),
        "MaxPool-ceil": case(lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), IMAGE, kernel_shape=[3, 3], strides=[2, 2],
                             ceil_mode=1),
        "MaxPool-3d": case(lambda x: F.max_pool3d(x, 2, 1), [apart(1, 2, 3, 4, 3)], kernel_shape=[2, 2, 2]),
        "AveragePool-padded": case(lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGE, kernel_shape=[3, 3], strides=[2, 2],
                                   pads=[1, 1, 1, 1], count_include_pad=1),
        "AveragePool-ceil": case(lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True, count_include_pad=False), IMAGE,
                                 kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        "LpPool-3": case(lambda x: F.lp_pool2d(x, 3, 2), [real(2, 3, 6, 6, low=0.2)], kernel_shape=[2, 2], strides=[2, 2], p=3),
        "Conv-1d": case(lambda x, w, b: F.conv1d(x, w, b, 2, 1, 2), [real(2, 3, 9), real(4, 3, 3), real(4)], strides=[2],
                        pads=[1, 1], dilations=[2]),
        "Conv-3d": case(lambda x, w: F.conv3d(x, w, padding=1), [real(1, 2, 3, 4, 3), real(3, 2, 2, 2, 2)], pads=[1] * 6),
        "Conv-uneven": case(lambda x, w: F.conv2d(F.pad(x, (0, 2, 1, 0)), w), [real(2, 2, 5, 5), real(3, 2, 3, 3)],
                            pads=[1, 0, 0, 2]),
        "ConvTranspose-groups": case(lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 0, 2, 2),
                                     [real(1, 4, 3, 4), real(4, 2, 3, 3), real(4)], strides=[2, 2], pads=[1] * 4, group=2,
                                     dilations=[2, 2]),
        "BatchNormalization-training": case(lambda x, g, b, *_: F.batch_norm(x, None, None, g, b, training=True), BATCH_NORM,
                                            outputs=3, training_mode=1, tolerance=2e-4),
        "LayerNormalization-axis": case(lambda x, g, b: F.layer_norm(x, (3, 4), g, b),
                                        [real(2, 3, 4), real(3, 4, low=0.5), real(3, 4)],
                                        axis=1, tolerance=2e-4),
        "Resize-nearest": case(lambda x, *_: F.interpolate(x, scale_factor=2),
                               [real(1, 2, 3, 3), None, Fixed(np.float32([1, 1, 2, 2]))],
                               coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        "Resize-cubic": case(lambda x, *_: F.interpolate(x, (7, 4), mode="bicubic"),
                             [real(1, 2, 5, 5), None, None, Fixed(ints(1, 2, 7, 4))],
                             mode="cubic"),
        "Resize-corners": case(lambda x, *_: F.interpolate(x, (7, 4), mode="bilinear", align_corners=True),
                               [real(1, 2, 5, 5), None, None, Fixed(ints(1, 2, 7, 4))], mode="linear",
                               coordinate_transformation_mode="align_corners"),
        "GridSample-bicubic": case(lambda x, g: F.grid_sample(x, g, "bicubic", "zeros", True), [PICTURE, GRID], mode="bicubic",
                                   align_corners=1, tolerance=5e-4),
        "GridSample-reflection": case(lambda x, g: F.grid_sample(x, g, "bilinear", "reflection", False), [PICTURE, 1.3 * GRID],
                                      padding_mode="reflection", tolerance=5e-4),
        "GridSample-border": case(lambda x, g: F.grid_sample(x, g, "bilinear", "border", False), [PICTURE, 1.3 * GRID],
                                  padding_mode="border", tolerance=5e-4),
        "GridSample-nearest": case(lambda x, g: F.grid_sample(x, g, "nearest", "zeros", False), [PICTURE, Fixed(GRID)],
                                   mode="nearest"),
        "Clip-computed": case(lambda x, lo, hi: torch.minimum(torch.maximum(x, lo), hi),
                              [apart(3, 5), np.array(-0.4, np.float32), np.array(0.3, np.float32)]),
        "Split-three": case(lambda x, s: x[:, :1], [real(3, 6), Fixed(ints(1, 2, 3))], outputs=3, axis=1),
        "Slice-backwards": case(lambda x, *_: x.flip(1)[:, ::2],
                                [real(3, 5), Fixed(ints(-1)), Fixed(ints(-99)), Fixed(ints(1)), Fixed(ints(-2))]),
        "GatherND-batched": case(lambda x, i: torch.stack([x[b][i[b][:, 0].long()] for b in range(2)]),
                                 [real(2, 3, 4), np.array([[[0], [2]], [[1], [1]]])], batch_dims=1),
        "Gather-meeting": case(lambda x, i: x[i.long()], [real(4, 3), np.array([[0, 2], [2, 2]])], axis=0),
        "ReduceMax-all": case(lambda x: x.max(), [apart(3, 4)], keepdims=0),
        "ReduceL1-two": case(lambda x: x.abs().sum((0, 2)), [apart(3, 4, 2)], axes=[0, -1], keepdims=0),
        "ReduceProd-all": case(lambda x: x.prod().reshape(1, 1), [real(2, 3, low=0.5)]),
        "Softmax-first": case(lambda x: F.softmax(x, 0), [real(3, 4)], axis=0),
        "LpNormalization-1": case(lambda x: F.normalize(x, 1, 0), [real(3, 4)], axis=0, p=1),
        "SoftmaxCrossEntropyLoss-none": case(lambda x, l, w: F.cross_entropy(x, l.long(), w, reduction="none"),
                                             [real(2, 4, 3), np.array([[1, 0, 2], [3, 1, 0]]), Fixed(real(4, low=0.5))],
                                             reduction="none"),
        "SoftmaxCrossEntropyLoss-mean": case(lambda x, l, w: F.cross_entropy(x, l.long(), w, ignore_index=1),
                                             [real(2, 4, 3), np.array([[1, 0, 2], [3, 1, 0]]), Fixed(real(4, low=0.5))],
                                             ignore_index=1),
        "NegativeLogLikelihoodLoss-none": case(lambda x, l: F.nll_loss(x, l.long(), reduction="none"),
                                               [real(2, 4, 3), np.array([[1, 0, 2], [3, 1, 0]])], reduction="none"),
        "Dropout-everything": case(lambda x, *_: x, [real(3, 4), Fixed(np.float32(0)), Fixed(True)]),
        "Pow-whole": case(lambda x, n: x ** 3, [real(3, 4), Fixed(np.float32(3))]),
        "Where-broadcast": case(torch.where, [np.array([[True], [False]]), real(2, 3), real(1, 1)]),
        "DFT-onesided": case(lambda x: torch.view_as_real(torch.fft.rfft(x[..., 0], dim=1)), [real(2, 7, 3, 1)], onesided=1),
        "DFT-long": case(lambda x: torch.view_as_real(torch.fft.fft(torch.view_as_complex(x), dim=1)), [real(2, 144, 2)],
                         tolerance=1e-4),
    },
    "ai.graphcore": {
        "ScatterReduce-max": case(spread("amax", -9.0), [apart(5, 3), ROWS], axis=0, axis_size=4, reduction=1),
        "ScatterReduce-min": case(spread("amin", 9.0), [apart(5, 3), ROWS], axis=0, axis_size=4, reduction=2),
        "ScatterReduce-mul": case(spread("prod", 1.0, 1.0), [real(5, 3, low=0.5), ROWS], axis=0, axis_size=4, reduction=3),
        "ReduceMedian-two": case(lambda x: x.permute(1, 0, 2).reshape(3, -1).median(1)[0], [apart(2, 3, 5)], outputs=2,
                                 axes=[0, 2],
                                 keepdims=0),
        "GroupNormalization-strided": case(lambda x, g, b: F.group_norm(x, 2, g, b), [real(2, 4, 6), real(4, low=0.5), real(4)],
                                           outputs=3, num_groups=2, epsilon=1e-5, tolerance=2e-4),
        "L1-mean": case(lambda x: 0.3 * x.abs().mean(), [real(3, 4)], reduction="Mean", **{"lambda": 0.3}),
    },
}
ALL = [(domain, name, given) for domain, table in FORMS.items() for name, given in table.items()]


@pytest.mark.parametrize("domain,name,given", ALL, ids=[n for _, n, _ in ALL])
def test_gradient(domain, name, given):
    check_case(domain, name.split("-")[0], given)
